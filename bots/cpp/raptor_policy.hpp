// What raptor plays without looking ahead: the placement that promises the most points.
//
// Theory of operation. The final points of a zoo are estimated pen by pen: what a pen scores now, and what it will
// probably gain in the turns to come. A placement changes one pen, and perhaps what King of the Jungle and Solitary
// Island are worth, so its gain is a few look-ups in tables by contents and turns left. `greedy` estimates in the same
// way; here a whole game takes microseconds.
#ifndef RAPTOR_POLICY_HPP
#define RAPTOR_POLICY_HPP

#include "raptor_view.hpp"

#include <cmath>

namespace raptor {

// What the estimates assume.
struct Weights {
    double forest = 0.33, meadow = 0.33, wood = 0.33, pyramid = 0.33;  // dinosaurs that each turn to come adds
    double single = 1.5, bridge_single = 1.5;  // points of a dinosaur that may still find its partner
    double king = 4, island = 4, lookout = 4;  // points of a pen for one dinosaur that is kept for a good one
    double guest = 1;                          // part of its best gain that a dinosaur in quarantine is worth
    double lonely = 0;                         // points that an island's dinosaur loses with each turn to come
    double denial = 0.3;                       // worth of a point that the neighbour does not get
};

class Policy {
  public:
    explicit Policy(const Setup& setup, const Weights& weights = {}) : setup_(setup), weights_(weights) {
        for (std::size_t turns = 0; turns < turns_left; turns++) {
            for (std::size_t filled = 0; filled < 7; filled++) {
                forest_[filled][turns] = grown(sameness, filled, turns, weights.forest);
                meadow_[filled][turns] = grown(differences, filled, turns, weights.meadow);
                wood_[filled][turns] = grown(sameness, filled, turns, weights.wood);
                pyramid_[filled][turns] = grown(raptor::pyramid, filled, turns, weights.pyramid);
            }
            for (std::size_t i = 0; i < leads; i++) {
                const double lead = static_cast<double>(i) - middle;
                king_[i][turns] = static_cast<float>(7 * std::clamp(0.5 + (lead + 0.5) / static_cast<double>(turns + 1), 0.0, 1.0));
            }
        }
    }

    // What a placement adds to the points that a seat will probably have.
    float gain(const State& state, int seat, int dino, int slot) const {
        const bool winter = is_winter(setup_, state);
        const Zoo& zoo = state.zoo(seat);
        const int placed = zoo.placed() - zoo.sizes[QZ] * (winter ? 1 : 0);
        const auto turns = static_cast<std::size_t>(std::max(0, turns_in_all - 1 - placed));
        const int pen = pen_of(winter, slot);
        if (pen == river) return 1 + (setup_.river_counts && !winter ? shift(state.zoos, seat, dino, turns) : 0);
        const float bonus = dino == rex && !(zoo.with_rex & bit(slot)) ? 1 : 0;
        if (winter) return bonus + winter_gain(state, seat, dino, pen, turns);
        return bonus + summer_gain(state.zoos, seat, dino, pen, turns) + shift(state.zoos, seat, dino, turns);
    }

    struct Best {
        int slot;
        float gain;
    };

    // The best of some slots for a dinosaur.
    Best best(const State& state, int seat, int dino, Slots open) const {
        Best found = {river_slot(is_winter(setup_, state)), -1e9f};
        for (; open; open &= open - 1) {
            const int slot = __builtin_ctz(open);
            const float value = gain(state, seat, dino, slot);
            if (value > found.gain) found = {slot, value};
        }
        return found;
    }

    // How much it is worth that the left neighbour does not get a dinosaur.
    float denied(const State& state, int seat, int dino) const {
        const int neighbour = seat + 1 == setup_.seats ? 0 : seat + 1;
        const Slots open = open_slots(setup_, state, neighbour, dino, no_face);
        return static_cast<float>(weights_.denial) * best(state, neighbour, dino, open).gain;
    }

    int best_drop(const State& state, int seat, Group hand) const {
        int found = nothing;
        float most = -1e9f;
        for (int dino = 0; dino < kinds; dino++) {
            if (!count(hand, dino)) continue;
            if (found != nothing && hand == one(dino)) continue;
            const float value = denied(state, seat, dino);
            if (value > most) {
                found = dino;
                most = value;
            }
        }
        return found;
    }

