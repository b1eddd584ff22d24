// raptor at Draftosaurus: searches with rules of its own, some hundred thousand times a second.
//
// raptor_zoo.hpp and raptor_rules.hpp are the game, raptor_view.hpp stands between it and the protocol,
// raptor_policy.hpp plays without looking ahead, raptor_search.hpp looks ahead, raptor_clock.hpp knows for how long.
#include "raptor_check.hpp"
#include "raptor_clock.hpp"
#include "raptor_search.hpp"

#include <iostream>

namespace {

using namespace raptor;

Words said;  // on the command line

class Raptor {
  public:
    explicit Raptor(const dino::Start& start)
        : clock_(start.clock), seat_(start.seat), seed_(static_cast<std::uint64_t>(start.bot_seed)), setup_(known(start)), policy_(setup_) {}

    dino::Move decide(const dino::Question& question) {
        if (question.legal.size() == 1) return question.legal.front();
        try {
            const dino::Draftosaurus view(question.view);
            const Sight sight = read(setup_, view);
            return knows_all_ ? search(question, sight) : greedy(question, sight);
        } catch (const Unsupported& why) {
            std::cerr << "raptor: does not know " << why.what() << ", and plays the first legal action\n";
            return question.legal.front();
        }
    }

  private:
    // The set-up without what these rules do not know; then the policy plays alone.
    Setup known(const dino::Start& start) {
        Setup setup = set_up(start.seats, dino::Value(dino::Value::Map()));
        for (const dino::Entry& option : start.options.map()) {
            try {
                set_option(setup, option.key, option.value);
            } catch (const std::runtime_error& why) {
                std::cerr << "raptor: does not know " << option.key << " (" << why.what() << "), and does not search in this match\n";
                knows_all_ = false;
            }
        }
        return setup;
    }

    dino::Move search(const dino::Question& question, const Sight& sight) const {
        const State& state = sight.state;
        const std::uint64_t moment = static_cast<std::uint64_t>(state.phase) + 16u * (state.turn + 8u * (state.round + 4u * state.game));
        Search search(setup_, policy_, sight, seat_, seed_ * 1024 + moment);
        const bool is_settled = search.is_settled();
        if (!is_settled) think(search, Stopwatch(said, question.clock, clock_, decisions_left(state)));
        const Action best = is_settled ? search.settle() : search.best();
        const std::string action = spell(is_winter(setup_, state), state.phase, best);
        if (std::find(question.legal.begin(), question.legal.end(), action) == question.legal.end()) {
            std::cerr << "raptor: its rules took " << action << " for legal, and the arena does not; it plays without looking ahead\n";
            return greedy(question, sight);
        }
        if (is_settled) return {action, "the best to the end"};
        const int percent = static_cast<int>(100 * search.value() + 0.5);
        return {action, std::to_string(percent) + " % after " + std::to_string(search.playouts()) + " playouts"};
    }

    static void think(Search& search, const Stopwatch& watch) {
        do search.think();
        while (!watch.is_over(search.playouts()));
    }

    // The legal action that promises the most.
    dino::Move greedy(const dino::Question& question, const Sight& sight) const {
        const State& state = sight.state;
        std::string_view found = question.legal.front();
        float most = -1e9f;
        Actions actions;
        legal_actions(setup_, state, seat_, actions);
        for (const Action& action : actions) {
            const std::string text = spell(is_winter(setup_, state), state.phase, action);
            const auto legal = std::find(question.legal.begin(), question.legal.end(), text);
            const float value = policy_.value(state, seat_, action);
            if (legal == question.legal.end() || value <= most) continue;
            most = value;
            found = *legal;
        }
        return {found, "without looking ahead"};
    }

    // How many questions are still to come in this match, this one included.
    int decisions_left(const State& state) const {
        const int each = 1 + !setup_.places_with_pick + (setup_.discards && !setup_.drops_with_pick);
        const int turns = (setup_.rounds - state.round) * setup_.turns - state.turn + (setup_.games - 1 - state.game) * turns_in_all;
        return each * turns + 1;
    }

    dino::Clock clock_;
    int seat_;
    std::uint64_t seed_;
    bool knows_all_ = true;
    Setup setup_;
    Policy policy_;
};

}  // namespace

int main(int, char** argv) {
    try {
        said = words(argv);
        if (said.check) return check();
    } catch (const std::exception& error) {
        std::cerr << "raptor: " << error.what() << "\n" << usage << "\n";
        return 2;
    }
    return dino::run<Raptor>("raptor", "1.0", {"draftosaurus"});
}
