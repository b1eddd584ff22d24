// Tests the SDK's own reader and writer with the vectors of the protocol: make test
#include "dinobot.c" // for what is private there
#include "views.h"

#include <dirent.h>

static int failures;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(bool good, const char *condition, int line) {
    if (!good) {
        fprintf(stderr, "test.c:%d: %s\n", line, condition);
        failures++;
    }
}

// Vectors.

enum { MOST_TEXT = 1 << 16 };

// A growing text, or bytes.
typedef struct text {
    size_t length;
    char bytes[MOST_TEXT];
} text;

static void add(text *out, const char *bytes, size_t length) {
    if (length > sizeof out->bytes - 1 - out->length) abort();
    memcpy(out->bytes + out->length, bytes, length);
    out->length += length;
    out->bytes[out->length] = '\0';
}

static void add_text(text *out, const char *more) { add(out, more, strlen(more)); }

typedef struct vector {
    text frame; // the bytes on the wire
    text json;  // the same message as a JSON line
} vector;

// The text of a field of a vector's file, with its escapes, up to the quote that ends it.
static const char *field(const char *file, const char *key, size_t *length) {
    const char *begin = strstr(file, key) + strlen(key), *end = begin;
    while (*end != '"')
        end += *end == '\\' ? 2 : 1;
    *length = (size_t)(end - begin);
    return begin;
}

static void unescape(text *out, const char *from, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const bool escaped = from[i] == '\\';
        i += escaped;
        add(out, escaped && from[i] == 'n' ? "\n" : &from[i], 1);
    }
}

static void unhex(text *out, const char *from, size_t length) {
    for (size_t i = 0; i + 1 < length; i += 2) {
        const char digits[] = {from[i], from[i + 1], '\0'};
        const char byte = (char)strtoul(digits, NULL, 16);
        add(out, &byte, 1);
    }
}

// The vector of that name; to be freed.
static vector *vector_named(const char *name) {
    static char file[MOST_TEXT];
    DIR *copied = opendir("vectors");
    snprintf(file, sizeof file, "%s/%s.json", copied ? "vectors" : "../../protocol/vectors", name);
    if (copied) closedir(copied);
    FILE *opened = fopen(file, "r");
    if (!opened) {
        perror(file);
        exit(1);
    }
    file[fread(file, 1, sizeof file - 1, opened)] = '\0';
    fclose(opened);
    vector *vector = checked(calloc(1, sizeof *vector));
    size_t length;
    const char *found = field(file, "\"msgpack\": \"", &length);
    unhex(&vector->frame, found, length);
    found = field(file, "\"json\": \"", &length);
    unescape(&vector->json, found, length);
    return vector;
}

// A value as the arena writes it in JSON; enough for the vectors.
static void add_json(text *out, const dino_value *value) {
    char number[32];
    switch (value->kind) {
    case DINO_NULL:
        add_text(out, "null");
        break;
    case DINO_BOOLEAN:
        add_text(out, value->boolean ? "true" : "false");
        break;
    case DINO_INTEGER:
        snprintf(number, sizeof number, "%lld", (long long)value->integer);
        add_text(out, number);
        break;
    case DINO_FLOAT:
        snprintf(number, sizeof number, "%.17g", value->number);
        add_text(out, number);
        break;
    case DINO_TEXT:
        add_text(out, "\"");
        add_text(out, value->text);
        add_text(out, "\"");
        break;
    case DINO_ARRAY:
        for (size_t i = 0; i < value->length; i++) {
            add_text(out, i ? "," : "[");
            add_json(out, &value->items[i]);
        }
        add_text(out, value->length ? "]" : "[]");
        break;
    case DINO_MAP:
        for (size_t i = 0; i < value->length; i++) {
            add_text(out, i ? ",\"" : "{\"");
            add_text(out, value->pairs[i].key);
            add_text(out, "\":");
            add_json(out, &value->pairs[i].value);
        }
        add_text(out, value->length ? "}" : "{}");
    }
}

// Hearing.

static dino_pool scratch;

static session *listen(void) {
    session *self = checked(calloc(1, sizeof *self));
    self->in = checked(malloc(HEADER + MOST_BYTES));
    return self;
}

static void hang_up(session *self) {
    free(self->in);
    free(self);
}

static void arrive(session *self, const char *bytes, size_t length) {
    memcpy(self->in + self->to, bytes, length);
    self->to += length;
}

