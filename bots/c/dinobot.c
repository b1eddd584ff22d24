// How it works. One loop cuts frames from what was read, decodes each into a tree of values in a pool, and
// hands it to the function that the table HEARD has for its type. A pool is memory that is emptied all at once:
// `message` before every message, `match` after the match. A decision costs one read, one write and, once the
// pools have grown to their size, no call of malloc.
//
// The reader trusts nothing. Every value takes at least one byte, so a container that promises more values than
// there are bytes left is refused before memory is asked for, and depth is bounded.
#define _XOPEN_SOURCE 700

#include "dinobot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined __has_include && !defined __SANITIZE_ADDRESS__ // a sanitizer prints a better stack
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAS_STACK 1
#endif
#endif

enum {
    REVISION = 1,
    HEADER = 4,
    MOST_BYTES = 1 << 20,
    MOST_DEPTH = 32,
    MOST_NOTE = 1024,
    FIRST_BLOCK = 1 << 16,
};

static void *checked(void *memory) {
    if (!memory) {
        fputs("dinobot: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

// Pools.

typedef struct block {
    struct block *older;
    size_t size, used;
    max_align_t memory[];
} block;

struct dino_pool {
    block *newest; // and the largest
};

static void pool_grow(dino_pool *pool, size_t least) {
    size_t size = pool->newest ? 2 * pool->newest->size : FIRST_BLOCK;
    if (size < least) size = least;
    block *fresh = checked(malloc(sizeof *fresh + size));
    *fresh = (block){.older = pool->newest, .size = size};
    pool->newest = fresh;
}

// Memory at a multiple of `alignment`; the contents are arbitrary.
static void *take_aligned(dino_pool *pool, size_t size, size_t alignment) {
    block *newest = pool->newest;
    size_t at = newest ? (newest->used + alignment - 1) / alignment * alignment : 0;
    if (!newest || at > newest->size || newest->size - at < size) {
        pool_grow(pool, size);
        newest = pool->newest;
        at = 0;
    }
    newest->used = at + size;
    return (char *)newest->memory + at;
}

static void *pool_take(dino_pool *pool, size_t size) { return take_aligned(pool, size, _Alignof(max_align_t)); }

static void free_blocks(block *newest) {
    while (newest) {
        block *older = newest->older;
        free(newest);
        newest = older;
    }
}

static void pool_empty(dino_pool *pool) {
    if (!pool->newest) return;
    free_blocks(pool->newest->older);
    pool->newest->older = NULL;
    pool->newest->used = 0;
}

void *dino_pool_alloc(dino_pool *pool, size_t size) { return memset(pool_take(pool, size), 0, size); }

void *dino_alloc(const dino_question *question, size_t size) { return dino_pool_alloc(question->pool, size); }

void *dino_keep(const dino_start *start, size_t size) { return dino_pool_alloc(start->pool, size); }

// Values.

const dino_value *dino_get(const dino_value *map, const char *key) {
    for (size_t i = 0; map && map->kind == DINO_MAP && i < map->length; i++)
        if (!strcmp(map->pairs[i].key, key)) return &map->pairs[i].value;
    return NULL;
}

const dino_value *dino_at(const dino_value *array, size_t index) {
    return array && array->kind == DINO_ARRAY && index < array->length ? &array->items[index] : NULL;
}

const char *dino_text(const dino_value *value) { return value && value->kind == DINO_TEXT ? value->text : NULL; }

int64_t dino_integer(const dino_value *value, int64_t otherwise) {
    return value && value->kind == DINO_INTEGER ? value->integer : otherwise;
}

double dino_number(const dino_value *value, double otherwise) {
    if (value && value->kind == DINO_INTEGER) return (double)value->integer;
    return value && value->kind == DINO_FLOAT ? value->number : otherwise;
}

bool dino_true(const dino_value *value) { return value && value->kind == DINO_BOOLEAN && value->boolean; }

// Reading MessagePack.

typedef struct reader {
    const uint8_t *at, *end;
    uint64_t owed; // values that open containers still promise
    int depth;
    dino_pool *pool;
} reader;

static bool read_value(reader *in, dino_value *value);

static size_t bytes_left(const reader *in) { return (size_t)(in->end - in->at); }

static bool read_number(reader *in, size_t width, uint64_t *number) {
    if (bytes_left(in) < width) return false;
    *number = 0;
    for (size_t i = 0; i < width; i++)
        *number = *number << 8 | *in->at++;
    return true;
}

static bool read_unsigned(reader *in, size_t width, dino_value *value) {
    uint64_t number;
    if (!read_number(in, width, &number) || number > INT64_MAX) return false;
    *value = (dino_value){.kind = DINO_INTEGER, .integer = (int64_t)number};
    return true;
}

static bool read_signed(reader *in, size_t width, dino_value *value) {
    uint64_t number;
    if (!read_number(in, width, &number)) return false;
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    int64_t integer = number & sign ? -(int64_t)(sign - 1 - (number & (sign - 1))) - 1 : (int64_t)number;
    *value = (dino_value){.kind = DINO_INTEGER, .integer = integer};
    return true;
}

static bool read_float(reader *in, size_t width, dino_value *value) {
    uint64_t bits;
    if (!read_number(in, width, &bits)) return false;
    *value = (dino_value){.kind = DINO_FLOAT};
    if (width == sizeof(double)) {
        memcpy(&value->number, &bits, sizeof(double));
        return true;
    }
    uint32_t half = (uint32_t)bits;
    float single;
    memcpy(&single, &half, sizeof single);
    value->number = single;
    return true;
}

// How many bytes a character takes by its first byte; 0 if none begins so.
static size_t utf8_length(uint8_t first) {
    if (first < 0x80) return 1;
    if (first >> 5 == 0x06) return 2;
    if (first >> 4 == 0x0e) return 3;
    return first >> 3 == 0x1e ? 4 : 0;
}

// How many bytes the character at the front takes; 0 if it is not UTF-8.
static size_t utf8_character(const uint8_t *at, size_t left) {
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000}; // by length: below, a shorter form would do
    const size_t length = utf8_length(*at);
    if (length <= 1 || length > left) return length == 1;
    uint32_t code = *at & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (at[i] >> 6 != 2) return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < LEAST[length] || code > 0x10ffff || surrogate ? 0 : length;
}

static bool is_utf8(const uint8_t *at, size_t left) {
    while (left > 0) {
        size_t length = utf8_character(at, left);
        if (length == 0) return false;
        at += length;
        left -= length;
    }
    return true;
}

static bool read_text(reader *in, uint64_t length, dino_value *value) {
    if (length > bytes_left(in) || !is_utf8(in->at, length)) return false;
    char *text = take_aligned(in->pool, length + 1, 1);
    memcpy(text, in->at, length);
    text[length] = '\0';
    in->at += length;
    *value = (dino_value){.kind = DINO_TEXT, .length = (uint32_t)length, .text = text};
    return true;
}

// Whether a container with so many values can be opened here.
static bool open_container(reader *in, uint64_t values) {
    in->owed += values;
    return ++in->depth <= MOST_DEPTH && in->owed <= bytes_left(in);
}

static bool read_item(reader *in, dino_value *value) {
    in->owed--;
    return read_value(in, value);
}

static bool read_array(reader *in, uint64_t length, dino_value *value) {
    if (!open_container(in, length)) return false;
    dino_value *items = pool_take(in->pool, length * sizeof *items);
    for (size_t i = 0; i < length; i++)
        if (!read_item(in, &items[i])) return false;
    in->depth--;
    *value = (dino_value){.kind = DINO_ARRAY, .length = (uint32_t)length, .items = items};
    return true;
}

static bool read_map(reader *in, uint64_t length, dino_value *value) {
    if (!open_container(in, 2 * length)) return false;
    dino_pair *pairs = pool_take(in->pool, length * sizeof *pairs);
    for (size_t i = 0; i < length; i++) {
        dino_value key;
        if (!read_item(in, &key) || key.kind != DINO_TEXT || !read_item(in, &pairs[i].value)) return false;
        pairs[i].key = key.text;
    }
    in->depth--;
    *value = (dino_value){.kind = DINO_MAP, .length = (uint32_t)length, .pairs = pairs};
    return true;
}

// A text, array or map whose length stands in so many bytes.
static bool read_long(reader *in, bool (*read)(reader *, uint64_t, dino_value *), size_t width, dino_value *value) {
    uint64_t length;
    return read_number(in, width, &length) && read(in, length, value);
}

static bool read_tagged(reader *in, uint8_t tag, dino_value *value) {
    switch (tag) {
    case 0xc0:
        *value = (dino_value){.kind = DINO_NULL};
        return true;
    case 0xc2:
    case 0xc3:
        *value = (dino_value){.kind = DINO_BOOLEAN, .boolean = tag == 0xc3};
        return true;
    case 0xca:
    case 0xcb:
        return read_float(in, tag == 0xca ? 4 : 8, value);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        return read_unsigned(in, (size_t)1 << (tag - 0xcc), value);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return read_signed(in, (size_t)1 << (tag - 0xd0), value);
    case 0xd9:
    case 0xda:
    case 0xdb:
        return read_long(in, read_text, (size_t)1 << (tag - 0xd9), value);
    case 0xdc:
    case 0xdd:
        return read_long(in, read_array, tag == 0xdc ? 2 : 4, value);
    case 0xde:
    case 0xdf:
        return read_long(in, read_map, tag == 0xde ? 2 : 4, value);
    default:
        return false; // binary data and extensions, which the protocol does not have
    }
}

static bool read_value(reader *in, dino_value *value) {
    if (in->at == in->end) return false;
    uint8_t tag = *in->at++;
    if (tag < 0x80 || tag >= 0xe0) {
        *value = (dino_value){.kind = DINO_INTEGER, .integer = tag < 0x80 ? tag : tag - 0x100};
        return true;
    }
    if (tag < 0x90) return read_map(in, tag & 0x0f, value);
    if (tag < 0xa0) return read_array(in, tag & 0x0f, value);
    if (tag < 0xc0) return read_text(in, tag & 0x1f, value);
    return read_tagged(in, tag, value);
}

// Whether these bytes are exactly one value.
static bool decode(const uint8_t *bytes, size_t length, dino_pool *pool, dino_value *value) {
    reader in = {.at = bytes, .end = bytes + length, .pool = pool};
    return read_value(&in, value) && in.at == in.end;
}

// Writing MessagePack.

typedef struct frame {
    uint8_t *bytes;
    size_t length, capacity;
} frame;

static void put_bytes(frame *out, const void *bytes, size_t length) {
    if (out->capacity - out->length < length) {
        out->capacity = 2 * (out->capacity + length);
        out->bytes = checked(realloc(out->bytes, out->capacity));
    }
    memcpy(out->bytes + out->length, bytes, length);
    out->length += length;
}

// A tag and the number behind it.
static void put_tagged(frame *out, unsigned tag, uint64_t number, size_t width) {
    uint8_t bytes[9] = {(uint8_t)tag};
    for (size_t i = width; i > 0; i--, number >>= 8)
        bytes[i] = (uint8_t)number;
    put_bytes(out, bytes, 1 + width);
}

static void put_whole(frame *out, uint64_t number) {
    if (number < 0x80)
        put_tagged(out, (unsigned)number, 0, 0);
    else if (number <= UINT8_MAX)
        put_tagged(out, 0xcc, number, 1);
    else if (number <= UINT16_MAX)
        put_tagged(out, 0xcd, number, 2);
    else if (number <= UINT32_MAX)
        put_tagged(out, 0xce, number, 4);
    else
        put_tagged(out, 0xcf, number, 8);
}

static void put_part(frame *out, const char *text, size_t length) {
    if (length < 32)
        put_tagged(out, 0xa0 | (unsigned)length, 0, 0);
    else if (length <= UINT8_MAX)
        put_tagged(out, 0xd9, length, 1);
    else if (length <= UINT16_MAX)
        put_tagged(out, 0xda, length, 2);
    else
        put_tagged(out, 0xdb, length, 4);
    put_bytes(out, text, length);
}

static void put_text(frame *out, const char *text) { put_part(out, text, strlen(text)); }

static void put_texts(frame *out, const char *const *texts) {
    size_t count = 0;
    while (texts[count])
        count++;
    if (count < 16)
        put_tagged(out, 0x90 | (unsigned)count, 0, 0);
    else
        put_tagged(out, 0xdc, count, 2);
    for (size_t i = 0; i < count; i++)
        put_text(out, texts[i]);
}

// Begins a message: room for the length, and a map of so many fields, the type first.
static void begin(frame *out, const char *type, unsigned fields) {
    out->length = 0;
    put_bytes(out, (const uint8_t[HEADER]){0}, HEADER);
    put_tagged(out, 0x80 | fields, 0, 0);
    put_text(out, "type");
    put_text(out, type);
}

static void finish(frame *out) {
    size_t length = out->length - HEADER;
    for (size_t i = HEADER; i > 0; i--, length >>= 8)
        out->bytes[i - 1] = (uint8_t)length;
}

static void write_hello(frame *out, const char *name, const char *version, const char *const *games) {
    begin(out, "hello", 5);
    put_text(out, "protocol");
    put_whole(out, REVISION);
    put_text(out, "name");
    put_text(out, name);
    put_text(out, "version");
    put_text(out, version);
    put_text(out, "games");
    put_texts(out, games);
    finish(out);
}

static void write_ready(frame *out) {
    begin(out, "ready", 1);
    finish(out);
}

// The bytes of the first MOST_NOTE characters.
static size_t note_length(const char *note) {
    size_t length = 0;
    for (int characters = 0; note[length]; length++) {
        bool begins = ((unsigned char)note[length] & 0xc0) != 0x80;
        if (begins && characters++ == MOST_NOTE) break;
    }
    return length;
}

static void write_move(frame *out, int64_t id, const char *action, const char *note) {
    begin(out, "move", note && *note ? 4 : 3);
    put_text(out, "id");
    put_whole(out, (uint64_t)id);
    put_text(out, "action");
    put_text(out, action);
    if (note && *note) {
        put_text(out, "note");
        put_part(out, note, note_length(note));
    }
    finish(out);
}

// Fields.

const dino_value *dino_take(dino_fields *fields, const char *key, dino_kind kind) {
    const dino_value *value = dino_get(fields->map, key);
    if (value && value->kind == kind) return value;
    if (!fields->wrong) fields->wrong = key;
    return NULL;
}

static bool is_null(const dino_fields *fields, const char *key) {
    const dino_value *value = dino_get(fields->map, key);
    return !value || value->kind == DINO_NULL;
}

const char *dino_take_text(dino_fields *fields, const char *key) {
    const dino_value *value = dino_take(fields, key, DINO_TEXT);
    return value ? value->text : "";
}

const char *dino_take_text_or_null(dino_fields *fields, const char *key) {
    return is_null(fields, key) ? NULL : dino_take_text(fields, key);
}

static int64_t take_up_to(dino_fields *fields, const char *key, int64_t most) {
    const dino_value *value = dino_take(fields, key, DINO_INTEGER);
    if (value && value->integer >= 0 && value->integer <= most) return value->integer;
    if (!fields->wrong) fields->wrong = key;
    return 0;
}

int64_t dino_take_whole(dino_fields *fields, const char *key) { return take_up_to(fields, key, INT64_MAX); }

int dino_take_int(dino_fields *fields, const char *key) { return (int)take_up_to(fields, key, INT_MAX); }

int dino_take_int_or_null(dino_fields *fields, const char *key) {
    return is_null(fields, key) ? -1 : dino_take_int(fields, key);
}

bool dino_take_boolean(dino_fields *fields, const char *key) { return dino_true(dino_take(fields, key, DINO_BOOLEAN)); }

dino_texts dino_take_texts(dino_fields *fields, const char *key) {
    const dino_value *array = dino_take(fields, key, DINO_ARRAY);
    size_t count = array ? array->length : 0;
    const char **items = pool_take(fields->pool, (count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        items[i] = dino_text(&array->items[i]);
        if (!items[i] && !fields->wrong) fields->wrong = key;
    }
    items[count] = NULL;
    return (dino_texts){.count = count, .items = items};
}

// The conversation.

typedef struct session {
    int out;
    uint8_t *in;      // HEADER + MOST_BYTES of them; pages that are never used cost nothing
    size_t from, to;  // what of `in` is read but not heard yet
    frame frame;      // the message that is being written
    dino_pool *match; // holds the start message, and what the player keeps
    dino_pool *message;
    dino_player player;
    void *current; // the player of this match
    bool seated;   // whether there is a match
} session;

typedef enum verdict { GO_ON, HUNG_UP, FAILED } verdict;

static verdict fail(const char *what, const char *detail) {
    fprintf(stderr, "dinobot: %s%s\n", what, detail);
    return FAILED;
}

static verdict send_frame(session *self) {
    const uint8_t *at = self->frame.bytes;
    size_t left = self->frame.length;
    while (left > 0) {
        ssize_t written = write(self->out, at, left);
        if (written < 0 && errno == EPIPE) return HUNG_UP;
        if (written < 0 && errno != EINTR) return fail("cannot write to the arena: ", strerror(errno));
        if (written > 0) {
            at += written;
            left -= (size_t)written;
        }
    }
    return GO_ON;
}

static verdict hear_welcome(session *self, const dino_value *message) {
    (void)self;
    if (dino_integer(dino_get(message, "protocol"), 0) != REVISION)
        return fail("the arena speaks another revision of the protocol", "");
    return GO_ON;
}

static void leave(session *self) {
    if (self->seated && self->player.end) self->player.end(self->current);
    self->seated = false;
}

static dino_clock take_clock(dino_fields *fields) {
    dino_fields clock = {.map = dino_take(fields, "clock", DINO_MAP)};
    dino_clock read = {dino_take_whole(&clock, "bank_ms"), dino_take_whole(&clock, "increment_ms")};
    if (!fields->wrong) fields->wrong = clock.wrong;
    return read;
}

static int64_t take_prepare_ms(dino_fields *fields) {
    dino_fields clock = {.map = dino_get(fields->map, "clock")};
    const int64_t prepare_ms = dino_take_whole(&clock, "prepare_ms");
    if (!fields->wrong) fields->wrong = clock.wrong;
    return prepare_ms;
}

// NULL, with words on stderr, if a field is missing or of another kind.
static const dino_start *read_start(const dino_value *message, dino_pool *pool) {
    dino_start *start = dino_pool_alloc(pool, sizeof *start);
    dino_fields fields = {.map = message, .pool = pool};
    *start = (dino_start){
        .match = dino_take_text(&fields, "match"),
        .game = dino_take_text(&fields, "game"),
        .edition = dino_take_whole(&fields, "edition"),
        .options = dino_take(&fields, "options", DINO_MAP),
        .seat = dino_take_int(&fields, "seat"),
        .seats = dino_take_int(&fields, "seats"),
        .players = dino_take_texts(&fields, "players"),
        .prepare_ms = take_prepare_ms(&fields),
        .clock = take_clock(&fields),
        .bot_seed = dino_take_whole(&fields, "bot_seed"),
        .pool = pool,
    };
    if (fields.wrong) fail("a start without a good field ", fields.wrong);
    return fields.wrong ? NULL : start;
}

static verdict hear_start(session *self, const dino_value *message) {
    leave(self);
    dino_pool *keep = self->message; // the message is in it, so it becomes that of the match
    self->message = self->match;
    self->match = keep;
    const dino_start *start = read_start(message, self->match);
    if (!start) return FAILED;
    self->current = self->player.start ? self->player.start(start) : NULL;
    self->seated = true;
    write_ready(&self->frame);
    return send_frame(self);
}

static const dino_last *read_last(dino_fields *fields) {
    if (is_null(fields, "last")) return NULL;
    dino_last *last = dino_pool_alloc(fields->pool, sizeof *last);
    dino_fields inner = {.map = dino_take(fields, "last", DINO_MAP)};
    *last = (dino_last){
        .id = dino_take_whole(&inner, "id"),
        .status = dino_take_text(&inner, "status"),
        .played = dino_take_text(&inner, "played"),
        .used_ms = dino_take_whole(&inner, "used_ms"),
        .reason = dino_take_text_or_null(&inner, "reason"),
    };
    if (!fields->wrong) fields->wrong = inner.wrong;
    return last;
}

// NULL, with words on stderr, if a field is missing or of another kind.
static dino_question *read_question(const dino_value *message, dino_pool *pool) {
    dino_question *question = dino_pool_alloc(pool, sizeof *question);
    dino_fields fields = {.map = message, .pool = pool};
    *question = (dino_question){
        .id = dino_take_whole(&fields, "id"),
        .phase = dino_take_text(&fields, "phase"),
        .view = dino_take(&fields, "view", DINO_MAP),
        .legal = dino_take_texts(&fields, "legal"),
        .events = dino_take(&fields, "events", DINO_ARRAY),
        .clock = take_clock(&fields),
        .last = read_last(&fields),
        .pool = pool,
    };
    if (!fields.wrong && question->legal.count == 0) fields.wrong = "legal";
    if (fields.wrong) fail("a decide without a good field ", fields.wrong);
    return fields.wrong ? NULL : question;
}

void dino_note(const dino_question *question, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *note = dino_alloc(question, length < 0 ? 1 : (size_t)length + 1);
    if (length > 0) vsnprintf(note, (size_t)length + 1, format, again);
    *question->note = note;
    va_end(again);
    va_end(arguments);
}

typedef enum front { PARTIAL, WHOLE, TOO_LONG } front;

// What stands at the front of the bytes that are not heard yet, and how long its payload is.
static front look(const session *self, size_t *length) {
    if (self->to - self->from < HEADER) return PARTIAL;
    const uint8_t *header = self->in + self->from;
    *length = (size_t)header[0] << 24 | (size_t)header[1] << 16 | (size_t)header[2] << 8 | header[3];
    if (*length > MOST_BYTES) return TOO_LONG;
    return self->to - self->from - HEADER < *length ? PARTIAL : WHOLE;
}

static verdict hear_decide(session *self, const dino_value *message) {
    size_t behind;
    if (look(self, &behind) != PARTIAL) return GO_ON; // whatever follows a question withdraws it
    if (!self->seated) return fail("a decide outside of a match", "");
    dino_question *question = read_question(message, self->message);
    if (!question) return FAILED;
    const char *note = NULL;
    question->note = &note;
    const char *action = self->player.decide(self->current, question);
    if (!action) return fail("decide() returned NULL instead of an action, in phase ", question->phase);
    write_move(&self->frame, question->id, action, note);
    return send_frame(self);
}

static verdict hear_end(session *self, const dino_value *message) {
    (void)message;
    leave(self);
    return GO_ON;
}

static verdict hear_bye(session *self, const dino_value *message) {
    (void)self;
    (void)message;
    return HUNG_UP;
}

static const struct {
    const char *type;
    verdict (*hear)(session *, const dino_value *);
} HEARD[] = {
    {"decide", hear_decide}, {"start", hear_start}, {"end", hear_end}, {"welcome", hear_welcome}, {"bye", hear_bye},
};

// Takes the message at the front, whose payload is so long, and does what it asks for.
static verdict hear(session *self, size_t length) {
    const uint8_t *payload = self->in + self->from + HEADER;
    self->from += HEADER + length;
    pool_empty(self->message);
    dino_value message;
    if (!decode(payload, length, self->message, &message))
        return fail("a frame that does not hold one MessagePack value of the protocol", "");
    const char *type = dino_text(dino_get(&message, "type"));
    for (size_t i = 0; type && i < sizeof HEARD / sizeof *HEARD; i++)
        if (!strcmp(HEARD[i].type, type)) return HEARD[i].hear(self, &message);
    return fail("an unknown message: ", type ? type : "it has no type");
}

// Reads what is there, behind what is left of the last read.
static verdict fill(session *self) {
    memmove(self->in, self->in + self->from, self->to - self->from);
    self->to -= self->from;
    self->from = 0;
    ssize_t length;
    do
        length = read(STDIN_FILENO, self->in + self->to, HEADER + MOST_BYTES - self->to);
    while (length < 0 && errno == EINTR);
    if (length < 0) return fail("cannot read from the arena: ", strerror(errno));
    self->to += (size_t)length;
    return length > 0 ? GO_ON : HUNG_UP;
}

static verdict step(session *self) {
    size_t length;
    switch (look(self, &length)) {
    case WHOLE:
        return hear(self, length);
    case TOO_LONG:
        return fail("a message of more than 1 MiB", "");
    default:
        return fill(self);
    }
}

// The real stdout, for messages only: whatever is printed from here on goes to stderr. -1 if that fails.
static int take_stdout(void) {
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return -1;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    return out;
}

// Stacks. Where the bot is when it crashes, and when it hangs and the arena sends SIGQUIT.

#ifdef HAS_STACK
static void print_stack(int number) {
    static const char CRASHED[] = "dinobot: a signal ends the bot. Its stack, innermost first:\n";
    static const char ASKED[] = "dinobot: the arena waits, and asks where the bot is (SIGQUIT). Its stack, innermost first:\n";
    void *places[24];
    if (number == SIGQUIT ? write(STDERR_FILENO, ASKED, sizeof ASKED - 1) : write(STDERR_FILENO, CRASHED, sizeof CRASHED - 1))
        backtrace_symbols_fd(places, backtrace(places, sizeof places / sizeof *places), STDERR_FILENO);
    raise(number); // whose action is the usual one again
}

static void print_stacks(void) {
    static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};
    static char spare[1 << 16]; // for a stack that has overflowed
    void *here;
    backtrace(&here, 1); // loads what it needs, which a handler must not
    sigaltstack(&(stack_t){.ss_sp = spare, .ss_size = sizeof spare}, NULL);
    struct sigaction action = {.sa_handler = print_stack, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_NODEFER};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++)
        sigaction(SIGNALS[i], &action, NULL);
}
#else
static void print_stacks(void) {}
#endif

int dino_run(const char *name, const char *version, const char *const *games, dino_player player) {
    dino_pool match = {0}, message = {0};
    session self = {.out = take_stdout(), .match = &match, .message = &message, .player = player};
    if (self.out < 0) return fail("cannot point stdout to stderr: ", strerror(errno)), 1;
    signal(SIGPIPE, SIG_IGN); // a closed pipe is told by write
    print_stacks();
    self.in = checked(malloc(HEADER + MOST_BYTES));
    write_hello(&self.frame, name, version, games);
    verdict verdict = send_frame(&self);
    while (verdict == GO_ON)
        verdict = step(&self);
    leave(&self);
    free_blocks(match.newest);
    free_blocks(message.newest);
    free(self.frame.bytes);
    free(self.in);
    return verdict == HUNG_UP ? 0 : 1;
}
