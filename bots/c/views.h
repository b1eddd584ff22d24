// What a seat sees, as structs. Ask for the one of the game that is played:
//
//     const draftosaurus_view *view = dino_draftosaurus(question);
//     if (view && view->die) ...
//
// Both functions return NULL if the view is not one of their game. Everything lives until `decide` returns.
// Lists "by seat" have `seats` items. `arena rules draftosaurus` and `arena rules dinodocus` say what each
// field means.
#ifndef VIEWS_H
#define VIEWS_H

#include "dinobot.h"

// Draftosaurus.

typedef enum dino_pen {
    PEN_FS, // summer
    PEN_WT,
    PEN_KJ,
    PEN_PL,
    PEN_MD,
    PEN_SI,
    PEN_WO, // winter
    PEN_BL,
    PEN_LO,
    PEN_QZ,
    PEN_BR,
    PEN_PY,
    PEN_RV, // both
    PEN_COUNT
} dino_pen;

// The pen of that name, such as "FS"; PEN_COUNT if there is none.
dino_pen dino_pen_named(const char *name);

typedef struct dino_zoo {
    const char *pens[PEN_COUNT]; // the dinosaurs in each; "" if empty. PY is "" or six cells, "." where empty
} dino_zoo;

typedef struct draftosaurus_view {
    const char *phase;
    const char *season;
    int game, round, turn;
    int seat; // -1 for a spectator
    int seats;
    const dino_value *options; // a map
    int first, roller;         // -1 while not known
    const char *die;           // NULL if there is none
    const bool *bound;         // by seat
    const dino_zoo *zoos;      // by seat
    const char *const *hands;  // by seat; NULL where not known
    int hand_size, bag_size, per_species;
    const char *const *picks;    // by seat; NULL outside of phase `place`
    const char *const *discards; // by seat; NULL unless two play
    const char *const *drops;    // by seat, NULL where hidden; NULL unless there are any
    const dino_zoo *summer;      // by seat; NULL unless a summer game came before
} draftosaurus_view;

const draftosaurus_view *dino_draftosaurus(const dino_question *question);

// Dinodocus.

typedef enum dino_part { PART_H, PART_A, PART_P, PART_T, PART_COUNT } dino_part;

typedef struct dinodocus_card {
    const char *id;
    int attack, defence;
    char diet;                 // 'C', 'H', or 0 for all but heads
    const dino_value *numbers; // an array: the real dinosaurs that it is part of
} dinodocus_card;

typedef struct dinodocus_dino {
    const char *id;
    int owner;
    const char *name;
    dino_texts cards; // by part
    char diet;        // 'C' or 'H'
    int attack, defence;
    bool fern;
    int periods;
    bool closed, fed, starving, bonus;
} dinodocus_dino;

typedef struct dinodocus_extinct {
    const char *id;
    int periods;
} dinodocus_extinct;

typedef struct dinodocus_timeline {
    size_t count;
    const dinodocus_extinct *items;
} dinodocus_timeline;

typedef struct dinodocus_offer {
    int seat;
    const char *card;
} dinodocus_offer;

typedef struct dinodocus_counts {
    int parts[PART_COUNT];
} dinodocus_counts;

typedef struct dinodocus_view {
    const char *phase;
    int turn, current;
    int seat; // -1 for a spectator
    int seats;
    const dino_value *options; // a map
    size_t card_count;
    const dinodocus_card *cards; // the whole deck
    int pool, periods;
    dinodocus_counts decks;
    dino_texts discards[PART_COUNT];
    int made;
    size_t dino_count;
    const dinodocus_dino *dinos;         // the oldest first
    const dinodocus_timeline *timelines; // by seat
    const dino_texts *hands;             // by seat; `items` is NULL where not known
    const int *hand_sizes;               // by seat
    const dinodocus_counts *hand_parts;  // by seat; NULL if hidden
    const dino_texts *shown;             // by seat
    const int *hidden;                   // by seat; -1 where not known
    const char *window;                  // NULL if nothing is on offer
    int round;
    int receiver; // -1 if there is none
    size_t offer_count;
    const dinodocus_offer *offers;
    const char *focus; // NULL if there is none
    int maker;         // -1 if there is none
    const char *draw;  // a part; NULL if there is none
} dinodocus_view;

const dinodocus_view *dino_dinodocus(const dino_question *question);

#endif
