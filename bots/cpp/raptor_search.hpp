// How raptor looks ahead: a tree of its own decisions, over positions that it cannot rule out.
//
// Theory of operation. Each playout fills in what the seat does not see, and plays the game to its end: the seat in its
// tree, whose nodes are what it has done since now, the others by the policy, and all by the policy once the seat has
// left the tree, which then grows by a node. In the tree the seat takes the action with the best upper bound among
// those that are legal in this position, whatever the dice and the hands are. The value of a playout is how likely the
// lead is to win. The answer is the action that was tried most often. In the last turn,
// once the die is rolled, nothing is left to chance, and everything is tried instead. Rivals with trees of their own were measured and
// play worse: a tree that has seen a few playouts is a weaker rival than the policy.
#ifndef RAPTOR_SEARCH_HPP
#define RAPTOR_SEARCH_HPP

#include "raptor_policy.hpp"

#include <vector>

namespace raptor {

struct Tuning {
    double explore = 0.8;  // weight of what has been tried less often
    double trust = 0.1;    // what a point of the policy's estimate is worth before an action has been tried
    double points = 6;     // the lead that makes a win much more likely
    double later = 12;     // the same, if another game follows
    double win = 0.5;      // weight of the win beside that of the lead
};

class Search {
  public:
    Search(const Setup& setup, const Policy& policy, const Sight& sight, int seat, std::uint64_t seed, const Tuning& tuning = {})
        : setup_(setup), policy_(policy), sight_(sight), seat_(seat), random_(seed), tuning_(tuning) {
        nodes_.emplace_back();
    }

    // One more playout.
    void think() {
        State state = determinize(setup_, sight_, random_);
        const int game = state.game;
        path_.clear();
        int node = 0;
        while (node >= 0 && state.phase != Phase::over && state.game == game) node = step(state, node);
        if (state.phase != Phase::over && state.game == game) policy_.play_out(state, random_);
        learn(worth(state, game));
        playouts_++;
    }

    // Whether no chance is left in this game and no hand is hidden: then `settle` does better than playouts.
    bool is_settled() const {
        const State& state = sight_.state;
        if (state.is_chance()) return false;
        for (const int hidden : sight_.unknown)
            if (hidden) return false;
        return state.round + 1 == setup_.rounds && state.turn + 1 == setup_.turns;
    }

    // The best action, by trying all that the seat can do until the end, the rivals playing the policy.
    Action settle() {
        const State state = determinize(setup_, sight_, random_);
        Actions legal;
        legal_actions(setup_, state, seat_, legal);
        Action found;
        double most = -1, prior = 0;
        for (const Action& action : legal) {
            const double value = settled(after(state, action), state.game);
            const double promised = policy_.value(state, seat_, action);
            if (value < most || (value == most && promised <= prior)) continue;
            found = action;
            most = value;
            prior = promised;
        }
        return found;
    }

    // What was tried most often.
    const Action& best() const { return best_arm().action; }
    double value() const { return best_arm().mean(); }
    int playouts() const { return playouts_; }

  private:
    struct Arm {
        Action action;
        int next = -1;  // the node behind it
        float sum = 0;
        float visits = 0, chances = 0;
        float prior = 0;

        double mean() const { return visits > 0 ? sum / visits : 0; }
    };
    struct Node {
        std::vector<Arm> arms;
        float sum = 0, visits = 0;
    };
    struct Step {
        int node, arm;
    };

    const Arm& best_arm() const {
        const auto& arms = nodes_.front().arms;
        return *std::max_element(arms.begin(), arms.end(), [](const Arm& one, const Arm& other) {
            return one.visits < other.visits || (one.visits == other.visits && one.mean() < other.mean());
        });
    }

    // What the best play of the seat makes of a position without chance.
    double settled(const State& state, int game) const {
        if (state.phase == Phase::over || state.game != game) return worth(state, game);
        if (!acts(setup_, state, seat_)) return settled(after(state, {}), game);
        Actions legal;
        legal_actions(setup_, state, seat_, legal);
        double most = 0;
        for (const Action& action : legal) most = std::max(most, settled(after(state, action), game));
        return most;
    }

    // The state after this action of the seat, the rivals playing the policy.
    State after(State state, const Action& action) const {
        Choices choices{};
        for (int seat = 0; seat < setup_.seats; seat++)
            if (acts(setup_, state, seat)) choices[static_cast<std::size_t>(seat)] = seat == seat_ ? action : policy_.choose(state, seat);
        apply(setup_, state, choices);
        return state;
    }

