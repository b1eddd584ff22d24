#include "views.h"

#include <string.h>

// Fields that both games have: lists by seat, and lists of maps.

static void misfit(dino_fields *fields, const char *key) {
    if (!fields->wrong) fields->wrong = key;
}

// A required array; NULL unless it has so many items.
static const dino_value *take_items(dino_fields *fields, const char *key, size_t count) {
    const dino_value *array = dino_take(fields, key, DINO_ARRAY);
    if (array && array->length != count) misfit(fields, key);
    return array && array->length == count ? array->items : NULL;
}

static bool is_absent(const dino_fields *fields, const char *key) {
    const dino_value *value = dino_get(fields->map, key);
    return !value || value->kind == DINO_NULL || (value->kind == DINO_ARRAY && value->length == 0);
}

// Memory for a list, with one item more so that it is never nothing.
static void *list_of(dino_fields *fields, size_t count, size_t size) {
    return dino_pool_alloc(fields->pool, (count + 1) * size);
}

// Texts by seat; null is NULL.
static const char *const *take_texts_by_seat(dino_fields *fields, const char *key, size_t seats) {
    const dino_value *items = take_items(fields, key, seats);
    const char **texts = list_of(fields, seats, sizeof *texts);
    for (size_t i = 0; items && i < seats; i++) {
        texts[i] = dino_text(&items[i]);
        if (!texts[i] && items[i].kind != DINO_NULL) misfit(fields, key);
    }
    return texts;
}

// The same, or NULL if the field is absent, null or an empty list.
static const char *const *take_texts_or_null(dino_fields *fields, const char *key, size_t seats) {
    return is_absent(fields, key) ? NULL : take_texts_by_seat(fields, key, seats);
}

// Small whole numbers by seat; null is -1.
static const int *take_ints_by_seat(dino_fields *fields, const char *key, size_t seats) {
    const dino_value *items = take_items(fields, key, seats);
    int *numbers = list_of(fields, seats, sizeof *numbers);
    for (size_t i = 0; items && i < seats; i++) {
        numbers[i] = items[i].kind == DINO_NULL ? -1 : (int)dino_integer(&items[i], -2);
        if (numbers[i] < -1) misfit(fields, key);
    }
    return numbers;
}

// How many items or pairs; 0 if it did not fit.
static size_t size_of(const dino_value *container) { return container ? container->length : 0; }

// Draftosaurus.

static const char *const PEN_NAMES[PEN_COUNT] = {
    [PEN_FS] = "FS", [PEN_WT] = "WT", [PEN_KJ] = "KJ", [PEN_PL] = "PL", [PEN_MD] = "MD",
    [PEN_SI] = "SI", [PEN_WO] = "WO", [PEN_BL] = "BL", [PEN_LO] = "LO", [PEN_QZ] = "QZ",
    [PEN_BR] = "BR", [PEN_PY] = "PY", [PEN_RV] = "RV",
};

dino_pen dino_pen_named(const char *name) {
    dino_pen pen = PEN_FS;
    while (pen < PEN_COUNT && strcmp(PEN_NAMES[pen], name))
        pen++;
    return pen;
}

static dino_zoo read_zoo(dino_fields *fields, const dino_value *map) {
    dino_zoo zoo;
    for (dino_pen pen = PEN_FS; pen < PEN_COUNT; pen++) {
        const char *contents = dino_text(dino_get(map, PEN_NAMES[pen]));
        zoo.pens[pen] = contents ? contents : "";
    }
    const size_t cells = strlen(zoo.pens[PEN_PY]);
    if (map->kind != DINO_MAP || (cells != 0 && cells != 6)) misfit(fields, "zoos");
    return zoo;
}

static const dino_zoo *take_zoos(dino_fields *fields, const char *key, size_t seats) {
    const dino_value *items = take_items(fields, key, seats);
    dino_zoo *zoos = list_of(fields, seats, sizeof *zoos);
    for (size_t i = 0; items && i < seats; i++)
        zoos[i] = read_zoo(fields, &items[i]);
    return zoos;
}

static const bool *take_bound(dino_fields *fields, size_t seats) {
    const dino_value *items = take_items(fields, "bound", seats);
    bool *bound = list_of(fields, seats, sizeof *bound);
    for (size_t i = 0; items && i < seats; i++)
        bound[i] = dino_true(&items[i]);
    return bound;
}

// The number of seats. A list by seat has to agree, so that an absurd number does not cost memory.
static size_t take_seats(dino_fields *fields, const char *by_seat) {
    const size_t seats = (size_t)dino_take_int(fields, "seats");
    const dino_value *list = dino_take(fields, by_seat, DINO_ARRAY);
    if (seats != size_of(list)) misfit(fields, "seats");
    return size_of(list);
}

