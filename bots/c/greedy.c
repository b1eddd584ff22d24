// greedy at Draftosaurus: takes what promises the most points, looking a little ahead.
//
// Theory of operation. `worth` estimates the final points of a zoo: what its pens score now, and what those that
// can still grow will probably score, given the dinosaurs still to come. An action is worth what the zoo is worth
// after it, and a pick what its best placement is worth. A discard is worth what it takes from the neighbour who
// gets the hand next. Views hold everything, so nothing is remembered. Equal actions are decided by the order of
// `legal`.
//
// Zoos are values: placing a dinosaur makes a new one, whose changed pen is in the memory of the question.
#include "dinobot.h"
#include "views.h"

#include <math.h>
#include <string.h>

enum { TURNS = 12, UNLIMITED = -1, CELLS = 6 };

static const char SPECIES[] = "TDCSGP";
static const char BLANK[] = "......";

typedef struct season {
    const char *name;
    dino_pen pens[7];
} season;

static const season SEASONS[] = {
    {"summer", {PEN_FS, PEN_WT, PEN_KJ, PEN_PL, PEN_MD, PEN_SI, PEN_RV}},
    {"winter", {PEN_WO, PEN_BL, PEN_LO, PEN_QZ, PEN_BR, PEN_PY, PEN_RV}},
};
static const season *const SUMMER = &SEASONS[0];

// The pens that a face of the die opens, as a set of bits.
#define SET(a, b, c, d, e, f) (1u << (a) | 1u << (b) | 1u << (c) | 1u << (d) | 1u << (e) | 1u << (f))
static const struct {
    char face;
    unsigned pens;
} OPENED[] = {
    {'W', SET(PEN_FS, PEN_WT, PEN_KJ, PEN_WO, PEN_BL, PEN_LO)},
    {'G', SET(PEN_PL, PEN_MD, PEN_SI, PEN_QZ, PEN_BR, PEN_PY)},
    {'L', SET(PEN_FS, PEN_WT, PEN_PL, PEN_WO, PEN_BL, PEN_QZ)},
    {'R', SET(PEN_KJ, PEN_MD, PEN_SI, PEN_LO, PEN_BR, PEN_PY)},
};

static const int ROW_ENDS[] = {3, 5, 6}; // cells 0 to 2, 3 to 4, and 5
static const char *const TOUCHING[CELLS] = {"13", "0234", "14", "0145", "1235", "34"};

enum { TRACK = 7 };
static const double SAMENESS[TRACK] = {0, 2, 4, 8, 12, 18, 24};
static const double DIFFERENCES[TRACK] = {0, 1, 3, 6, 10, 15, 21};
static const double PYRAMID[TRACK] = {0, 2, 4, 6, 10, 14, 21};

// Guesses, found by playing against itself.
static const double PACE = 0.33;  // dinosaurs that each turn to come will add to a pen that goes on growing
static const double SINGLE = 1.5; // points of a dinosaur that may still find its partner
static const double SAVED = 4;    // points of a pen for one dinosaur that is kept empty for a good one
static const double DENIAL = 0.3; // how much a point that the neighbour does not get is worth

// What lies on the table, for all to see.
typedef struct table {
    const dino_question *question; // whose memory the zoos take
    const season *season;
    const dino_zoo *zoos;
    int seats;
    int room[PEN_COUNT]; // UNLIMITED for no limit
    double trio_points;
    bool river_counts;
    bool left_to_right;
} table;

// A place for a dinosaur: a pen, and in the pyramid also a cell.
typedef struct slot {
    dino_pen pen;
    int cell;
} slot;

typedef struct slots {
    size_t count;
    slot items[16]; // seven pens, the pyramid counting as three
} slots;

static int number_of(const char *contents, char dino) {
    int number = 0;
    for (; *contents; contents++)
        number += *contents == dino;
    return number;
}

static bool holds(const char *contents, char dino) { return strchr(contents, dino) && dino; }

// How many dinosaurs there are; `.` is none.
static int dinosaurs(const char *contents) { return (int)strlen(contents) - number_of(contents, '.'); }

// The zoo with one dinosaur more.
static dino_zoo put(const table *table, dino_zoo zoo, char dino, slot slot) {
    const char *old = zoo.pens[slot.pen];
    size_t length = strlen(old);
    char *contents = dino_alloc(table->question, length + CELLS + 1);
    memcpy(contents, old, length);
    if (slot.pen != PEN_PY) {
        contents[length] = dino;
    } else {
        if (length == 0) memcpy(contents, BLANK, CELLS);
        contents[slot.cell] = dino;
    }
    zoo.pens[slot.pen] = contents;
    return zoo;
}

