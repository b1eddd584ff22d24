// How long raptor thinks about a question: so many playouts, so many milliseconds, or what its clock allows.
#ifndef RAPTOR_CLOCK_HPP
#define RAPTOR_CLOCK_HPP

#include "dinobot.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace raptor {

constexpr const char* usage = "usage: raptor [--playouts N | --ms N | --check]";

// What was said on the command line.
struct Words {
    int playouts = 0;  // 0: as many as the time allows
    int ms = 0;        // 0: what the clock allows
    bool check = false;
};

inline int number(const std::string& option, const char* word) {
    const std::string text = word ? word : "";
    const bool is_number = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
    if (!is_number || std::stoi(text) == 0) throw std::invalid_argument(option + ": expected a number above 0, got '" + text + "'");
    return std::stoi(text);
}

inline Words words(char** argv) {
    Words found;
    for (argv++; *argv; argv++) {
        const std::string option = *argv;
        if (option == "--check") found.check = true;
        else if (option == "--playouts") found.playouts = number(option, *++argv);
        else if (option == "--ms") found.ms = number(option, *++argv);
        else throw std::invalid_argument("no option " + option);
        if (!*argv) break;
    }
    return found;
}

// When to stop.
//
// The clock charges from the arena's question to our answer, also what the machine makes us wait. So a part of the
// increment is never planned, and of the bank a quarter is kept for bad moments. The rest is shared among the decisions
// still to come.
class Stopwatch {
  public:
    Stopwatch(const Words& said, const dino::Clock& clock, const dino::Clock& at_first, int decisions) : playouts_(said.playouts) {
        if (playouts_) return;
        const double increment = static_cast<double>(clock.increment_ms);
        const double spare = static_cast<double>(clock.bank_ms) - static_cast<double>(at_first.bank_ms) / 4;
        const double planned = std::max(increment * planned_part - latency_ms, increment / 4);
        double ms = planned + std::max(0.0, spare) / std::max(4, decisions);
        if (said.ms) ms = std::min<double>(said.ms, planned + std::max(0.0, spare) / 4);
        until_ = std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(1000 * ms));
    }

    bool is_over(int playouts) const {
        return playouts_ ? playouts >= playouts_ : std::chrono::steady_clock::now() >= until_;
    }

  private:
    static constexpr double planned_part = 0.7, latency_ms = 3;

    int playouts_;
    std::chrono::steady_clock::time_point until_{};
};

}  // namespace raptor

#endif
