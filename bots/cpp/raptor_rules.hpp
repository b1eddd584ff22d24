// The course of a game of Draftosaurus for raptor: who may do what, and what happens then.
//
//     first -> deal -> (roll -> pick -> place -> [discard] -> pass) x turns -> deal ... -> [quarantine] -> over
//
// `draft` replaces pick and place under commit=pick_and_place. A state is plain memory, changed in place; a copy is a
// few cache lines.
#ifndef RAPTOR_RULES_HPP
#define RAPTOR_RULES_HPP

#include "raptor_zoo.hpp"

namespace raptor {

enum class Phase : std::uint8_t { first, deal, roll, pick, place, draft, discard, quarantine, over };
constexpr std::array<std::string_view, 9> phase_names = {"first", "deal",    "roll",       "pick", "place",
                                                         "draft", "discard", "quarantine", "over"};

// What a seat may do: which dinosaur, where to, and which one goes into the box; what is not part of it is empty.
struct Action {
    std::uint8_t dino = nothing, slot = stay, drop = nothing;

    bool operator==(const Action& other) const { return dino == other.dino && slot == other.slot && drop == other.drop; }
};

inline Action action(int dino, int slot, int drop) {
    return {static_cast<std::uint8_t>(dino), static_cast<std::uint8_t>(slot), static_cast<std::uint8_t>(drop)};
}

// A list of legal actions in canonical order.
class Actions {
  public:
    void add(int dino, int slot, int drop) { items_[size_++] = action(dino, slot, drop); }
    void clear() { size_ = 0; }
    std::size_t size() const { return size_; }
    const Action& operator[](std::size_t i) const { return items_[i]; }
    const Action* begin() const { return items_.data(); }
    const Action* end() const { return items_.data() + size_; }

  private:
    std::array<Action, 270> items_;  // six dinosaurs, nine slots and five discards
    std::size_t size_ = 0;
};

using Choices = std::array<Action, most_seats>;

struct State {
    Phase phase = Phase::deal;
    std::uint8_t game = 0, round = 0, turn = 0, first = 0;
    std::uint8_t die = no_face;
    Group bag = 0;
    std::array<Group, most_seats> hands{};
    Zoos zoos{};
    std::array<std::uint8_t, most_seats> picks{};
    std::array<std::uint8_t, most_seats> drops = {nothing, nothing, nothing, nothing, nothing};
    std::array<Group, 2> box{};
    std::array<std::int16_t, most_seats> earlier{};       // points of the summer half
    std::array<std::uint8_t, most_seats> earlier_rexes{};  // and T-Rex that count for ties