    // What a seat picks, and where it will place that.
    Action best_pick(const State& state, int seat) const {
        const Group hand = state.hand(seat);
        const int face = face_for(setup_, state, seat);
        Action found;
        float most = -1e9f;
        for (int dino = 0; dino < kinds; dino++) {
            if (!count(hand, dino)) continue;
            const Best placed = best(state, seat, dino, open_slots(setup_, state, seat, dino, face));
            if (placed.gain > most) {
                most = placed.gain;
                found = action(dino, placed.slot, nothing);
            }
        }
        if (setup_.drops_with_pick) found.drop = static_cast<std::uint8_t>(best_drop(state, seat, hand - one(found.dino)));
        return found;
    }

    // What a seat does.
    Action choose(const State& state, int seat) const {
        switch (state.phase) {
            case Phase::place: {
                const Slots open = open_slots(setup_, state, seat, state.pick(seat), face_for(setup_, state, seat));
                return action(state.pick(seat), best(state, seat, state.pick(seat), open).slot, nothing);
            }
            case Phase::discard: return action(nothing, stay, best_drop(state, seat, state.hand(seat)));
            case Phase::quarantine: return best_move(state, seat);
            default: return best_pick(state, seat);
        }
    }

    // Plays on to the end of this game, this policy in every seat. Choices may be given for seats that act now.
    void play_out(State& state, Random& random) const {
        const std::uint8_t game = state.game;
        while (state.phase != Phase::over && state.game == game) {
            if (state.is_chance()) {
                act_chance(setup_, state, random);
                continue;
            }
            Choices choices{};
            const Phase phase = state.phase;
            for (int seat = 0; seat < setup_.seats; seat++)
                if (acts(setup_, state, seat)) choices[static_cast<std::size_t>(seat)] = choose(state, seat);
            apply(setup_, state, choices);
            if (phase == Phase::pick) apply(setup_, state, choices);  // a pick knows where it goes
        }
    }

    // What an action promises, to be compared with other legal actions.
    float value(const State& state, int seat, const Action& action) const {
        if (state.phase == Phase::quarantine) return moved(state, seat, action.slot);
        float value = action.drop == nothing ? 0 : denied(state, seat, action.drop);
        if (action.dino == nothing) return value;
        if (action.slot != stay) return value + gain(state, seat, action.dino, action.slot);
        const int face = face_for(setup_, state, seat);
        return value + best(state, seat, action.dino, open_slots(setup_, state, seat, action.dino, face)).gain;
    }

  private:
    static constexpr std::size_t turns_left = turns_in_all + 1;
    static constexpr std::size_t leads = 31, middle = 15;
    using Table = std::array<std::array<float, turns_left>, 7>;

    static float grown(const std::array<int, 7>& points, std::size_t filled, std::size_t turns, double pace) {
        const double reach = std::min(static_cast<double>(filled) + static_cast<double>(turns) * pace, 6.0);
        const auto below = std::min(static_cast<std::size_t>(reach), std::size_t{5});
        const double step = points[below + 1] - points[below];
        return static_cast<float>(points[below] + (reach - static_cast<double>(below)) * step);
    }

    static float step(const Table& table, int filled, std::size_t turns) {
        const auto i = static_cast<std::size_t>(filled);
        return table[i + 1][turns] - table[i][turns];
    }

    static float kept(double points, std::size_t turns) { return static_cast<float>(std::min(points, static_cast<double>(turns))); }

    static float singles(double each, int number, std::size_t turns) {
        return static_cast<float>(std::min(each * number, static_cast<double>(turns)));
    }

    float king(int lead, std::size_t turns) const { return king_[static_cast<std::size_t>(lead + static_cast<int>(middle))][turns]; }

    float alone(std::size_t turns) const { return static_cast<float>(7 - weights_.lonely * static_cast<double>(turns)); }