    // One step of the game. Returns the node after it; -1: the seat has left its tree.
    int step(State& state, int node) {
        if (state.is_chance()) {
            act_chance(setup_, state, random_);
            return node;
        }
        Choices choices{};
        for (int seat = 0; seat < setup_.seats; seat++)
            if (acts(setup_, state, seat)) choices[static_cast<std::size_t>(seat)] = seat == seat_ ? in_tree(state, node) : policy_.choose(state, seat);
        apply(setup_, state, choices);
        return node;
    }

    // The seat's action at a node, which becomes the node behind it.
    Action in_tree(const State& state, int& node) {
        legal_actions(setup_, state, seat_, legal_);
        if (legal_.size() == 1) return legal_[0];  // nothing to learn
        const int arm = select(state, node);
        path_.push_back({node, arm});
        Arm& chosen = nodes_[static_cast<std::size_t>(node)].arms[static_cast<std::size_t>(arm)];
        const Action action = chosen.action;
        node = chosen.next;
        if (chosen.visits >= 1 && node < 0) {
            node = chosen.next = static_cast<int>(nodes_.size());
            nodes_.emplace_back();
        }
        return action;
    }

    int select(const State& state, int at) {
        Node& node = nodes_[static_cast<std::size_t>(at)];
        weigh(state, node);
        const double usual = node.visits > 0 ? node.sum / node.visits : 0.5;
        int found = -1;
        double most = -1e9;
        for (const int i : here_) {
            Arm& arm = node.arms[static_cast<std::size_t>(i)];
            arm.chances++;
            const double mean = arm.visits > 0 ? arm.mean() : usual;
            const double wonder = tuning_.explore * std::sqrt(std::log(1.0 + arm.chances) / (arm.visits + 1));
            const double bound = mean + wonder + tuning_.trust * arm.prior / (arm.visits + 1);
            if (bound > most) {
                most = bound;
                found = i;
            }
        }
        return found;
    }

    // Finds the legal actions among the arms of a node, and adds those that are missing.
    void weigh(const State& state, Node& node) {
        here_.clear();
        for (const Action& action : legal_) {
            std::size_t i = 0;
            while (i < node.arms.size() && !(node.arms[i].action == action)) i++;
            if (i == node.arms.size()) {
                node.arms.push_back({});
                node.arms[i].action = action;
                node.arms[i].prior = policy_.value(state, seat_, action);
            }
            here_.push_back(static_cast<int>(i));
        }
    }

    void learn(float value) {
        for (const Step& step : path_) {
            Node& node = nodes_[static_cast<std::size_t>(step.node)];
            Arm& arm = node.arms[static_cast<std::size_t>(step.arm)];
            arm.sum += value;
            arm.visits++;
            node.sum += value;
            node.visits++;
        }
    }

    // What the end of a game is worth for the seat, from 0 to 1.
    float worth(const State& state, int game) const {
        const bool is_last = game + 1 == setup_.games;
        const int own = standing(state, seat_, is_last);
        int rival = std::numeric_limits<int>::min(), equal = 1;
        for (int other = 0; other < setup_.seats; other++) {
            if (other == seat_) continue;
            const int theirs = standing(state, other, is_last);
            rival = std::max(rival, theirs);
            equal += theirs == own;
        }
        const double lead = static_cast<double>(own - rival) / most_rexes;
        const double likely = 1 / (1 + std::exp(-lead / (is_last ? tuning_.points : tuning_.later)));
        if (!is_last) return static_cast<float>(likely);
        const double won = rival > own ? 0 : 1.0 / equal;
        return static_cast<float>(tuning_.win * won + (1 - tuning_.win) * likely);
    }

    // Points, and behind them the T-Rex that decide a tie.
    static constexpr int most_rexes = 32;
    int standing(const State& state, int seat, bool is_last) const {
        if (is_last) return most_rexes * total(setup_, state, seat) - tie_rexes(setup_, state, seat);
        const auto i = static_cast<std::size_t>(seat);
        return most_rexes * state.earlier[i] - state.earlier_rexes[i];
    }

    Setup setup_;
    const Policy& policy_;
    const Sight& sight_;
    int seat_;
    Random random_;
    Tuning tuning_;
    int playouts_ = 0;
    std::vector<Node> nodes_;  // the first is the root
    std::vector<Step> path_;
    std::vector<int> here_;
    Actions legal_;
};

}  // namespace raptor

#endif
