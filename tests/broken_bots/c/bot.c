// A bot that plays the first legal action, and has one defect, which is a macro: cc -DUNFLUSHED -o unflushed bot.c
//
// Without a macro it is the correct player. The file of the same name, `unflushed.toml`, says what the defect is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef FIXED_BUFFER
static char line[64 << 10];
#else
static char line[(1 << 20) + 2];
#endif

static char action[4097];

#if defined ARRAY_MESSAGE
#define MOVE "[\"move\",%lld,\"%s\"]"
#elif defined OTHER_TYPE
#define MOVE "{\"type\":\"action\",\"id\":%lld,\"action\":\"%s\"}"
#else
#define MOVE "{\"type\":\"move\",\"id\":%lld,\"action\":\"%s\"}"
#endif

static void say(const char *text) {
#ifdef NO_LINE_FEED
    printf("%s", text);
#else
    printf("%s\n", text);
#endif
    fflush(stdout);
}

// Where the value of this field of the message begins; NULL if it has no such field.
static const char *value(const char *key) {
    const char *word = line;
    size_t length = 0;
    int depth = 0;
    for (const char *at = line; *at; at++) {
        if (*at == '"') {
            word = ++at;
            while (*at && *at != '"')
                at += *at == '\\' && at[1] ? 2 : 1;
            length = at - word;
            if (!*at)
                return NULL;
        } else if (*at == ':' && depth == 1 && length == strlen(key) && !strncmp(word, key, length)) {
            return at + 1;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            depth--;
        }
    }
    return NULL;
}

static int is(const char *type) {
    return !strncmp(value("type") + 1, type, strlen(type));
}

static void decide(void) {
#ifdef DIVIDES_BY_TIME
    static volatile long long nodes;
    nodes = 1000000 / atoll(strstr(value("clock"), "\"increment_ms\":") + strlen("\"increment_ms\":"));
#endif
#ifdef NULL_POINTER
    if (!strncmp(value("phase"), "\"place\"", 7))
        *(volatile char *)NULL = 0;
#endif
    const char *first = value("legal") + strlen("[\"");
    snprintf(action, sizeof action, "%.*s", (int)strcspn(first, "\""), first);
    printf(MOVE "\n", atoll(value("id")), action);
#ifdef ANSWERS_TWICE
    printf(MOVE "\n", atoll(value("id")), action);
#endif
#ifndef UNFLUSHED
    fflush(stdout);
#endif
}

static void start(void) {
#ifdef LEAKS
    memset(malloc(1 << 20), 1, 1 << 20);
#endif
    say("{\"type\":\"ready\"}");
}

int main(void) {
    say("{\"type\":\"hello\",\"protocol\":1,\"name\":\"" NAME "\",\"version\":\"1\",\"games\":[\"draftosaurus\"]}");
    while (fgets(line, sizeof line, stdin)) {
        if (is("start"))
            start();
        else if (is("decide"))
            decide();
#ifndef IGNORES_BYE
        else if (is("bye"))
            return 0;
#endif
    }
#ifdef READS_ON_AT_EOF
    while (getchar() != '{') {
        clearerr(stdin);
        usleep(10000);  // without it the examiner would find the same, and use a core for it
    }
#endif
    return 0;
}
