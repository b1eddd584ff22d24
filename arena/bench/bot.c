/*
 * A bot as fast as C can be: what a match costs with it is what the arena costs. It plays the first legal action.
 *
 *     bot [--stamp] [--think-us N] [GAME...]
 *
 *     --stamp       each move has a note: the nanoseconds of CLOCK_MONOTONIC just before it was written
 *     --think-us N  before each move, N microseconds of CPU time are burnt
 *     GAME...       the games that hello names; draftosaurus if none is given
 *
 * It speaks framed MessagePack (protocol/SPEC.md, section 3.1), one read and one write a message, and looks only at
 * what it needs: the top level of each map, in any order. It exits with 0 after bye or end-of-file, and with 1 and a
 * line on stderr when the arena breaks the protocol.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 4, MOST_BYTES = 1 << 20, MOST_NAME = 255, MOST_GAMES = 64 };

static _Noreturn void fail(const char *what, const char *detail)
{
    fprintf(stderr, "bot.c: %s%s\n", what, detail);
    exit(1);
}

/* ---- MessagePack: every value has a first byte, then perhaps a length, then perhaps a body or items ---- */

enum kind { INVALID, NIL, BOOLEAN, INTEGER, FLOAT, TEXT, BINARY, EXTENSION, ARRAY, MAP };

/* What a first byte announces: the size is `fixed` plus the number in the next `length_bytes`. */
struct form {
    uint8_t kind, length_bytes, fixed;
};

static const struct form FORMS[0xe0 - 0xc0] = {
    {NIL, 0, 0},       {INVALID, 0, 0},   {BOOLEAN, 0, 0},   {BOOLEAN, 0, 0},    /* c0 - c3 */
    {BINARY, 1, 0},    {BINARY, 2, 0},    {BINARY, 4, 0},    {EXTENSION, 1, 1},  /* c4 - c7 */
    {EXTENSION, 2, 1}, {EXTENSION, 4, 1}, {FLOAT, 0, 4},     {FLOAT, 0, 8},      /* c8 - cb */
    {INTEGER, 0, 1},   {INTEGER, 0, 2},   {INTEGER, 0, 4},   {INTEGER, 0, 8},    /* cc - cf */
    {INTEGER, 0, 1},   {INTEGER, 0, 2},   {INTEGER, 0, 4},   {INTEGER, 0, 8},    /* d0 - d3 */
    {EXTENSION, 0, 2}, {EXTENSION, 0, 3}, {EXTENSION, 0, 5}, {EXTENSION, 0, 9},  /* d4 - d7 */
    {EXTENSION, 0, 17}, {TEXT, 1, 0},     {TEXT, 2, 0},      {TEXT, 4, 0},       /* d8 - db */
    {ARRAY, 2, 0},     {ARRAY, 4, 0},     {MAP, 2, 0},       {MAP, 4, 0},        /* dc - df */
};

static struct form form_of(uint8_t first)
{
    if (first < 0x80 || first >= 0xe0)
        return (struct form){INTEGER, 0, 0};
    if (first < 0x90)
        return (struct form){MAP, 0, first & 0x0f};
    if (first < 0xa0)
        return (struct form){ARRAY, 0, first & 0x0f};
    if (first < 0xc0)
        return (struct form){TEXT, 0, first & 0x1f};
    return FORMS[first - 0xc0];
}

struct span {
    const uint8_t *at, *end;
};

struct value {
    enum kind kind;
    uint64_t items;    /* values directly inside: an array's items, a map's keys and values */
    struct span whole; /* all its bytes, so that it can be copied into an answer as it is */
    struct span body;  /* the characters of a text */
};

static size_t size_of(struct span span)
{
    return (size_t)(span.end - span.at);
}

static uint32_t big_endian(const uint8_t *at, size_t bytes)
{
    uint32_t number = 0;
    while (bytes-- > 0)
        number = number << 8 | *at++;
    return number;
}