// All messages that are there, as JSON lines.
static void hear_all(session *self, text *heard) {
    size_t length;
    while (look(self, &length) == WHOLE) {
        dino_value value;
        const uint8_t *payload = self->in + self->from + HEADER;
        self->from += HEADER + length;
        CHECK(decode(payload, length, &scratch, &value));
        add_json(heard, &value);
        add_text(heard, "\n");
    }
}

static const char *const FROM_ARENA[] = {"welcome", "start", "decide", "decide-last", "end", "end-void", "bye"};
enum { FROM_ARENA_COUNT = sizeof FROM_ARENA / sizeof *FROM_ARENA };

static void test_each_message_is_read_whole_byte_by_byte_and_merged(void) {
    static text expected, whole, bytewise, merged;
    session *pieces = listen(), *bytes = listen(), *all = listen();
    for (size_t i = 0; i < FROM_ARENA_COUNT; i++) {
        vector *vector = vector_named(FROM_ARENA[i]);
        add(&expected, vector->json.bytes, vector->json.length);
        arrive(pieces, vector->frame.bytes, vector->frame.length);
        hear_all(pieces, &whole);
        for (size_t at = 0; at < vector->frame.length; at++) {
            arrive(bytes, vector->frame.bytes + at, 1);
            hear_all(bytes, &bytewise);
        }
        arrive(all, vector->frame.bytes, vector->frame.length);
        free(vector);
    }
    hear_all(all, &merged);
    CHECK(!strcmp(whole.bytes, expected.bytes));
    CHECK(!strcmp(bytewise.bytes, expected.bytes));
    CHECK(!strcmp(merged.bytes, expected.bytes));
    hang_up(pieces);
    hang_up(bytes);
    hang_up(all);
}

static void test_a_length_above_1_mib_is_refused(void) {
    session *self = listen();
    size_t length;
    arrive(self, "\x00\x10\x00\x01", HEADER);
    CHECK(look(self, &length) == TOO_LONG);
    self->in[3] = 0;
    CHECK(look(self, &length) == PARTIAL);
    hang_up(self);
}

// Decodes the payload of a vector.
static dino_value message_of(const vector *vector) {
    dino_value value = {0};
    CHECK(decode((const uint8_t *)vector->frame.bytes + HEADER, vector->frame.length - HEADER, &scratch, &value));
    return value;
}

static void test_start_has_its_fields(void) {
    vector *vector = vector_named("start");
    dino_value message = message_of(vector);
    const dino_start *start = read_start(&message, &scratch);
    CHECK(start && !strcmp(start->game, "draftosaurus") && start->seat == 1 && start->seats == 2);
    CHECK(start && start->bot_seed == INT64_MAX && !strcmp(start->players.items[1], "greedy"));
    CHECK(start && start->prepare_ms == 2000 && start->clock.bank_ms == 10000);
    CHECK(start && !strcmp(dino_text(dino_get(start->options, "season")), "winter"));
    free(vector);
}

static void test_question_has_its_fields(void) {
    vector *vector = vector_named("decide-last");
    dino_value message = message_of(vector);
    const dino_question *question = read_question(&message, &scratch);
    CHECK(question && question->id == 2 && question->legal.count == 4 && !strcmp(question->legal.items[3], "D@RV"));
    CHECK(question && question->last && question->last->used_ms == 150 && !question->last->reason);
    CHECK(question && !dino_draftosaurus(question) && !dino_dinodocus(question)); // its view is shortened
    free(vector);
}

static bool decodes(const char *bytes, size_t length) {
    uint8_t *exact = checked(malloc(length + !length)); // so that a sanitizer sees a read beyond it
    memcpy(exact, bytes, length);
    dino_value value;
    const bool good = decode(exact, length, &scratch, &value);
    free(exact);
    return good;
}

static void test_unknown_fields_are_ignored(void) {
    vector *vector = vector_named("decide");
    dino_value message = message_of(vector);
    dino_pair *pairs = checked(malloc((message.length + 1) * sizeof *pairs));
    memcpy(pairs, message.pairs, message.length * sizeof *pairs);
    pairs[message.length++] = (dino_pair){"mood", {.kind = DINO_NULL}};
    message.pairs = pairs;
    const dino_question *question = read_question(&message, &scratch);
    CHECK(question && question->id == 1 && !question->last && question->events->length == 2);
    free(pairs);
    free(vector);
}

