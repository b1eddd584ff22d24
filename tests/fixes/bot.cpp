// A bot that plays the first legal action and does what the fixes of `arena check` say; `bot FINDING` does not in one place.
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <unistd.h>

static std::string broken;

static void say(const std::string& text) {
    std::cout << text;
    if (broken != "truncated" || text.find("move") == std::string::npos) std::cout << '\n';
    if (broken != "not-flushed" || text.find("move") == std::string::npos) std::cout << std::flush;
}

static std::string after(const std::string& line, const std::string& key) { return line.substr(line.find(key) + key.size()); }

// read() may return less than a message: it is called in a loop, and what is left is kept.
static bool next(std::string& line) {
    if (broken != "split-frames" && broken != "fixed-frames") return static_cast<bool>(std::getline(std::cin, line));
    static std::string held;
    static char buffer[1 << 16];
    while (held.find('\n') == std::string::npos) {
        const auto got = read(0, buffer, sizeof buffer);
        if (got <= 0) return false;
        held.append(buffer, static_cast<std::size_t>(got));
        if (broken == "split-frames") held += '\n';
    }
    line = held.substr(0, held.find('\n'));
    held.erase(0, broken == "split-frames" ? held.size() : line.size() + 1);
    return true;
}

int main(int count, char** words) {
    broken = count > 1 ? words[1] : "";
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    (broken == "text" ? std::cout : std::cerr) << "thinking" << std::endl;
    say(R"({"type":"hello","protocol":1,"name":"fixed","version":"1","games":["draftosaurus"]})");
    std::string line;
    while (true) {
        if (!next(line)) {
            if (broken == "eof-ignored") continue;
            return 0;
        }
        const auto is = [&](const char* type) { return line.find(std::string("\"type\":\"") + type) != std::string::npos; };
        if (is("start")) {
            say(R"({"type":"ready"})");
        } else if (is("decide")) {
            std::int64_t id = std::stoll(after(line, "\"id\":"));
            if (broken == "ids") id = static_cast<int>(id);
            const auto legal = after(line, "\"legal\":[\"");
            say("{\"type\":\"move\",\"id\":" + std::to_string(id) + ",\"action\":\"" + legal.substr(0, legal.find('"')) + "\"}");
        } else if (is("bye")) {
            return 0;
        }
    }
}
