// `raptor --check` shows what raptor's rules make of positions, to be compared with the arena's own rules.
//
// On stdin come the arena's frames: a length of four bytes, then a MessagePack map with `seats`, `options`, `view`, in
// which nothing is hidden or something is, and `actions`, by seat, for a step, or `deal`, `roll` or `first` for one of
// chance. On stdout goes one line for each: the position with the hidden filled in, the legal actions of all seats, the
// points and T-Rex of all seats, and the position after the step.
#ifndef RAPTOR_CHECK_HPP
#define RAPTOR_CHECK_HPP

#include "raptor_view.hpp"

#include <cstdio>
#include <string>

namespace raptor {

inline std::string spell(Group group) {
    std::string text;
    for (int dino = 0; dino < kinds; dino++) text.append(static_cast<std::size_t>(count(group, dino)), letters[static_cast<std::size_t>(dino)]);
    return text;
}

// A zoo pen by pen, as the arena keeps it.
inline std::string spell(bool winter, const Zoo& zoo) {
    std::string text;
    for (std::size_t pen = 0; pen < pens; pen++) {
        std::string contents = spell(zoo.in[pen]);
        if (winter && pen == WO)
            for (std::size_t i = 0; i < contents.size(); i++) contents[i] = letters[zoo.wood[i & 1]];
        if (winter && pen == PY && zoo.sizes[PY]) {
            contents = "......";
            for (std::size_t dino = 0; dino < kinds; dino++)
                for (std::size_t cell = 0; cell < 6; cell++)
                    if (zoo.cells[dino] >> cell & 1) contents[cell] = letters[dino];
        }
        text += (pen ? "," : "") + contents;
    }
    return text;
}

inline std::string letter(int dino) { return dino == nothing ? "" : std::string(1, letters[static_cast<std::size_t>(dino)]); }

inline std::string spell(const Setup& setup, const State& state) {
    const std::string head = std::string(phase_names[static_cast<std::size_t>(state.phase)]) + " " + std::to_string(state.game) + " "
                           + std::to_string(state.round) + " " + std::to_string(state.turn) + " " + std::to_string(state.first) + " "
                           + (state.die == no_face ? "" : std::string(1, faces[state.die])) + " " + spell(state.bag);
    std::string text = head;
    for (int seat = 0; seat < setup.seats; seat++) {
        const auto i = static_cast<std::size_t>(seat);
        text += ";" + spell(is_winter(setup, state), state.zoos[i]) + " " + spell(state.hands[i]) + " ";
        if (state.phase == Phase::place) text += letter(state.picks[i]) + " " + letter(state.drops[i]);
        if (seat < 2) text += " " + spell(state.box[i]);
    }
    return text;
}

inline std::string legal_texts(const Setup& setup, const State& state) {
    std::string text;
    Actions legal;
    for (int seat = 0; seat < setup.seats; seat++) {
        legal_actions(setup, state, seat, legal);
        for (const Action& action : legal) text += spell(is_winter(setup, state), state.phase, action) + " ";
        text += ";";
    }
    return text;
}

inline std::string points(const Setup& setup, const State& state) {
    std::string text;
    for (int seat = 0; seat < setup.seats; seat++)
        text += std::to_string(total(setup, state, seat)) + " " + std::to_string(tie_rexes(setup, state, seat)) + ";";
    return text;
}

inline Action found(const Setup& setup, const State& state, int seat, std::string_view text) {
    Actions legal;
    legal_actions(setup, state, seat, legal);
    for (const Action& action : legal)
        if (spell(is_winter(setup, state), state.phase, action) == text) return action;
    return {};
}

inline void step(const Setup& setup, State& state, const dino::Value& message) {
    if (const dino::Value* first = message.find("first")) return begin(setup, state, first->to<int>());
    if (const dino::Value* die = message.find("roll")) return roll(setup, state, static_cast<int>(faces.find(word(*die).front())));
    if (const dino::Value* dealt = message.find("deal")) {
        std::array<Group, most_seats> hands{};
        const auto texts = dealt->to<std::vector<std::string_view>>();
        for (std::size_t seat = 0; seat < texts.size() && seat < most_seats; seat++) hands[seat] = group_of(texts[seat]);
        return deal(setup, state, hands);
    }
    Choices choices{};
    const auto texts = message.get<std::vector<std::string_view>>("actions");
    for (std::size_t seat = 0; seat < texts.size() && seat < most_seats; seat++)
        if (!texts[seat].empty()) choices[seat] = found(setup, state, static_cast<int>(seat), texts[seat]);
    apply(setup, state, choices);
}

inline std::string checked(std::string_view payload) {
    const dino::Value message = dino::wire::Decoder::decode(payload);
    const Setup setup = set_up(message.get<int>("seats"), message["options"]);
    Random random(message.get<std::uint32_t>("seed"));
    State state = determinize(setup, read(setup, dino::Draftosaurus(message["view"])), random);
    std::string text = spell(setup, state) + "|" + legal_texts(setup, state) + "|" + points(setup, state) + "|";
    if (state.phase == Phase::over) return text;
    step(setup, state, message);
    return text + spell(setup, state);
}

inline int check() {
    std::string payload;
    unsigned char header[4];
    while (std::fread(header, 1, sizeof header, stdin) == sizeof header) {
        payload.resize(std::size_t{header[0]} << 24 | std::size_t{header[1]} << 16 | std::size_t{header[2]} << 8 | header[3]);
        if (std::fread(payload.data(), 1, payload.size(), stdin) != payload.size()) return 1;
        std::printf("%s\n", checked(payload).c_str());
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace raptor

#endif
