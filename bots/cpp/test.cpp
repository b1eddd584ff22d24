// Tests the SDK's own reader and writer with the vectors of the protocol: make test
#include "dinobot.hpp"
#include "views.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

namespace {

using dino::Entry;
using dino::Value;

int failures = 0;

#define CHECK(condition) check((condition), #condition, __LINE__)

void check(bool good, const char* condition, int line) {
    if (good) return;
    std::cerr << "test.cpp:" << line << ": " << condition << '\n';
    failures++;
}

// Vectors.

struct Vector {
    std::string frame;  // the bytes on the wire
    std::string json;   // the same message as a JSON line

    std::string payload() const { return frame.substr(dino::wire::header); }
};

std::string read_file(const std::string& name) {
    for (const std::string folder : {"vectors/", "../../protocol/vectors/"})
        if (std::ifstream file(folder + name, std::ios::binary); file)
            return std::string(std::istreambuf_iterator<char>(file), {});
    throw std::runtime_error("no vectors here, nor " + name);
}

// The text of a field of a vector's file, without its escapes.
std::string field(const std::string& file, const std::string& key) {
    const std::string opening = '"' + key + "\": \"";
    std::string text;
    for (std::size_t at = file.find(opening) + opening.size(); file.at(at) != '"'; at++) {
        const bool escaped = file[at] == '\\';
        at += escaped;
        text += escaped && file[at] == 'n' ? '\n' : file[at];
    }
    return text;
}

Vector vector_named(const std::string& name) {
    const std::string file = read_file(name + ".json"), hex = field(file, "msgpack");
    std::string frame;
    for (std::size_t at = 0; at < hex.size(); at += 2)
        frame += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    return {frame, field(file, "json")};
}

// A value as the arena writes it in JSON; enough for the vectors.
struct Json {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return std::to_string(value); }
    std::string operator()(std::string_view value) const { return '"' + std::string(value) + '"'; }

    std::string operator()(const Value::Array& items) const {
        std::string inner;
        for (const Value& item : items) inner += (inner.empty() ? "" : ",") + of(item);
        return '[' + inner + ']';
    }

    std::string operator()(const Value::Map& entries) const {
        std::string inner;
        for (const auto& [key, value] : entries) inner += (inner.empty() ? "" : ",") + (*this)(key) + ':' + of(value);
        return '{' + inner + '}';
    }

    static std::string of(const Value& value) { return std::visit(Json(), value.content()); }
};

// Reading.

const std::vector<std::string> from_arena = {"welcome", "start", "decide", "decide-last", "end", "end-void", "bye"};

// All messages that are whole once these pieces have arrived, as JSON lines.
std::string heard(const std::vector<std::string>& pieces) {
    dino::wire::Inbox inbox;
    std::string lines;
    for (const std::string& piece : pieces) {
        std::copy(piece.begin(), piece.end(), inbox.room().first);
        inbox.arrived(piece.size());
        while (inbox.whole()) lines += Json::of(dino::wire::Decoder::decode(inbox.next())) + '\n';
    }
    return lines;
}

void each_message_is_read_whole_byte_by_byte_and_merged() {
    std::vector<std::string> whole, bytes;
    std::string merged, expected;
    for (const std::string& name : from_arena) {
        const Vector vector = vector_named(name);
        whole.push_back(vector.frame);
        for (const char byte : vector.frame) bytes.emplace_back(1, byte);
        merged += vector.frame;
        expected += vector.json;
    }
    CHECK(heard(whole) == expected);
    CHECK(heard(bytes) == expected);
    CHECK(heard({merged}) == expected);
}

template <class Error, class Action>
bool throws(Action action) {
    try {
        action();
    } catch (const Error&) {
        return true;
    }
    return false;
}

void a_length_above_1_mib_is_refused() {
    CHECK(throws<dino::ProtocolError>([] { heard({std::string("\x00\x10\x00\x01", 4)}); }));
    CHECK(heard({std::string("\x00\x10\x00\x00", 4)}).empty());
}

void start_has_its_fields() {
    const std::string payload = vector_named("start").payload();
    const Value message = dino::wire::Decoder::decode(payload);
    const dino::Start start(message);
    CHECK(start.game == "draftosaurus" && start.seat == 1 && start.seats == 2);
    CHECK(start.bot_seed == std::numeric_limits<std::int64_t>::max() && start.players.at(1) == "greedy");
    CHECK(start.prepare_ms == 2000 && start.clock.bank_ms == 10000);
    CHECK(start.options.get<std::string>("season") == "winter");
}