static dino_zoo without_guest(dino_zoo zoo) {
    zoo.pens[PEN_QZ] = "";
    return zoo;
}

// Where a dinosaur may go.

static bool opens(char die, dino_pen pen, const char *contents) {
    if (die == 'E') return !*contents;
    if (die == 'X') return !holds(contents, 'T');
    for (size_t i = 0; i < sizeof OPENED / sizeof *OPENED; i++)
        if (OPENED[i].face == die) return OPENED[i].pens >> pen & 1;
    return false;
}

static bool admits(const table *table, dino_pen pen, const char *contents, char dino) {
    const size_t length = strlen(contents);
    if (table->room[pen] != UNLIMITED && (int)length >= table->room[pen]) return false;
    switch (pen) {
    case PEN_WO:
        return length > 1 ? dino == contents[length - 2] : dino != *contents;
    case PEN_MD:
        return !holds(contents, dino);
    case PEN_FS:
        return length == 0 || holds(contents, dino);
    default:
        return true;
    }
}

static bool touches(const char *cells, int cell, char dino) {
    for (const char *other = TOUCHING[cell]; *other; other++)
        if (cells[*other - '0'] == dino) return true;
    return false;
}

// The lowest row of the pyramid that has a free cell comes first.
static void add_cells(const table *table, const char *cells, char dino, slots *found) {
    const char *free = strchr(cells, '.');
    if (!free) return;
    int cell = (int)(free - cells), row = 0;
    while (cell >= ROW_ENDS[row])
        row++;
    const int end = table->left_to_right ? cell + 1 : ROW_ENDS[row];
    for (; cell < end; cell++)
        if (cells[cell] == '.' && !touches(cells, cell, dino)) found->items[found->count++] = (slot){PEN_PY, cell};
}

// Where a dinosaur may go, under a face of the die or under none (0).
//
// The bridge is taken to be split: its other variants only blur the look ahead, as placements come with `legal`.
static slots slots_for(const table *table, const dino_zoo *zoo, char dino, char die) {
    slots found = {0};
    for (size_t i = 0; i < sizeof table->season->pens / sizeof *table->season->pens; i++) {
        const dino_pen pen = table->season->pens[i];
        const char *contents = zoo->pens[pen];
        if (die && pen != PEN_RV && !opens(die, pen, contents)) continue;
        if (pen == PEN_PY)
            add_cells(table, *contents ? contents : BLANK, dino, &found);
        else if (admits(table, pen, contents, dino))
            found.items[found.count++] = (slot){pen, 0};
    }
    return found;
}

// What a zoo is worth.

// The points of a pen that goes on growing at its PACE for so many turns.
static double grown(const double points[TRACK], int filled, int turns) {
    const double reach = fmin(filled + turns * PACE, TRACK - 1);
    const int below = reach < TRACK - 2 ? (int)reach : TRACK - 2;
    return points[below] + (reach - below) * (points[below + 1] - points[below]);
}

// How many of a species are in a zoo; option `zoo_scope` says whether the River is part of it.
static int count(const table *table, const dino_zoo *zoo, char dino) {
    int number = 0;
    for (dino_pen pen = PEN_FS; pen < PEN_COUNT; pen++)
        if (table->river_counts || pen != PEN_RV) number += number_of(zoo->pens[pen], dino);
    return number;
}

static double king(const table *table, int seat, const dino_zoo *zoo, int turns) {
    const char dino = *zoo->pens[PEN_KJ];
    if (!dino) return fmin(SAVED, turns);
    int rival = 0;
    for (int other = 0; other < table->seats; other++) {
        const int theirs = other == seat ? 0 : count(table, &table->zoos[other], dino);
        rival = theirs > rival ? theirs : rival;
    }
    const int lead = count(table, zoo, dino) - rival;
    return 7 * fmin(1, fmax(0, 0.5 + (lead + 0.5) / (turns + 1))); // certain once no turn is left
}

static double island(const table *table, const dino_zoo *zoo, int turns) {
    const char dino = *zoo->pens[PEN_SI];
    if (!dino) return fmin(SAVED, turns);
    return count(table, zoo, dino) == 1 ? 7 : 0;
}

static double lookout(const table *table, int seat, const dino_zoo *zoo, int turns) {
    const char dino = *zoo->pens[PEN_LO];
    if (!dino) return fmin(SAVED, turns);
    const int right = (seat + table->seats - 1) % table->seats;
    return 2 * (count(table, &table->zoos[right], dino) + turns / 6.0); // one in six is of a species
}

