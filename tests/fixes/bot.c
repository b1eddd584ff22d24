// A bot that plays the first legal action and does what the fixes of `arena check` say; `bot FINDING` does not in one place.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char line[(1 << 20) + 4];
static size_t held;
static const char *broken = "";

static int is_broken(const char *finding) {
    return !strcmp(broken, finding);
}

// Reads one line. read() may return less than we ask for, or more than one message: what is left is kept.
static int next(void) {
    char *end = memchr(line, '\0', held);
    if (end) {
        held -= (size_t)(end + 1 - line);
        memmove(line, end + 1, held);
    }
    while (!(end = memchr(line, '\n', held))) {
        const ssize_t got = read(0, line + held, sizeof line - held);
        if (got <= 0)
            return 0;
        held += (size_t)got;
        if (is_broken("split-frames")) {
            held = 0;
            line[got] = '\0';
            return 1;
        }
    }
    *end = '\0';
    return 1;
}

int main(int count, char **words) {
    broken = count > 1 ? words[1] : "";
    if (is_broken("text"))
        printf("thinking\n");
    else
        fprintf(stderr, "thinking\n");
    if (is_broken("silent") && !next()) // instead of hello before any read
        return 0;
    printf("{\"type\":\"hello\",\"protocol\":1,\"name\":\"fixed\",\"version\":\"1\",\"games\":[\"draftosaurus\"]}\n");
    fflush(stdout);
    while (next()) {
        if (strstr(line, "\"type\":\"start\"")) {
            printf("{\"type\":\"ready\"}\n");
        } else if (strstr(line, "\"type\":\"decide\"")) {
            int64_t id = strtoll(strstr(line, "\"id\":") + 5, NULL, 10);
            if (is_broken("ids"))
                id = (int)id;
            const char *first = strstr(line, "\"legal\":[\"") + 10;
            printf("{\"type\":\"move\",\"id\":%" PRId64 ",\"action\":\"%.*s\"}\n", id, (int)strcspn(first, "\""), first);
        } else if (strstr(line, "\"type\":\"bye\"")) {
            return 0;
        }
        fflush(stdout);
    }
    return 0;
}