    Zoo& zoo(int seat) { return zoos[static_cast<std::size_t>(seat)]; }
    const Zoo& zoo(int seat) const { return zoos[static_cast<std::size_t>(seat)]; }
    Group& hand(int seat) { return hands[static_cast<std::size_t>(seat)]; }
    Group hand(int seat) const { return hands[static_cast<std::size_t>(seat)]; }
    int pick(int seat) const { return picks[static_cast<std::size_t>(seat)]; }
    int drop(int seat) const { return drops[static_cast<std::size_t>(seat)]; }
    bool is_chance() const { return phase <= Phase::roll; }
};

inline Group supply(const Setup& setup) { return 0x111111u * static_cast<unsigned>(setup.per_species); }

inline bool is_winter(const Setup& setup, const State& state) { return setup.winter[state.game]; }

// The die as it binds a seat (D-10).
inline int face_for(const Setup& setup, const State& state, int seat) {
    return seat == setup.exempt(state.first, state.round, state.turn) ? no_face : state.die;
}

inline bool acts(const Setup& setup, const State& state, int seat) {
    if (state.is_chance() || state.phase == Phase::over) return false;
    return state.phase != Phase::quarantine || (is_winter(setup, state) && state.zoo(seat).sizes[QZ]);
}

// The slots that are open to a dinosaur of a seat now.
inline Slots open_slots(const Setup& setup, const State& state, int seat, int dino, int face) {
    const bool winter = is_winter(setup, state);
    const Zoo& zoo = state.zoo(seat);
    return room(setup, winter, zoo, dino) & reach(setup, winter, zoo, face);
}

inline int score_after_move(const Setup& setup, const State& state, int seat, int slot) {
    Zoos zoos = state.zoos;
    Zoo& zoo = zoos[static_cast<std::size_t>(seat)];
    if (slot != stay) {
        const int guest = release(zoo);
        put(true, zoo, guest, slot);
    }
    return score(setup, true, zoos, seat);
}

// The quarantine moves (D-46). The zone is full, so it is not among them.
inline void quarantine_moves(const Setup& setup, const State& state, int seat, Actions& legal) {
    const int guest = state.zoo(seat).only(QZ);
    const Slots open = room(setup, true, state.zoo(seat), guest);
    int best = stay, most = -1;
    for (int slot = 0; slot <= most_slots; slot++) {
        const bool stays = slot == most_slots;
        if (stays ? !setup.may_stay : !(open & bit(slot))) continue;
        const int to = stays ? stay : slot;
        if (!setup.auto_best) {
            legal.add(nothing, to, nothing);
        } else if (const int points = score_after_move(setup, state, seat, to); points > most) {
            best = to;
            most = points;
        }
    }
    if (setup.auto_best) legal.add(nothing, best, nothing);
}

// Adds an action, or one for each discard that may go with it.
inline void add_with_drops(const Setup& setup, Group rest, int dino, int slot, Actions& legal) {
    if (!setup.drops_with_pick) return legal.add(dino, slot, nothing);
    for (int drop = 0; drop < kinds; drop++)
        if (count(rest, drop)) legal.add(dino, slot, drop);
}

inline void placements(const Setup& setup, const State& state, int seat, int dino, bool drops, Actions& legal) {
    const Slots open = open_slots(setup, state, seat, dino, face_for(setup, state, seat));
    for (int slot = 0; slot < most_slots; slot++) {
        if (!(open & bit(slot))) continue;
        if (drops) add_with_drops(setup, state.hand(seat) - one(dino), dino, slot, legal);
        else legal.add(dino, slot, nothing);
    }
}

// The legal actions of a seat in canonical order; none if it does not act.
inline void legal_actions(const Setup& setup, const State& state, int seat, Actions& legal) {
    legal.clear();
    if (!acts(setup, state, seat)) return;
    if (state.phase == Phase::quarantine) return quarantine_moves(setup, state, seat, legal);
    if (state.phase == Phase::place) return placements(setup, state, seat, state.pick(seat), false, legal);
    const Group hand = state.hand(seat);
    for (int dino = 0; dino < kinds; dino++) {
        if (!count(hand, dino)) continue;
        if (state.phase == Phase::discard) legal.add(nothing, stay, dino);
        else if (state.phase == Phase::pick) add_with_drops(setup, hand - one(dino), dino, stay, legal);
        else placements(setup, state, seat, dino, true, legal);
    }
}

// Steps.

inline void new_game(const Setup& setup, State& state, Phase phase, int game, int first) {
    state.phase = phase;
    state.game = static_cast<std::uint8_t>(game);
    state.round = state.turn = 0;
    state.first = static_cast<std::uint8_t>(first);
    state.die = no_face;
    state.bag = supply(setup);
    state.hands = {};
    state.zoos = {};
    state.box = {};
}

// Chance chooses who rolls first.
inline void begin(const Setup& setup, State& state, int first) { new_game(setup, state, Phase::deal, 0, first); }

// Chance deals (D-07).
inline void deal(const Setup& setup, State& state, const std::array<Group, most_seats>& hands) {
    for (int seat = 0; seat < setup.seats; seat++) {
        state.hand(seat) = hands[static_cast<std::size_t>(seat)];
        state.bag -= state.hand(seat);
    }
    state.phase = Phase::roll;
}

// Chance rolls the die.
inline void roll(const Setup& setup, State& state, int face) {
    state.die = static_cast<std::uint8_t>(face);
    state.phase = setup.places_with_pick ? Phase::draft : Phase::pick;
}

// The game ends; the match as well, or the winter game begins (D-52).
inline void end_game(const Setup& setup, State& state) {
    state.die = no_face;
    state.phase = Phase::over;
    if (state.game + 1 == setup.games) return;
    const bool winter = is_winter(setup, state);
    for (int seat = 0; seat < setup.seats; seat++) {
        const auto i = static_cast<std::size_t>(seat);
        state.earlier[i] = static_cast<std::int16_t>(score(setup, winter, state.zoos, seat));
        state.earlier_rexes[i] = static_cast<std::uint8_t>(count(in_scope(setup, state.zoo(seat)), rex));
    }
    new_game(setup, state, Phase::deal, state.game + 1, (state.first + (setup.next_starts ? 1 : 0)) % setup.seats);
}

inline bool has_quarantined(const Setup& setup, const State& state) {
    if (!is_winter(setup, state)) return false;
    for (int seat = 0; seat < setup.seats; seat++)
        if (state.zoo(seat).sizes[QZ]) return true;
    return false;
}

// The turn ends with these discards, if two play; hands go to the left (D-12, D-15).
inline void end_turn(const Setup& setup, State& state) {
    state.die = no_face;
    if (setup.discards) {
        for (std::size_t seat = 0; seat < 2; seat++) {
            const Group dropped = one(state.drops[seat]);
            state.hands[seat] -= dropped;
            state.box[seat] += dropped;
            state.drops[seat] = nothing;
        }
    }
    if (state.turn + 1 < setup.turns) {
        const auto last = static_cast<std::size_t>(setup.seats - 1);
        std::rotate(state.hands.begin(), state.hands.begin() + last, state.hands.begin() + last + 1);
        state.turn++;
        state.phase = Phase::roll;
    } else if (state.round + 1 < setup.rounds) {
        state.round++;
        state.turn = 0;
        state.phase = Phase::deal;
    } else if (has_quarantined(setup, state)) {
        state.phase = Phase::quarantine;
    } else {
        end_game(setup, state);
    }
}

inline void take_picks(const Setup& setup, State& state, const Choices& choices) {
    for (int seat = 0; seat < setup.seats; seat++) {
        const auto i = static_cast<std::size_t>(seat);
        state.picks[i] = choices[i].dino;
        state.drops[i] = choices[i].drop;
        state.hands[i] -= one(choices[i].dino);
    }
    state.phase = Phase::place;
}

inline void take_placements(const Setup& setup, State& state, const Choices& choices) {
    const bool winter = is_winter(setup, state);
    for (int seat = 0; seat < setup.seats; seat++)
        put(winter, state.zoo(seat), state.pick(seat), choices[static_cast<std::size_t>(seat)].slot);
    if (setup.discards && !setup.drops_with_pick) {
        state.phase = Phase::discard;
        state.die = no_face;
    } else {
        end_turn(setup, state);
    }
}

// One legal action of every seat that acts; what the others have in `choices` means nothing.
inline void apply(const Setup& setup, State& state, const Choices& choices) {
    switch (state.phase) {
        case Phase::pick: return take_picks(setup, state, choices);
        case Phase::place: return take_placements(setup, state, choices);
        case Phase::draft:
            take_picks(setup, state, choices);
            return take_placements(setup, state, choices);
        case Phase::discard:
            for (std::size_t seat = 0; seat < 2; seat++) state.drops[seat] = choices[seat].drop;
            return end_turn(setup, state);
        case Phase::quarantine:
            for (int seat = 0; seat < setup.seats; seat++) {
                const int slot = choices[static_cast<std::size_t>(seat)].slot;
                if (!state.zoo(seat).sizes[QZ] || slot == stay) continue;
                const int guest = release(state.zoo(seat));
                put(true, state.zoo(seat), guest, slot);
            }
            return end_game(setup, state);
        default: return;
    }
}

// The points of the match as if it ended here.
inline int total(const Setup& setup, const State& state, int seat) {
    return state.earlier[static_cast<std::size_t>(seat)] + score(setup, is_winter(setup, state), state.zoos, seat);
}

// How many T-Rex count against a seat in a tie (D-51, X-17).
inline int tie_rexes(const Setup& setup, const State& state, int seat) {
    if (setup.games > 1 && setup.shares_ties) return 0;
    return state.earlier_rexes[static_cast<std::size_t>(seat)] + count(in_scope(setup, state.zoo(seat)), rex);
}

}  // namespace raptor

#endif
