// Between the protocol and raptor's rules: options, positions and actions, and what a view hides.
#ifndef RAPTOR_VIEW_HPP
#define RAPTOR_VIEW_HPP

#include "raptor_rules.hpp"
#include "views.hpp"

#include <stdexcept>

namespace raptor {

// Something that these rules do not know.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Random numbers: splitmix64, the same everywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    // Of 0 to sides - 1; no sides is much, so that the bias is below one in 2^24.
    int below(int sides) { return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(sides) >> 32); }

  private:
    std::uint64_t state_;
};

// Dinosaurs that are drawn one by one.
class Pool {
  public:
    explicit Pool(Group group) {
        for (int dino = 0; dino < kinds; dino++)
            for (int i = count(group, dino); i > 0; i--) dinos_[static_cast<std::size_t>(size_++)] = static_cast<std::uint8_t>(dino);
    }

    int size() const { return size_; }

    int draw(Random& random) {
        std::uint8_t& place = dinos_[static_cast<std::size_t>(random.below(size_))];
        const int dino = place;
        place = dinos_[static_cast<std::size_t>(--size_)];
        return dino;
    }

    Group draw(Random& random, int number) {
        Group drawn = 0;
        while (number-- > 0) drawn += one(draw(random));
        return drawn;
    }

  private:
    std::array<std::uint8_t, 64> dinos_{};
    int size_ = 0;
};

// What chance does, at random.
inline void act_chance(const Setup& setup, State& state, Random& random) {
    if (state.phase == Phase::first) return begin(setup, state, random.below(setup.seats));
    if (state.phase == Phase::roll) return roll(setup, state, random.below(static_cast<int>(faces.size())));
    Pool bag(state.bag);
    std::array<Group, most_seats> hands{};
    for (int seat = 0; seat < setup.seats; seat++) hands[static_cast<std::size_t>(seat)] = bag.draw(random, hand_size);
    deal(setup, state, hands);
}

// Texts.

inline int dino_of(char letter) {
    const std::size_t found = letters.find(letter);
    if (found == letters.npos) throw Unsupported(std::string("a dinosaur called ") + letter);
    return static_cast<int>(found);
}

inline Group group_of(std::string_view text) {
    Group group = 0;
    for (const char letter : text) group += one(dino_of(letter));
    return group;
}

constexpr std::array<std::string_view, 7> summer_slots = {"FS", "WT", "KJ", "PL", "MD", "SI", "RV"};
constexpr std::array<std::string_view, 12> winter_slots = {"WO",  "BL",  "LO",  "QZ",  "BR",  "PY0",
                                                           "PY1", "PY2", "PY3", "PY4", "PY5", "RV"};

inline std::string_view slot_name(bool winter, int slot) {
    return winter ? winter_slots.at(static_cast<std::size_t>(slot)) : summer_slots.at(static_cast<std::size_t>(slot));
}

// An action as the protocol writes it: D, DxC, D@FS, D@FSxC, xD, Q>BL, Q=.
inline std::string spell(bool winter, Phase phase, const Action& action) {
    if (phase == Phase::quarantine) return action.slot == stay ? "Q=" : "Q>" + std::string(slot_name(winter, action.slot));
    std::string text;
    if (action.dino != nothing) text += letters[action.dino];
    if (action.slot != stay) text += "@" + std::string(slot_name(winter, action.slot));
    if (action.drop != nothing) text += std::string("x") + letters[action.drop];
    return text;
}

// Options.

inline std::string_view word(const dino::Value& value) { return value.to<std::string_view>(); }

// What a value must be, as the position in a list of words.
inline std::size_t choice(std::string_view name, std::string_view said, std::initializer_list<std::string_view> known) {
    const auto* found = std::find(known.begin(), known.end(), said);
    if (found == known.end()) throw Unsupported("option " + std::string(name) + "=" + std::string(said));
    return static_cast<std::size_t>(found - known.begin());
}

inline void set_season(Setup& setup, std::string_view season) {
    const std::size_t which = choice("season", season, {"summer", "winter", "summer_winter"});
    setup.games = which == 2 ? 2 : 1;
    setup.winter = {which == 1, which == 2};
}

inline void set_bridge(Setup& setup, std::string_view region) {
    constexpr Slots both = bit(BL) | bit(BR);
    const std::size_t which = choice("bridge_region", region, {"split", "woods_only", "both"});
    setup.bridge_woods = which == 0 ? bit(BL) : both;
    setup.bridge_grass = which == 0 ? bit(BR) : which == 1 ? 0 : both;
}

