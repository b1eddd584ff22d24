// A bot's side of the arena's protocol, in C11 on POSIX. Keep dinobot.h and dinobot.c next to your bot.
//
//     static const char *decide(void *player, const dino_question *question)
//     {
//         return question->legal.items[0];
//     }
//
//     int main(void)
//     {
//         return dino_run("first", "1.0", DINO_GAMES("draftosaurus"), (dino_player){.decide = decide});
//     }
//
// Memory: what a question holds lives until `decide` returns, what a start holds lives until the match ends.
// The SDK frees both. Print as you like: it goes to stderr.
#ifndef DINOBOT_H
#define DINOBOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Values: what messages are made of.

typedef enum dino_kind { DINO_NULL, DINO_BOOLEAN, DINO_INTEGER, DINO_FLOAT, DINO_TEXT, DINO_ARRAY, DINO_MAP } dino_kind;

typedef struct dino_value {
    dino_kind kind;
    uint32_t length; // bytes of a text, items of an array, pairs of a map
    union {
        bool boolean;
        int64_t integer;
        double number;
        const char *text; // UTF-8, with a zero behind it
        const struct dino_value *items;
        const struct dino_pair *pairs;
    };
} dino_value;

typedef struct dino_pair {
    const char *key;
    dino_value value;
} dino_pair;

// All of these take NULL and values of another kind, so they can be nested: dino_text(dino_get(event, "die")).
const dino_value *dino_get(const dino_value *map, const char *key); // NULL if there is none
const dino_value *dino_at(const dino_value *array, size_t index);   // NULL if there is none
const char *dino_text(const dino_value *value);                     // NULL if it is no text
int64_t dino_integer(const dino_value *value, int64_t otherwise);
double dino_number(const dino_value *value, double otherwise); // of an integer or a float
bool dino_true(const dino_value *value);

// A list of texts. Where the game says so, an item may be NULL.
typedef struct dino_texts {
    size_t count;
    const char *const *items;
} dino_texts;

// Messages.

typedef struct dino_pool dino_pool;

typedef struct dino_clock {
    int64_t bank_ms;
    int64_t increment_ms;
} dino_clock;

// A match begins.
typedef struct dino_start {
    const char *match;
    const char *game;
    int64_t edition;
    const dino_value *options; // a map of those that differ from their defaults
    int seat;
    int seats;
    dino_texts players; // by seat
    int64_t prepare_ms;
    dino_clock clock;
    int64_t bot_seed;
    dino_pool *pool; // for dino_keep
} dino_start;

// What became of the previous answer.
typedef struct dino_last {
    int64_t id;
    const char *status; // accepted, late, illegal or malformed
    const char *played;
    int64_t used_ms;
    const char *reason; // NULL if accepted
} dino_last;

// Which of the legal actions?
typedef struct dino_question {
    int64_t id;
    const char *phase;
    const dino_value *view;   // a map; views.h has structs for it
    dino_texts legal;         // at least one
    const dino_value *events; // an array of maps: what the seat saw since the last question
    dino_clock clock;
    const dino_last *last; // NULL in the first question of a match
    dino_pool *pool;       // for dino_alloc and views
    const char **note;     // for dino_note
} dino_question;

// Memory, all zero, that is freed after the decision.
void *dino_alloc(const dino_question *question, size_t size);

// Memory, all zero, that is freed after the match.
void *dino_keep(const dino_start *start, size_t size);

#if defined(__GNUC__)
#define DINO_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define DINO_PRINTF
#endif

// Sends a note with the answer, for the record of the match; at most 1024 characters are kept.
void dino_note(const dino_question *question, const char *format, ...) DINO_PRINTF;

// What plays a match. Only `decide` is required.
typedef struct dino_player {
    void *(*start)(const dino_start *start); // makes the player of a match; dino_keep has memory for it
    const char *(*decide)(void *player, const dino_question *question); // an action of `legal`
    void (*end)(void *player);                                          // frees what `start` got elsewhere
} dino_player;

#define DINO_GAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

// Plays all matches that the arena starts, until it says bye or hangs up. Returns the exit status of the bot.
int dino_run(const char *name, const char *version, const char *const *games, dino_player player);

// Fields: for structs of your own, as in views.c.
//
// Takes the fields of a map one by one. A required one that is absent or of another kind is remembered in
// `wrong`, and something harmless returned, so that one look at `wrong` in the end is enough.
typedef struct dino_fields {
    const dino_value *map;
    dino_pool *pool;
    const char *wrong; // NULL, or the first field that did not fit
} dino_fields;

const dino_value *dino_take(dino_fields *fields, const char *key, dino_kind kind);
const char *dino_take_text(dino_fields *fields, const char *key);
const char *dino_take_text_or_null(dino_fields *fields, const char *key);
int64_t dino_take_whole(dino_fields *fields, const char *key);   // from 0
int dino_take_int(dino_fields *fields, const char *key);         // from 0
int dino_take_int_or_null(dino_fields *fields, const char *key); // -1 for null
bool dino_take_boolean(dino_fields *fields, const char *key);
dino_texts dino_take_texts(dino_fields *fields, const char *key);

// Memory, all zero, of a pool.
void *dino_pool_alloc(dino_pool *pool, size_t size);

#endif