const draftosaurus_view *dino_draftosaurus(const dino_question *question) {
    dino_fields fields = {.map = question->view, .pool = question->pool};
    const size_t seats = take_seats(&fields, "zoos");
    draftosaurus_view *view = dino_alloc(question, sizeof *view);
    *view = (draftosaurus_view){
        .phase = dino_take_text(&fields, "phase"),
        .season = dino_take_text(&fields, "season"),
        .game = dino_take_int(&fields, "game"),
        .round = dino_take_int(&fields, "round"),
        .turn = dino_take_int(&fields, "turn"),
        .seat = dino_take_int_or_null(&fields, "seat"),
        .seats = (int)seats,
        .options = dino_take(&fields, "options", DINO_MAP),
        .first = dino_take_int_or_null(&fields, "first"),
        .roller = dino_take_int_or_null(&fields, "roller"),
        .die = dino_take_text_or_null(&fields, "die"),
        .bound = take_bound(&fields, seats),
        .zoos = take_zoos(&fields, "zoos", seats),
        .hands = take_texts_by_seat(&fields, "hands", seats),
        .hand_size = dino_take_int(&fields, "hand_size"),
        .bag_size = dino_take_int(&fields, "bag_size"),
        .per_species = dino_take_int(&fields, "per_species"),
        .picks = take_texts_or_null(&fields, "picks", seats),
        .discards = take_texts_or_null(&fields, "discards", seats),
        .drops = take_texts_or_null(&fields, "drops", seats),
        .summer = is_absent(&fields, "summer") ? NULL : take_zoos(&fields, "summer", seats),
    };
    return fields.wrong ? NULL : view;
}

// Dinodocus.

static const char *const PART_NAMES[PART_COUNT] = {"H", "A", "P", "T"};

// Fields of a map within a map; what is wrong there is wrong with the whole.
static void close_fields(dino_fields *outer, const dino_fields *inner) {
    if (inner->wrong) misfit(outer, inner->wrong);
}

static dinodocus_card read_card(dino_fields *fields, const dino_pair *pair) {
    const char *diet = dino_text(dino_at(&pair->value, 2));
    if (size_of(&pair->value) < 4) misfit(fields, "cards");
    return (dinodocus_card){
        .id = pair->key,
        .attack = (int)dino_integer(dino_at(&pair->value, 0), 0),
        .defence = (int)dino_integer(dino_at(&pair->value, 1), 0),
        .diet = diet ? *diet : '\0',
        .numbers = dino_at(&pair->value, 3),
    };
}

static const dinodocus_card *take_cards(dino_fields *fields) {
    const dino_value *map = dino_take(fields, "cards", DINO_MAP);
    dinodocus_card *cards = list_of(fields, size_of(map), sizeof *cards);
    for (size_t i = 0; i < size_of(map); i++)
        cards[i] = read_card(fields, &map->pairs[i]);
    return cards;
}

static dinodocus_counts read_counts(dino_fields *outer, const dino_value *map) {
    dino_fields fields = {.map = map};
    dinodocus_counts counts;
    for (dino_part part = PART_H; part < PART_COUNT; part++)
        counts.parts[part] = dino_take_int(&fields, PART_NAMES[part]);
    close_fields(outer, &fields);
    return counts;
}

static void take_discards(dino_fields *outer, dino_texts discards[PART_COUNT]) {
    dino_fields fields = {.map = dino_take(outer, "discards", DINO_MAP), .pool = outer->pool};
    for (dino_part part = PART_H; part < PART_COUNT; part++)
        discards[part] = dino_take_texts(&fields, PART_NAMES[part]);
    close_fields(outer, &fields);
}

static dinodocus_dino read_dino(dino_fields *outer, const dino_value *map) {
    dino_fields fields = {.map = map, .pool = outer->pool};
    const dinodocus_dino dino = {
        .id = dino_take_text(&fields, "id"),
        .owner = dino_take_int(&fields, "owner"),
        .name = dino_take_text(&fields, "name"),
        .cards = dino_take_texts(&fields, "cards"),
        .diet = *dino_take_text(&fields, "diet"),
        .attack = dino_take_int(&fields, "attack"),
        .defence = dino_take_int(&fields, "defence"),
        .fern = dino_take_boolean(&fields, "fern"),
        .periods = dino_take_int(&fields, "periods"),
        .closed = dino_take_boolean(&fields, "closed"),
        .fed = dino_take_boolean(&fields, "fed"),
        .starving = dino_take_boolean(&fields, "starving"),
        .bonus = dino_take_boolean(&fields, "bonus"),
    };
    close_fields(outer, &fields);
    return dino;
}

static const dinodocus_dino *take_dinos(dino_fields *fields) {
    const dino_value *array = dino_take(fields, "dinos", DINO_ARRAY);
    dinodocus_dino *dinos = list_of(fields, size_of(array), sizeof *dinos);
    for (size_t i = 0; i < size_of(array); i++)
        dinos[i] = read_dino(fields, &array->items[i]);
    return dinos;
}