static double summer(const table *table, int seat, const dino_zoo *zoo, int turns) {
    const char *prairie = zoo->pens[PEN_PL];
    const int trio = dinosaurs(zoo->pens[PEN_WT]);
    int pairs = 0;
    for (const char *dino = SPECIES; *dino; dino++)
        pairs += number_of(prairie, *dino) / 2;
    return grown(SAMENESS, dinosaurs(zoo->pens[PEN_FS]), turns)    // Forest of Sameness
         + grown(DIFFERENCES, dinosaurs(zoo->pens[PEN_MD]), turns) // Meadow of Differences
         + (trio + turns >= 3 ? table->trio_points * trio / 3 : 0) // Woody Trio
         + 5 * pairs                                               // Prairie of Love
         + fmin(SINGLE * (dinosaurs(prairie) - 2 * pairs), turns)  // and its singles
         + king(table, seat, zoo, turns)                           // King of the Jungle
         + island(table, zoo, turns);                              // Solitary Island
}

static double winter(const table *table, int seat, const dino_zoo *zoo, int turns) {
    const char *left = zoo->pens[PEN_BL], *right = zoo->pens[PEN_BR];
    int couples = 0;
    for (const char *dino = SPECIES; *dino; dino++) {
        const int on_left = number_of(left, *dino), on_right = number_of(right, *dino);
        couples += on_left < on_right ? on_left : on_right;
    }
    return grown(SAMENESS, dinosaurs(zoo->pens[PEN_WO]), turns)                     // Well-Ordered Wood
         + grown(PYRAMID, dinosaurs(zoo->pens[PEN_PY]), turns)                      // Pyramid
         + 6 * couples                                                              // Lovers' Bridge
         + fmin(SINGLE * (dinosaurs(left) + dinosaurs(right) - 2 * couples), turns) // and its singles
         + lookout(table, seat, zoo, turns);                                        // Lookout
}

static double worth(const table *table, int seat, const dino_zoo *zoo);

// What a zoo is worth once its quarantined dinosaur has found its best place.
static double worth_after_quarantine(const table *table, int seat, const dino_zoo *zoo) {
    const char guest = *zoo->pens[PEN_QZ];
    const dino_zoo rest = without_guest(*zoo);
    const slots free = slots_for(table, &rest, guest, 0);
    double best = -INFINITY;
    for (size_t i = 0; i < free.count; i++) {
        if (free.items[i].pen == PEN_QZ) continue;
        const dino_zoo moved = put(table, rest, guest, free.items[i]);
        best = fmax(best, worth(table, seat, &moved));
    }
    return best;
}

// The points that a zoo will probably have in the end, if it is this seat's.
static double worth(const table *table, int seat, const dino_zoo *zoo) {
    if (*zoo->pens[PEN_QZ]) return worth_after_quarantine(table, seat, zoo);
    int placed = 0, rex = 0;
    for (dino_pen pen = PEN_FS; pen < PEN_COUNT; pen++) {
        placed += dinosaurs(zoo->pens[pen]);
        rex += pen != PEN_RV && holds(zoo->pens[pen], 'T');
    }
    const int turns = placed < TURNS ? TURNS - placed : 0;
    const double pens = table->season == SUMMER ? summer(table, seat, zoo, turns) : winter(table, seat, zoo, turns);
    return pens + rex + dinosaurs(zoo->pens[PEN_RV]);
}

// What a seat's zoo is worth once this dinosaur stands in its best place.
static double best(const table *table, int seat, char dino, char die) {
    const slots free = slots_for(table, &table->zoos[seat], dino, die);
    double most = -INFINITY;
    for (size_t i = 0; i < free.count; i++) {
        const dino_zoo after = put(table, table->zoos[seat], dino, free.items[i]);
        most = fmax(most, worth(table, seat, &after));
    }
    return most;
}

// Actions: a dinosaur or Q, a slot behind @ or >, =, and a discard behind x; each may be left out.

typedef struct action {
    char dino, drop; // 0 if left out
    bool placed;
    slot slot;
} action;

static bool is_species(char letter) { return holds(SPECIES, letter); }

// Reads a slot, such as FS or PY3, and moves the text behind it.
static bool read_slot(const char **text, slot *slot) {
    if (!(*text)[0] || !(*text)[1]) return false;
    slot->pen = dino_pen_named((const char[]){(*text)[0], (*text)[1], '\0'});
    *text += 2;
    if (slot->pen != PEN_PY) return slot->pen != PEN_COUNT;
    slot->cell = **text - '0';
    if (slot->cell < 0 || slot->cell >= CELLS) return false;
    ++*text;
    return true;
}