// Takes over one option. Unsupported if it, or its value, came after these rules.
inline void set_option(Setup& setup, std::string_view name, const dino::Value& value) {
    const auto is = [&](std::string_view no, std::string_view yes) { return choice(name, word(value), {no, yes}) == 1; };
    const auto capacity = [&] { return value.is_null() ? 15 : value.to<int>(); };
    if (name == "season") set_season(setup, word(value));
    else if (name == "first_roller") return;  // the view says who rolls
    else if (name == "five_player_last_turn") setup.all_bound = setup.seats == 5 && is("standard", "all_bound");
    else if (name == "trio_points") setup.trio_points = value.to<int>();
    else if (name == "commit") setup.places_with_pick = is("pick_then_place", "pick_and_place");
    else if (name == "discard_timing") setup.drops_with_pick = setup.seats == 2 && is("after_place", "with_pick");
    else if (name == "discard_visibility") setup.hides_discards = is("public", "hidden");
    else if (name == "quarantine_move") setup.may_stay = is("must", "may");
    else if (name == "quarantine_resolution") setup.auto_best = is("player", "auto_best");
    else if (name == "bridge_die_unit") setup.whole_bridge = is("subpen", "whole");
    else if (name == "bridge_region") set_bridge(setup, word(value));
    else if (name == "prairie_capacity") setup.prairie_capacity = capacity();
    else if (name == "bridge_capacity") setup.bridge_capacity = capacity();
    else if (name == "pyramid_fill") setup.left_to_right = is("free_in_row", "left_to_right");
    else if (name == "zoo_scope") setup.river_counts = !is("all", "pens_only");
    else if (name == "match_second_start") setup.next_starts = is("same", "next");
    else if (name == "match_tiebreak") setup.shares_ties = is("trex_total", "shared");
    else throw Unsupported("option " + std::string(name));
}

// The set-up of a match. Unsupported names what these rules do not know.
inline Setup set_up(int seats, const dino::Value& options) {
    constexpr std::array<int, 6> per_species = {0, 0, 8, 6, 8, 10};  // D-04
    if (seats < 2 || seats > most_seats) throw Unsupported(std::to_string(seats) + " seats");
    Setup setup;
    setup.seats = seats;
    setup.rounds = seats == 2 ? 4 : 2;  // D-06
    setup.turns = seats == 2 ? 3 : 6;
    setup.per_species = per_species[static_cast<std::size_t>(seats)];
    setup.discards = seats == 2;
    for (const dino::Entry& option : options.map()) set_option(setup, option.key, option.value);
    return setup;
}

// Positions.

inline Zoo read_zoo(bool winter, const dino::Zoo& contents) {
    Zoo zoo;
    for (const auto& [pen, dinos] : contents) {
        if (winter && pen == "PY") {
            for (std::size_t cell = 0; cell < dinos.size() && cell < 6; cell++)
                if (dinos[cell] != '.') put(winter, zoo, dino_of(dinos[cell]), PY + static_cast<int>(cell));
            continue;
        }
        const int last = river_slot(winter);
        int slot = 0;
        while (slot <= last && slot_name(winter, slot) != pen) slot++;
        if (slot > last) throw Unsupported("a pen called " + std::string(pen));
        for (const char letter : dinos) put(winter, zoo, dino_of(letter), slot);
    }
    return zoo;
}

// What a seat sees: a state in which the unknown is missing, and what is missing where.
struct Sight {
    State state;
    std::array<int, most_seats> unknown{};  // dinosaurs of each hand
    std::array<bool, most_seats> hides_drop{};
    std::array<int, 2> boxed{};  // unknown discards
    Group unseen = 0;
};

inline Phase phase_of(std::string_view name) {
    const auto* const found = std::find(phase_names.begin(), phase_names.end(), name);
    if (found == phase_names.end()) throw Unsupported("phase " + std::string(name));
    return static_cast<Phase>(found - phase_names.begin());
}

inline void read_discards(const dino::Draftosaurus& view, Sight& sight) {
    for (std::size_t seat = 0; view.discards && seat < 2; seat++) {
        for (const char letter : view.discards->at(seat)) {
            if (letter == '?') sight.boxed[seat]++;
            else sight.state.box[seat] += one(dino_of(letter));
        }
    }
    for (std::size_t seat = 0; view.drops && seat < view.drops->size() && seat < 2; seat++) {
        const auto& drop = (*view.drops)[seat];
        sight.hides_drop[seat] = !drop;
        if (drop) sight.state.drops[seat] = static_cast<std::uint8_t>(dino_of(drop->front()));
    }
}

