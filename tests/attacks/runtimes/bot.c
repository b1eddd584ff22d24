/* The first legal action, after a thread has done what it is for. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 20];

static void *work(void *answer) { *(int *)answer = 42; return NULL; }

/* What follows a key, which may have a blank in the middle of it, up to one of the ends. */
static const char *after(const char *key, const char *ends, char *into, size_t room) {
    const char *start = strstr(line, key) + strlen(key);
    while (*start == ' ' || *start == ':' || *start == '[' || *start == '"') start++;
    size_t length = strcspn(start, ends);
    snprintf(into, room, "%.*s", (int)length, start);
    return into;
}

static int is(const char *type) {
    char found[32];
    return strcmp(after("\"type\"", "\"", found, sizeof found), type) == 0;
}

int main(void) {
    int answer = 0;
    pthread_t thread;
    char id[32], action[256];
    if (pthread_create(&thread, NULL, work, &answer) || pthread_join(thread, NULL) || answer != 42) return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"c\",\"version\":\"1\",\"games\":[\"draftosaurus\"]}");
    while (fgets(line, sizeof line, stdin)) {
        if (is("start")) puts("{\"type\":\"ready\"}");
        if (is("decide"))
            printf("{\"type\":\"move\",\"id\":%s,\"action\":\"%s\"}\n", after("\"id\"", ",} ", id, sizeof id),
                   after("\"legal\"", "\"", action, sizeof action));
        if (is("bye")) return 0;
    }
    return 0;
}