/* Reads one value, of an array or a map only the opening: its items follow. False if the bytes do not hold it. */
static bool take(struct span *in, struct value *value)
{
    if (in->at == in->end)
        return false;
    value->whole.at = in->at;
    struct form form = form_of(*in->at++);
    if (form.kind == INVALID || size_of(*in) < form.length_bytes)
        return false;
    uint64_t size = (uint64_t)form.fixed + big_endian(in->at, form.length_bytes);
    in->at += form.length_bytes;
    value->kind = form.kind;
    value->items = form.kind == ARRAY ? size : form.kind == MAP ? 2 * size : 0;
    if (form.kind == ARRAY || form.kind == MAP)
        size = 0;
    if (size_of(*in) < size)
        return false;
    value->body = (struct span){in->at, in->at + size};
    in->at = value->whole.end = value->body.end;
    return true;
}

/* Passes over so many values and all that is inside them. A counter instead of recursion: no depth can hurt. */
static bool skip(struct span *in, uint64_t values)
{
    struct value value;
    for (; values > 0; values += value.items - 1) {
        if (!take(in, &value))
            return false;
    }
    return true;
}

static bool is_text(const struct value *value, const char *text)
{
    size_t size = strlen(text);
    return value->kind == TEXT && size_of(value->body) == size && memcmp(value->body.at, text, size) == 0;
}

/* ---- Messages from the arena ---- */

struct message {
    struct value type, id, action; /* of kind NIL where the message has none */
};

static bool read_legal(struct span *in, struct message *message)
{
    struct value legal;
    if (!take(in, &legal))
        return false;
    if (legal.kind != ARRAY || legal.items == 0)
        return skip(in, legal.items);
    if (!take(in, &message->action))
        return false;
    return skip(in, message->action.items + legal.items - 1);
}

static bool read_field(struct span *in, struct message *message)
{
    struct value key;
    if (!take(in, &key) || key.kind != TEXT)
        return false;
    if (is_text(&key, "legal"))
        return read_legal(in, message);
    struct value other, *value = is_text(&key, "type") ? &message->type : is_text(&key, "id") ? &message->id : &other;
    return take(in, value) && skip(in, value->items);
}

/* False unless the payload is one map and nothing else. */
static bool read_message(struct span in, struct message *message)
{
    struct value map;
    *message = (struct message){.type = {.kind = NIL}, .id = {.kind = NIL}, .action = {.kind = NIL}};
    if (!take(&in, &map) || map.kind != MAP)
        return false;
    for (uint64_t fields = map.items / 2; fields > 0; fields--) {
        if (!read_field(&in, message))
            return false;
    }
    return in.at == in.end;
}

/* ---- Frames ---- */

/* What stdin has given; one whole frame always fits. Static, and untouched pages cost nothing. */
static struct {
    uint8_t bytes[HEADER + MOST_BYTES];
    size_t begin, end;
} input;

static struct {
    uint8_t bytes[HEADER + MOST_BYTES + 512]; /* an id and an action of one frame, and what stands around them */
    size_t end;
} output;