static dinodocus_timeline read_timeline(dino_fields *fields, const dino_value *map) {
    if (map->kind != DINO_MAP) {
        misfit(fields, "timelines");
        return (dinodocus_timeline){0};
    }
    dinodocus_extinct *items = list_of(fields, map->length, sizeof *items);
    for (size_t i = 0; i < map->length; i++) {
        items[i].id = map->pairs[i].key;
        items[i].periods = (int)dino_integer(&map->pairs[i].value, 0);
    }
    return (dinodocus_timeline){.count = map->length, .items = items};
}

static const dinodocus_timeline *take_timelines(dino_fields *fields, size_t seats) {
    const dino_value *items = take_items(fields, "timelines", seats);
    dinodocus_timeline *timelines = list_of(fields, seats, sizeof *timelines);
    for (size_t i = 0; items && i < seats; i++)
        timelines[i] = read_timeline(fields, &items[i]);
    return timelines;
}

static dino_texts read_texts(dino_fields *fields, const dino_value *array) {
    if (array->kind != DINO_ARRAY) misfit(fields, "hands");
    const char **texts = list_of(fields, array->length, sizeof *texts);
    for (size_t i = 0; i < array->length; i++) {
        texts[i] = dino_text(dino_at(array, i));
        if (!texts[i]) misfit(fields, "hands");
    }
    return (dino_texts){.count = array->length, .items = texts};
}

// Lists of texts by seat; null is a list without items.
static const dino_texts *take_lists(dino_fields *fields, const char *key, size_t seats) {
    const dino_value *items = take_items(fields, key, seats);
    dino_texts *lists = list_of(fields, seats, sizeof *lists);
    for (size_t i = 0; items && i < seats; i++)
        if (items[i].kind != DINO_NULL) lists[i] = read_texts(fields, &items[i]);
    return lists;
}

static const dinodocus_counts *take_hand_parts(dino_fields *fields, size_t seats) {
    if (is_absent(fields, "hand_parts")) return NULL;
    const dino_value *items = take_items(fields, "hand_parts", seats);
    dinodocus_counts *counts = list_of(fields, seats, sizeof *counts);
    for (size_t i = 0; items && i < seats; i++)
        counts[i] = read_counts(fields, &items[i]);
    return counts;
}

static const dinodocus_offer *take_offers(dino_fields *outer) {
    const dino_value *array = dino_take(outer, "offers", DINO_ARRAY);
    dinodocus_offer *offers = list_of(outer, size_of(array), sizeof *offers);
    for (size_t i = 0; i < size_of(array); i++) {
        dino_fields fields = {.map = &array->items[i]};
        offers[i] = (dinodocus_offer){dino_take_int(&fields, "seat"), dino_take_text(&fields, "card")};
        close_fields(outer, &fields);
    }
    return offers;
}

const dinodocus_view *dino_dinodocus(const dino_question *question) {
    dino_fields fields = {.map = question->view, .pool = question->pool};
    const size_t seats = take_seats(&fields, "timelines");
    dinodocus_view *view = dino_alloc(question, sizeof *view);
    *view = (dinodocus_view){
        .phase = dino_take_text(&fields, "phase"),
        .turn = dino_take_int(&fields, "turn"),
        .current = dino_take_int(&fields, "current"),
        .seat = dino_take_int_or_null(&fields, "seat"),
        .seats = (int)seats,
        .options = dino_take(&fields, "options", DINO_MAP),
        .card_count = size_of(dino_get(question->view, "cards")),
        .cards = take_cards(&fields),
        .pool = dino_take_int(&fields, "pool"),
        .periods = dino_take_int(&fields, "periods"),
        .decks = read_counts(&fields, dino_take(&fields, "decks", DINO_MAP)),
        .made = dino_take_int(&fields, "made"),
        .dino_count = size_of(dino_get(question->view, "dinos")),
        .dinos = take_dinos(&fields),
        .timelines = take_timelines(&fields, seats),
        .hands = take_lists(&fields, "hands", seats),
        .hand_sizes = take_ints_by_seat(&fields, "hand_sizes", seats),
        .hand_parts = take_hand_parts(&fields, seats),
        .shown = take_lists(&fields, "shown", seats),
        .hidden = take_ints_by_seat(&fields, "hidden", seats),
        .window = dino_take_text_or_null(&fields, "window"),
        .round = dino_take_int(&fields, "round"),
        .receiver = dino_take_int_or_null(&fields, "receiver"),
        .offer_count = size_of(dino_get(question->view, "offers")),
        .offers = take_offers(&fields),
        .focus = dino_take_text_or_null(&fields, "focus"),
        .maker = dino_take_int_or_null(&fields, "maker"),
        .draw = dino_take_text_or_null(&fields, "draw"),
    };
    take_discards(&fields, view->discards);
    return fields.wrong ? NULL : view;
}