static bool read_action(const char *text, action *action) {
    *action = (struct action){0};
    if (is_species(*text) || *text == 'Q') action->dino = *text++;
    if (*text == '@' || *text == '>') {
        text++;
        action->placed = read_slot(&text, &action->slot);
        if (!action->placed) return false;
    }
    if (*text == '=') text++;
    if (text[0] == 'x' && is_species(text[1])) {
        action->drop = text[1];
        text += 2;
    }
    return !*text;
}

// The player.

typedef struct greedy {
    int seat, neighbour;
} greedy;

// What the zoo is worth after the quarantine; without a slot the guest stays there.
static double moved(const greedy *self, const table *table, const action *action) {
    const dino_zoo *zoo = &table->zoos[self->seat];
    dino_zoo after = without_guest(*zoo);
    if (action->placed) after = put(table, after, *zoo->pens[PEN_QZ], action->slot);
    return worth(table, self->seat, &after);
}

// What an action is worth; all are alike if they are of a kind that came after this bot.
static double value(const greedy *self, const table *table, char die, const char *text) {
    action action;
    if (!read_action(text, &action)) return 0;
    if (action.dino == 'Q') return moved(self, table, &action);
    const double denied = action.drop ? DENIAL * best(table, self->neighbour, action.drop, 0) : 0;
    if (action.placed) {
        const dino_zoo after = put(table, table->zoos[self->seat], action.dino, action.slot);
        return denied + worth(table, self->seat, &after);
    }
    return action.dino ? denied + best(table, self->seat, action.dino, die) : denied;
}

static bool option_is(const dino_value *options, const char *name, const char *text) {
    const char *value = dino_text(dino_get(options, name));
    return value && !strcmp(value, text);
}

// The room of a pen by option: null takes the limit away, while no option leaves the default.
static int room(const dino_value *options, const char *name, int otherwise) {
    const dino_value *value = dino_get(options, name);
    return value ? (int)dino_integer(value, UNLIMITED) : otherwise;
}

static table table_of(const dino_question *question, const draftosaurus_view *view, const season *season) {
    const int bridge = room(view->options, "bridge_capacity", UNLIMITED);
    return (table){
        .question = question,
        .season = season,
        .zoos = view->zoos,
        .seats = view->seats,
        .room = {[PEN_FS] = 6,
                 [PEN_WT] = 3,
                 [PEN_KJ] = 1,
                 [PEN_MD] = 6,
                 [PEN_SI] = 1,
                 [PEN_WO] = 6,
                 [PEN_LO] = 1,
                 [PEN_QZ] = 1,
                 [PEN_PL] = room(view->options, "prairie_capacity", 6),
                 [PEN_BL] = bridge,
                 [PEN_BR] = bridge,
                 [PEN_PY] = UNLIMITED,
                 [PEN_RV] = UNLIMITED},
        .trio_points = dino_number(dino_get(view->options, "trio_points"), 7),
        .river_counts = !dino_get(view->options, "zoo_scope") || option_is(view->options, "zoo_scope", "all"),
        .left_to_right = option_is(view->options, "pyramid_fill", "left_to_right"),
    };
}

static const season *season_named(const char *name) {
    for (size_t i = 0; i < sizeof SEASONS / sizeof *SEASONS; i++)
        if (!strcmp(SEASONS[i].name, name)) return &SEASONS[i];
    return NULL;
}

static const char *decide(void *player, const dino_question *question) {
    const greedy *self = player;
    const dino_texts legal = question->legal;
    const draftosaurus_view *view = dino_draftosaurus(question);
    const season *season = view ? season_named(view->season) : NULL;
    if (!season || self->seat >= view->seats || self->neighbour >= view->seats) return legal.items[0];
    const table table = table_of(question, view, season);
    const char die = view->bound[self->seat] && view->die ? *view->die : '\0';
    size_t chosen = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < legal.count; i++) {
        const double worth = value(self, &table, die, legal.items[i]);
        if (worth > most) {
            most = worth;
            chosen = i;
        }
    }
    return legal.items[chosen];
}

static void *start(const dino_start *start) {
    greedy *self = dino_keep(start, sizeof *self);
    self->seat = start->seat;
    self->neighbour = start->seats > 0 ? (start->seat + 1) % start->seats : 0;
    return self;
}

int main(void) {
    return dino_run("greedy-c", "1.0", DINO_GAMES("draftosaurus"), (dino_player){.start = start, .decide = decide});
}
