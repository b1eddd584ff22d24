#include "dinobot.hpp"
#include <algorithm>

struct RiverHater {  // a new one for every match
    std::string_view decide(const dino::Question& question) {
        const auto& legal = question.legal;
        const auto is_dry = [](std::string_view action) { return action.find("RV") == action.npos; };
        const auto dry = std::find_if(legal.rbegin(), legal.rend(), is_dry);
        return dry == legal.rend() ? legal.back() : *dry;
    }
};

int main() { return dino::run<RiverHater>("my-bot", "1.0", {"draftosaurus", "dinodocus"}); }