static void test_what_is_not_one_value_is_refused(void) {
    char nested[MOST_DEPTH + 1];
    memset(nested, '\x91', MOST_DEPTH);
    nested[MOST_DEPTH - 1] = '\x90';
    CHECK(decodes(nested, MOST_DEPTH));
    nested[MOST_DEPTH - 1] = '\x91';
    nested[MOST_DEPTH] = '\x90';
    CHECK(!decodes(nested, MOST_DEPTH + 1));
    CHECK(!decodes("", 0));
    CHECK(!decodes("\x80\x80", 2));
    CHECK(!decodes("\xc1", 1));
    CHECK(!decodes("\x81\x01\x02", 3));
    CHECK(!decodes("\xdd\xff\xff\xff\xff\x01", 6));
    CHECK(!decodes("\xdb\xff\xff\xff\xff\x01", 6));
    CHECK(!decodes("\xa2\xff\xfe", 3));
    CHECK(decodes("\xa4\xf0\x9f\xa6\x95", 5));
    CHECK(!decodes("\xa3\xed\xa0\x80", 4)); // half a character
    CHECK(!decodes("\xa2\xc0\x80", 3));     // longer than needed
    CHECK(!decodes("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9));
    CHECK(decodes("\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 9));
    CHECK(!decodes("\xc4\x01x", 3));
}

// Every cut and many random changes of every vector: nothing may be read beyond the end.
static void test_broken_messages_do_no_harm(void) {
    unsigned random = 1;
    for (size_t i = 0; i < FROM_ARENA_COUNT; i++) {
        vector *vector = vector_named(FROM_ARENA[i]);
        char *payload = vector->frame.bytes + HEADER;
        const size_t length = vector->frame.length - HEADER;
        for (size_t cut = 0; cut < length; cut++)
            CHECK(!decodes(payload, cut));
        for (int change = 0; change < 2000; change++) {
            random = random * 1664525 + 1013904223;
            char *byte = &payload[random / 65536 % length];
            const char before = *byte;
            *byte = (char)(random >> 8);
            decodes(payload, length);
            if (change % 4) *byte = before;
            pool_empty(&scratch);
        }
        free(vector);
    }
}

// Writing.

static bool equals(const frame *written, const char *name) {
    vector *vector = vector_named(name);
    const bool same =
        written->length == vector->frame.length && !memcmp(written->bytes, vector->frame.bytes, written->length);
    free(vector);
    return same;
}

static void test_each_message_is_written_as_in_its_vector(void) {
    frame out = {0};
    write_hello(&out, "greedy", "1.2.0", DINO_GAMES("draftosaurus"));
    CHECK(equals(&out, "hello"));
    write_ready(&out);
    CHECK(equals(&out, "ready"));
    write_move(&out, 1, "D", NULL);
    CHECK(equals(&out, "move"));
    write_move(&out, 1, "D", "zwölf Dinosaurier 🦕");
    CHECK(equals(&out, "move-note"));
    free(out.bytes);
}

static void test_a_long_note_is_cut_by_characters(void) {
    vector *vector = vector_named("move-long-note");
    dino_value sent = message_of(vector), message;
    const char *note = dino_text(dino_get(&sent, "note"));
    frame out = {0};
    write_move(&out, 1, "D", note);
    CHECK(decode(out.bytes + HEADER, out.length - HEADER, &scratch, &message));
    const dino_value *cut = dino_get(&message, "note");
    CHECK(cut && cut->length == MOST_NOTE && !strncmp(cut->text, note, MOST_NOTE));
    CHECK(note_length("äöü") == strlen("äöü"));
    free(out.bytes);
    free(vector);
}

int main(void) {
    test_each_message_is_read_whole_byte_by_byte_and_merged();
    test_a_length_above_1_mib_is_refused();
    test_start_has_its_fields();
    test_question_has_its_fields();
    test_unknown_fields_are_ignored();
    test_what_is_not_one_value_is_refused();
    test_broken_messages_do_no_harm();
    test_each_message_is_written_as_in_its_vector();
    test_a_long_note_is_cut_by_characters();
    free_blocks(scratch.newest);
    puts(failures ? "FAILED" : "ok: 9 tests");
    return failures ? 1 : 0;
}