    // What one more dinosaur of a kind changes elsewhere in a summer zoo.
    float shift(const Zoos& zoos, int seat, int dino, std::size_t turns) const {
        const Zoo& zoo = zoos[static_cast<std::size_t>(seat)];
        float change = 0;
        if (zoo.in[KJ] == one(dino)) {
            const int lead = count(in_scope(setup_, zoo), dino) - most_of_rivals(setup_, zoos, seat, dino);
            change += king(lead + 1, turns) - king(lead, turns);
        }
        if (zoo.in[SI] == one(dino) && count(in_scope(setup_, zoo), dino) == 1) change -= alone(turns);
        return change;
    }

    float summer_gain(const Zoos& zoos, int seat, int dino, int pen, std::size_t turns) const {
        const Zoo& zoo = zoos[static_cast<std::size_t>(seat)];
        switch (pen) {
            case FS: return step(forest_, zoo.sizes[FS], turns);
            case MD: return step(meadow_, zoo.sizes[MD], turns);
            case WT: return trio(zoo.sizes[WT] + 1, turns) - trio(zoo.sizes[WT], turns);
            case PL: {
                const int odd = lonely(zoo.in[PL]);
                const bool pairs = count(zoo.in[PL], dino) & 1;
                return (pairs ? 5 : 0) + singles(weights_.single, odd + (pairs ? -1 : 1), turns) - singles(weights_.single, odd, turns);
            }
            case KJ: {
                const int lead = count(in_scope(setup_, zoo), dino) + 1 - most_of_rivals(setup_, zoos, seat, dino);
                return king(lead, turns) - kept(weights_.king, turns);
            }
            default: return (count(in_scope(setup_, zoo), dino) ? 0 : alone(turns)) - kept(weights_.island, turns);
        }
    }

    // How many kinds there is an odd number of.
    static int lonely(Group group) { return __builtin_popcount(group & 0x111111); }

    float trio(int filled, std::size_t turns) const {
        return filled + static_cast<int>(turns) >= 3 ? static_cast<float>(setup_.trio_points * filled) / 3 : 0;
    }

    float winter_gain(const State& state, int seat, int dino, int pen, std::size_t turns) const {
        const Zoo& zoo = state.zoo(seat);
        switch (pen) {
            case WO: return step(wood_, zoo.sizes[WO], turns);
            case PY: return step(pyramid_, zoo.sizes[PY], turns);
            case BL: return bridge_gain(zoo, dino, count(zoo.in[BR], dino) > count(zoo.in[BL], dino), turns);
            case BR: return bridge_gain(zoo, dino, count(zoo.in[BL], dino) > count(zoo.in[BR], dino), turns);
            case LO: {
                const Group right = in_scope(setup_, state.zoo(right_of(setup_, seat)));
                const float seen = static_cast<float>(count(right, dino)) + static_cast<float>(turns) / kinds;
                return 2 * seen - kept(weights_.lookout, turns);
            }
            default: {  // QZ: it will go where it is best
                const Slots open = room(setup_, true, zoo, dino) & ~bit(QZ);
                return static_cast<float>(weights_.guest) * best(state, seat, dino, open).gain;
            }
        }
    }

    float bridge_gain(const Zoo& zoo, int, bool couples, std::size_t turns) const {
        int alone = 0;
        for (int dino = 0; dino < kinds; dino++) alone += std::abs(count(zoo.in[BL], dino) - count(zoo.in[BR], dino));
        const float change = singles(weights_.bridge_single, alone + (couples ? -1 : 1), turns) - singles(weights_.bridge_single, alone, turns);
        return (couples ? 6 : 0) + change;
    }

    // The points after a quarantine move.
    float moved(const State& state, int seat, int slot) const {
        return static_cast<float>(score_after_move(setup_, state, seat, slot));
    }

    Action best_move(const State& state, int seat) const {
        Actions legal;
        legal_actions(setup_, state, seat, legal);
        Action found;
        float most = -1e9f;
        for (const Action& action : legal) {
            const float value = moved(state, seat, action.slot);
            if (value > most) {
                found = action;
                most = value;
            }
        }
        return found;
    }

    Setup setup_;
    Weights weights_;
    Table forest_{}, meadow_{}, wood_{}, pyramid_{};
    std::array<std::array<float, turns_left>, leads> king_{};
};

}  // namespace raptor

#endif