inline void read_hands(const dino::Draftosaurus& view, Sight& sight) {
    State& state = sight.state;
    for (std::size_t seat = 0; seat < view.hands.size() && seat < most_seats; seat++) {
        if (view.hands[seat]) {
            state.hands[seat] = group_of(*view.hands[seat]);
            continue;
        }
        if (state.drops[seat] != nothing) state.hands[seat] = one(state.drops[seat]);  // it is still in the hand
        sight.unknown[seat] = view.hand_size - size(state.hands[seat]);
    }
}

inline void read_earlier(const Setup& setup, const dino::Draftosaurus& view, State& state) {
    Zoos zoos{};
    for (std::size_t seat = 0; seat < view.summer->size() && seat < most_seats; seat++) zoos[seat] = read_zoo(false, (*view.summer)[seat]);
    for (int seat = 0; seat < setup.seats; seat++) {
        const auto i = static_cast<std::size_t>(seat);
        state.earlier[i] = static_cast<std::int16_t>(score(setup, false, zoos, seat));
        state.earlier_rexes[i] = static_cast<std::uint8_t>(count(in_scope(setup, zoos[i]), rex));
    }
}

// What was dealt in this game and not seen, or is in the bag. Unsupported if the view makes no sense.
inline Group unseen(const Setup& setup, const Sight& sight) {
    Group rest = supply(setup);
    const auto without = [&rest](Group seen) {
        for (int dino = 0; dino < kinds; dino++)
            if (count(rest, dino) < count(seen, dino)) throw Unsupported("more dinosaurs than there are");
        rest -= seen;
    };
    const State& state = sight.state;
    for (std::size_t seat = 0; seat < static_cast<std::size_t>(setup.seats); seat++) {
        without(state.zoos[seat].all);
        without(state.hands[seat]);
        if (state.phase == Phase::place) without(one(state.picks[seat]));
    }
    for (const Group box : state.box) without(box);
    return rest;
}

inline Sight read(const Setup& setup, const dino::Draftosaurus& view) {
    Sight sight;
    State& state = sight.state;
    state.phase = phase_of(view.phase);
    state.game = static_cast<std::uint8_t>(view.game - 1);
    state.round = static_cast<std::uint8_t>(view.round - 1);
    state.turn = static_cast<std::uint8_t>(view.turn - 1);
    state.first = static_cast<std::uint8_t>(view.first.value_or(0));
    if (view.game < 1 || view.game > setup.games) throw Unsupported("game " + std::to_string(view.game));
    if ((view.season == "winter") != is_winter(setup, state)) throw Unsupported("season " + std::string(view.season));
    if (view.die) state.die = static_cast<std::uint8_t>(faces.find(*view.die));
    if (state.die > no_face) throw Unsupported("die " + std::string(*view.die));
    if (view.zoos.size() != static_cast<std::size_t>(setup.seats) || view.hands.size() != view.zoos.size())
        throw Unsupported("another number of zoos or hands than seats");
    for (std::size_t seat = 0; seat < view.zoos.size(); seat++) {
        state.zoos[seat] = read_zoo(is_winter(setup, state), view.zoos[seat]);
        if (view.picks) state.picks[seat] = static_cast<std::uint8_t>(dino_of(view.picks->at(seat).front()));
    }
    read_discards(view, sight);
    read_hands(view, sight);
    if (view.summer) read_earlier(setup, view, state);
    sight.unseen = unseen(setup, sight);
    return sight;
}

// A state that the seat cannot rule out; every way to fill in what it does not see is equally likely.
inline State determinize(const Setup& setup, const Sight& sight, Random& random) {
    State state = sight.state;
    Pool pool(sight.unseen);
    for (std::size_t seat = 0; seat < static_cast<std::size_t>(setup.seats); seat++) {
        state.hands[seat] += pool.draw(random, std::min(sight.unknown[seat], pool.size()));
        if (!sight.hides_drop[seat]) continue;
        Pool hand(state.hands[seat]);
        state.drops[seat] = static_cast<std::uint8_t>(hand.draw(random));
    }
    for (std::size_t seat = 0; seat < 2; seat++) state.box[seat] += pool.draw(random, std::min(sight.boxed[seat], pool.size()));
    state.bag = pool.draw(random, pool.size());
    return state;
}

}  // namespace raptor

#endif