/* Reads what there is, after moving an unfinished frame to the front. False at end-of-file. */
static bool fill(void)
{
    input.end -= input.begin;
    memmove(input.bytes, input.bytes + input.begin, input.end);
    input.begin = 0;
    ssize_t got;
    do
        got = read(STDIN_FILENO, input.bytes + input.end, sizeof input.bytes - input.end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fail("cannot read stdin: ", strerror(errno));
    input.end += (size_t)got;
    return got > 0;
}

/* The next payload, which holds until the next call. False at end-of-file, which may come at any time (SPEC 2.5). */
static bool next_payload(struct span *payload)
{
    while (input.end - input.begin < HEADER) {
        if (!fill())
            return false;
    }
    size_t size = big_endian(input.bytes + input.begin, HEADER);
    if (size == 0 || size > MOST_BYTES)
        fail("a frame of no bytes or of more than 1 MiB", " (SPEC 3.1)");
    while (input.end - input.begin < HEADER + size) {
        if (!fill())
            return false;
    }
    payload->at = input.bytes + input.begin + HEADER;
    payload->end = payload->at + size;
    input.begin += HEADER + size;
    return true;
}

static void put(const void *bytes, size_t size)
{
    memcpy(output.bytes + output.end, bytes, size);
    output.end += size;
}

/* A literal that holds MessagePack. It is cut after each \x escape, which would swallow a following a to f. */
#define PUT(literal) put(literal, sizeof(literal) - 1)

static void put_text(const char *text)
{
    size_t size = strlen(text);
    if (size > MOST_NAME)
        fail("too long for a name: ", text);
    put((uint8_t[]){0xd9, (uint8_t)size}, 2);
    put(text, size);
}

static void open_frame(void)
{
    output.end = HEADER;
}

/* Writes the frame: in one write, unless the pipe is full. */
static void send_frame(void)
{
    size_t size = output.end - HEADER;
    for (int i = 0; i < HEADER; i++)
        output.bytes[i] = (uint8_t)(size >> 8 * (HEADER - 1 - i));
    for (size_t sent = 0; sent < output.end;) {
        ssize_t wrote = write(STDOUT_FILENO, output.bytes + sent, output.end - sent);
        if (wrote < 0 && errno != EINTR)
            fail("cannot write stdout: ", strerror(errno));
        sent += wrote > 0 ? (size_t)wrote : 0;
    }
}

/* ---- What the bot says ---- */

struct settings {
    bool stamp;
    int64_t think_ns;
    const char *games[MOST_GAMES];
    uint8_t n_games;
};

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void burn(int64_t ns)
{
    int64_t end = now_ns(CLOCK_PROCESS_CPUTIME_ID) + ns;
    while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
        continue;
}

static void say_hello(const struct settings *settings)
{
    open_frame();
    PUT("\x85\xa4" "type" "\xa5" "hello" "\xa8" "protocol" "\x01" "\xa4" "name" "\xa1" "c");
    PUT("\xa7" "version" "\xa1" "1" "\xa5" "games");
    put((uint8_t[]){0xdc, 0, settings->n_games}, 3);
    for (int i = 0; i < settings->n_games; i++)
        put_text(settings->games[i]);
    send_frame();
}

static void say_ready(void)
{
    open_frame();
    PUT("\x81\xa4" "type" "\xa5" "ready");
    send_frame();
}

static void say_move(const struct message *decide, const struct settings *settings)
{
    if (decide->id.kind != INTEGER || decide->action.kind != TEXT)
        fail("a decide without an id or without a legal action", " (SPEC 4.5)");
    if (settings->think_ns > 0)
        burn(settings->think_ns);
    open_frame();
    put(settings->stamp ? "\x84" : "\x83", 1);
    PUT("\xa4" "type" "\xa4" "move" "\xa2" "id");
    put(decide->id.whole.at, size_of(decide->id.whole));
    PUT("\xa6" "action");
    put(decide->action.whole.at, size_of(decide->action.whole));
    if (settings->stamp) {
        char digits[24];
        PUT("\xa4" "note");
        snprintf(digits, sizeof digits, "%" PRId64, now_ns(CLOCK_MONOTONIC));
        put_text(digits);
    }
    send_frame();
}

/* ---- The conversation ---- */

static void converse(const struct settings *settings)
{
    struct span payload;
    struct message message;
    say_hello(settings);
    while (next_payload(&payload)) {
        if (!read_message(payload, &message))
            fail("a frame that is not one map in MessagePack", " (SPEC 3.1)");
        if (is_text(&message.type, "decide"))
            say_move(&message, settings);
        else if (is_text(&message.type, "start"))
            say_ready();
        else if (is_text(&message.type, "bye"))
            return;
        else if (!is_text(&message.type, "welcome") && !is_text(&message.type, "end"))
            fail("a message that the arena may not send", " (SPEC 4)");
    }
}

static int64_t microseconds(const char *text)
{
    char *end = NULL;
    errno = 0;
    long long number = text ? strtoll(text, &end, 10) : 0;
    if (!text || end == text || *end || errno || number < 0 || number > 3600000000LL)
        fail("--think-us needs a number from 0 to an hour of microseconds, got ", text ? text : "nothing");
    return number;
}

int main(int argc, char **argv)
{
    struct settings settings = {.games = {"draftosaurus"}};
    (void)argc;
    for (char **word = argv + 1; *word; word++) {
        if (strcmp(*word, "--stamp") == 0)
            settings.stamp = true;
        else if (strcmp(*word, "--think-us") == 0)
            settings.think_ns = microseconds(word[1]) * 1000, word++;
        else if (**word == '-')
            fail("usage: bot [--stamp] [--think-us N] [GAME...], not ", *word);
        else if (settings.n_games == MOST_GAMES)
            fail("too many games, from here on: ", *word);
        else
            settings.games[settings.n_games++] = *word;
    }
    if (settings.n_games == 0)
        settings.n_games = 1;
    converse(&settings);
    return 0;
}