void question_has_its_fields() {
    const std::string payload = vector_named("decide-last").payload();
    const Value message = dino::wire::Decoder::decode(payload);
    const dino::Question question(message);
    CHECK(question.id == 2 && question.legal.size() == 4 && question.legal.back() == "D@RV");
    CHECK(question.last && question.last->used_ms == 150 && !question.last->reason);
    CHECK(throws<dino::Misfit>([&] { question.view_as<dino::Draftosaurus>(); }));  // its view is shortened
    CHECK(throws<dino::Misfit>([&] { question.view_as<dino::Dinodocus>(); }));
}

void unknown_fields_are_ignored_and_null_is_absent() {
    const std::string payload = vector_named("decide").payload();
    Value::Map fields = dino::wire::Decoder::decode(payload).map();
    fields.push_back({"mood", Value(true)});
    fields.push_back({"last", Value()});
    const Value message(fields);
    const dino::Question question(message);
    CHECK(question.id == 1 && !question.last && question.events.size() == 2);
}

bool decodes(const std::string& payload) {
    const std::vector<char> exact(payload.begin(), payload.end());  // so that a sanitizer sees a read beyond it
    return !throws<dino::ProtocolError>([&] { dino::wire::Decoder::decode({exact.data(), exact.size()}); });
}

void what_is_not_one_value_is_refused() {
    const auto nested = [](std::size_t depth) { return std::string(depth - 1, '\x91') + '\x90'; };
    CHECK(decodes(nested(dino::most_depth)));
    CHECK(!decodes(nested(dino::most_depth + 1)));
    CHECK(!decodes(""));
    CHECK(!decodes("\x80\x80"));
    CHECK(!decodes("\xc1"));
    CHECK(!decodes("\x81\x01\x02"));
    CHECK(!decodes("\xdd\xff\xff\xff\xff\x01"));
    CHECK(!decodes("\xdb\xff\xff\xff\xff\x01"));
    CHECK(!decodes("\xa2\xff\xfe"));
    CHECK(decodes("\xa4\xf0\x9f\xa6\x95"));
    CHECK(!decodes("\xa3\xed\xa0\x80"));  // half a character
    CHECK(!decodes("\xa2\xc0\x80"));      // longer than needed
    CHECK(!decodes("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"));
    CHECK(decodes(std::string("\xd3\x80\0\0\0\0\0\0\0", 9)));
    CHECK(!decodes("\xc4\x01x"));
}

// Every cut and many random changes of every vector: nothing may be read beyond the end.
void broken_messages_do_no_harm() {
    std::mt19937 random(1);
    for (const std::string& name : from_arena) {
        std::string payload = vector_named(name).payload();
        for (std::size_t cut = 0; cut < payload.size(); cut++) CHECK(!decodes(payload.substr(0, cut)));
        for (int change = 0; change < 2000; change++) {
            char& byte = payload[random() % payload.size()];
            const char before = byte;
            byte = static_cast<char>(random());
            decodes(payload);
            if (change % 4 != 0) byte = before;
        }
    }
}

// Writing.

void each_message_is_written_as_in_its_vector() {
    CHECK(dino::wire::hello("greedy", "1.2.0", {"draftosaurus"}) == vector_named("hello").frame);
    CHECK(dino::wire::ready() == vector_named("ready").frame);
    CHECK(dino::wire::move(1, {"D"}) == vector_named("move").frame);
    CHECK(dino::wire::move(1, {"D", "zwölf Dinosaurier 🦕"}) == vector_named("move-note").frame);
}

void a_long_note_is_cut_by_characters() {
    const std::string payload = vector_named("move-long-note").payload();
    const auto note = dino::wire::Decoder::decode(payload).get<std::string_view>("note");
    const std::string written = dino::wire::move(1, {"D", note}).substr(dino::wire::header);
    CHECK(dino::wire::Decoder::decode(written).get<std::string_view>("note") == note.substr(0, dino::most_note));
    CHECK(dino::wire::cut_note("äöü") == "äöü");
}

}  // namespace

int main() {
    each_message_is_read_whole_byte_by_byte_and_merged();
    a_length_above_1_mib_is_refused();
    start_has_its_fields();
    question_has_its_fields();
    unknown_fields_are_ignored_and_null_is_absent();
    what_is_not_one_value_is_refused();
    broken_messages_do_no_harm();
    each_message_is_written_as_in_its_vector();
    a_long_note_is_cut_by_characters();
    std::cout << (failures ? "FAILED" : "ok: 9 tests") << '\n';
    return failures ? 1 : 0;
}
