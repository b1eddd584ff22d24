// A bot's side of the arena's protocol, in C++17 on POSIX. Keep dinobot.hpp next to your bot.
//
//     struct First {
//         explicit First(const dino::Start& start) : seat(start.seat) {}  // called for every match; may be left out
//         std::string_view decide(const dino::Question& question) { return question.legal.front(); }
//         int seat;
//     };
//
//     int main() { return dino::run<First>("first", "1.0", {"draftosaurus"}); }
//
// Texts are views of the message they came in: those of a question live until `decide` returns, those of the start
// as long as the player. Copy into a std::string what you keep. Print as you like: it goes to stderr.
#ifndef DINOBOT_HPP
#define DINOBOT_HPP

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if __has_include(<execinfo.h>) && !defined __SANITIZE_ADDRESS__  // a sanitizer prints a better stack
#include <execinfo.h>
#define DINO_HAS_STACK 1
#endif

namespace dino {

inline constexpr int revision = 1;
inline constexpr std::size_t most_bytes = std::size_t{1} << 20;
inline constexpr int most_depth = 32;
inline constexpr std::size_t most_note = 1024;

// The arena said something that this revision of the protocol does not know.
struct ProtocolError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A value is not what was asked for.
struct Misfit : ProtocolError {
    using ProtocolError::ProtocolError;
};

// Values: what messages are made of.

struct Entry;

// One value of a message. `to<T>()` turns it into bool, a number, a std::string_view or std::string, a std::vector, a
// std::map with text keys, a std::optional (empty for null), or any type with a constructor from a Value.
class Value {
  public:
    using Array = std::vector<Value>;
    using Map = std::vector<Entry>;
    using Variant = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string_view, Array, Map>;

    Value() = default;
    template <class T, class = std::enable_if_t<!std::is_same_v<std::decay_t<T>, Value>>>
    explicit Value(T&& content) : content_(std::in_place_type<std::decay_t<T>>, std::forward<T>(content)) {}

    const Variant& content() const { return content_; }
    bool is_null() const { return std::holds_alternative<std::nullptr_t>(content_); }

    const Array& array() const { return expect<Array>("an array"); }
    const Map& map() const { return expect<Map>("a map"); }

    // This value, if it is a map; else throws Misfit.
    const Value& as_map() const { return map(), *this; }

    // The value of a key; nullptr if there is none.
    const Value* find(std::string_view key) const;

    // The value of a key; throws Misfit if there is none.
    const Value& operator[](std::string_view key) const;

    template <class T>
    T to() const;

    // The field of a map. Where T is a std::optional, the field may be absent or null.
    template <class T>
    T get(std::string_view key) const;

  private:
    template <class T>
    const T& expect(const char* what) const {
        if (const T* found = std::get_if<T>(&content_)) return *found;
        throw Misfit(std::string("expected ") + what);
    }

    template <class T>
    T to_number() const;

    Variant content_;
};

struct Entry {
    std::string_view key;
    Value value;
};

inline const Value* Value::find(std::string_view key) const {
    for (const Entry& entry : map())
        if (entry.key == key) return &entry.value;
    return nullptr;
}

inline const Value& Value::operator[](std::string_view key) const {
    if (const Value* found = find(key)) return *found;
    throw Misfit("no field " + std::string(key));
}

namespace detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
struct IsMap : std::false_type {};
template <class Key, class T>
struct IsMap<std::map<Key, T>> : std::true_type {};

}  // namespace detail

template <class T>
T Value::to_number() const {
    if constexpr (std::is_floating_point_v<T>)
        if (const double* number = std::get_if<double>(&content_)) return static_cast<T>(*number);
    const std::int64_t integer = expect<std::int64_t>("a number");
    if constexpr (std::is_integral_v<T>)
        if (integer < std::int64_t{std::numeric_limits<T>::min()}
            || integer > std::int64_t{std::numeric_limits<T>::max()})
            throw Misfit("a number out of range");
    return static_cast<T>(integer);
}

template <class T>
T Value::to() const {
    if constexpr (detail::IsOptional<T>::value) {
        return is_null() ? T() : T(to<typename T::value_type>());
    } else if constexpr (detail::IsVector<T>::value) {
        T items;
        items.reserve(array().size());
        for (const Value& item : array()) items.push_back(item.to<typename T::value_type>());
        return items;
    } else if constexpr (detail::IsMap<T>::value) {
        T entries;
        for (const Entry& entry : map()) entries.emplace(entry.key, entry.value.to<typename T::mapped_type>());
        return entries;
    } else if constexpr (std::is_same_v<T, bool>) {
        return expect<bool>("a boolean");
    } else if constexpr (std::is_arithmetic_v<T>) {
        return to_number<T>();
    } else if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
        return T(expect<std::string_view>("a text"));
    } else {
        return T(*this);
    }
}

template <class T>
T Value::get(std::string_view key) const {
    if constexpr (detail::IsOptional<T>::value)
        if (!find(key)) return T();
    const Value& value = (*this)[key];
    try {
        return value.to<T>();
    } catch (const Misfit& misfit) {
        throw Misfit(std::string(key) + ": " + misfit.what());
    }
}

// Messages.

struct Clock {
    explicit Clock(const Value& clock)
        : bank_ms(clock.get<std::int64_t>("bank_ms")), increment_ms(clock.get<std::int64_t>("increment_ms")) {}

    std::int64_t bank_ms;
    std::int64_t increment_ms;
};

// A match begins.
struct Start {
    explicit Start(const Value& message)
        : match(message.get<std::string_view>("match")),
          game(message.get<std::string_view>("game")),
          edition(message.get<std::int64_t>("edition")),
          options(message["options"].as_map()),
          seat(message.get<int>("seat")),
          seats(message.get<int>("seats")),
          players(message.get<std::vector<std::string_view>>("players")),
          prepare_ms(message["clock"].get<std::int64_t>("prepare_ms")),
          clock(message.get<Clock>("clock")),
          bot_seed(message.get<std::int64_t>("bot_seed")) {}

    std::string_view match;
    std::string_view game;
    std::int64_t edition;
    const Value& options;  // a map of those that differ from their defaults
    int seat;
    int seats;
    std::vector<std::string_view> players;  // by seat
    std::int64_t prepare_ms;
    Clock clock;
    std::int64_t bot_seed;
};

// What became of the previous answer.
struct Last {
    explicit Last(const Value& last)
        : id(last.get<std::int64_t>("id")),
          status(last.get<std::string_view>("status")),
          played(last.get<std::string_view>("played")),
          used_ms(last.get<std::int64_t>("used_ms")),
          reason(last.get<std::optional<std::string_view>>("reason")) {}

    std::int64_t id;
    std::string_view status;  // accepted, late, illegal or malformed
    std::string_view played;
    std::int64_t used_ms;
    std::optional<std::string_view> reason;  // empty if accepted
};

// Which of the legal actions?
struct Question {
    explicit Question(const Value& message)
        : id(message.get<std::int64_t>("id")),
          phase(message.get<std::string_view>("phase")),
          view(message["view"].as_map()),
          legal(message.get<std::vector<std::string_view>>("legal")),
          events(message["events"].array()),
          clock(message.get<Clock>("clock")),
          last(message.get<std::optional<Last>>("last")) {
        if (legal.empty()) throw Misfit("legal: no actions");
    }

    // The view as a type that is made from a Value, such as those of views.hpp; throws Misfit if it is another game's.
    template <class View>
    View view_as() const {
        return View(view);
    }

    std::int64_t id;
    std::string_view phase;
    const Value& view;                    // a map
    std::vector<std::string_view> legal;  // at least one
    const Value::Array& events;           // maps: what the seat saw since the last question
    Clock clock;
    std::optional<Last> last;  // empty in the first question of a match
};

// An answer: one of the legal actions, and perhaps a note for the record of the match.
struct Move {
    Move(std::string_view action_, std::string_view note_ = {}) : action(action_), note(note_) {}

    std::string action;
    std::string note;
};

// What stands between the bot and the bytes. A bot's author can stop reading here.
namespace wire {

inline constexpr std::size_t header = 4;

// How many bytes a character takes by its first byte; 0 if none begins so.
inline std::size_t utf8_length(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >> 5 == 0x06) return 2;
    if (first >> 4 == 0x0e) return 3;
    return first >> 3 == 0x1e ? 4 : 0;
}

// Whether the bytes, as many as their first one says, are one character.
inline bool is_character(std::string_view bytes) {
    if (bytes.size() == 1) return true;
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // by length: below, a shorter form would do
    std::uint32_t code = static_cast<unsigned char>(bytes.front()) & (0x7fu >> bytes.size());
    for (const char byte : bytes.substr(1)) {
        if (static_cast<unsigned char>(byte) >> 6 != 2) return false;
        code = code << 6 | (static_cast<unsigned char>(byte) & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[bytes.size()] && code <= 0x10ffff && !surrogate;
}

inline bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_length(static_cast<unsigned char>(text.front()));
        if (length == 0 || length > text.size() || !is_character(text.substr(0, length))) return false;
        text.remove_prefix(length);
    }
    return true;
}

// Reads one MessagePack value. It trusts nothing: every value takes at least one byte, so a container that promises
// more values than there are bytes left is refused before memory is asked for, and depth is bounded.
class Decoder {
  public:
    static Value decode(std::string_view payload) {
        Decoder decoder(payload);
        Value value = decoder.value();
        if (!decoder.rest_.empty()) throw ProtocolError("bytes behind the value of a frame");
        return value;
    }

  private:
    explicit Decoder(std::string_view payload) : rest_(payload) {}

    std::string_view take(std::uint64_t length) {
        if (length > rest_.size()) throw ProtocolError("a frame that ends within a value");
        const std::string_view taken = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return taken;
    }

    std::uint64_t number(std::size_t width) {
        std::uint64_t number = 0;
        for (const char byte : take(width)) number = number << 8 | static_cast<unsigned char>(byte);
        return number;
    }

    Value whole(std::size_t width) {
        const std::uint64_t read = number(width);
        if (read > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
            throw ProtocolError("an integer above 2^63 - 1");
        return Value(static_cast<std::int64_t>(read));
    }

    template <class To, class From>
    static To bits(From from) {
        static_assert(sizeof(To) == sizeof(From));
        To to;
        std::memcpy(&to, &from, sizeof to);
        return to;
    }

    template <class Signed, class Unsigned>
    Value integer() {
        return Value(std::int64_t{bits<Signed>(static_cast<Unsigned>(number(sizeof(Signed))))});
    }

    Value text(std::uint64_t length) {
        const std::string_view taken = take(length);
        if (!is_utf8(taken)) throw ProtocolError("a text that is not UTF-8");
        return Value(taken);
    }

    void open(std::uint64_t values) {
        owed_ += values;
        if (owed_ > rest_.size()) throw ProtocolError("a frame that ends within a value");
        if (++depth_ > most_depth) throw ProtocolError("arrays and maps nested more than 32 deep");
    }

    Value item() {
        owed_--;
        return value();
    }

    Value array(std::uint64_t length) {
        open(length);
        Value::Array items;
        items.reserve(length);
        for (std::uint64_t i = 0; i < length; i++) items.push_back(item());
        depth_--;
        return Value(std::move(items));
    }

    Value map(std::uint64_t length) {
        open(2 * length);
        Value::Map entries;
        entries.reserve(length);
        for (std::uint64_t i = 0; i < length; i++) {
            const Value key = item();
            const auto* name = std::get_if<std::string_view>(&key.content());
            if (!name) throw ProtocolError("a key that is not a text");
            entries.push_back({*name, item()});
        }
        depth_--;
        return Value(std::move(entries));
    }

    Value value() {
        const auto tag = static_cast<unsigned char>(take(1).front());
        if (tag < 0x80) return Value(std::int64_t{tag});
        if (tag < 0x90) return map(tag & 0x0f);
        if (tag < 0xa0) return array(tag & 0x0f);
        if (tag < 0xc0) return text(tag & 0x1f);
        if (tag >= 0xe0) return Value(std::int64_t{tag} - 0x100);
        switch (tag) {
            case 0xc0: return Value();
            case 0xc2: return Value(false);
            case 0xc3: return Value(true);
            case 0xca: return Value(double{bits<float>(static_cast<std::uint32_t>(number(4)))});
            case 0xcb: return Value(bits<double>(number(8)));
            case 0xcc: return whole(1);
            case 0xcd: return whole(2);
            case 0xce: return whole(4);
            case 0xcf: return whole(8);
            case 0xd0: return integer<std::int8_t, std::uint8_t>();
            case 0xd1: return integer<std::int16_t, std::uint16_t>();
            case 0xd2: return integer<std::int32_t, std::uint32_t>();
            case 0xd3: return integer<std::int64_t, std::uint64_t>();
            case 0xd9: return text(number(1));
            case 0xda: return text(number(2));
            case 0xdb: return text(number(4));
            case 0xdc: return array(number(2));
            case 0xdd: return array(number(4));
            case 0xde: return map(number(2));
            case 0xdf: return map(number(4));
            default: throw ProtocolError("binary data or an extension, which the protocol does not have");
        }
    }

    std::string_view rest_;
    std::uint64_t owed_ = 0;  // values that open containers still promise
    int depth_ = 0;
};

// A message that is being written: the length, and a map whose first field is the type.
class Frame {
  public:
    explicit Frame(std::string_view type) : bytes_(header + 1, '\0') { add("type", type); }

    Frame& add(std::string_view key, std::string_view value) {
        begin(key);
        text(value);
        return *this;
    }

    Frame& add(std::string_view key, std::int64_t whole) {
        begin(key);
        const auto value = static_cast<std::uint64_t>(whole);
        if (value < 0x80) tagged(static_cast<unsigned>(value), 0, 0);
        else if (value <= 0xff) tagged(0xcc, value, 1);
        else if (value <= 0xffff) tagged(0xcd, value, 2);
        else if (value <= 0xffffffff) tagged(0xce, value, 4);
        else tagged(0xcf, value, 8);
        return *this;
    }

    Frame& add(std::string_view key, std::initializer_list<std::string_view> texts) {
        begin(key);
        if (texts.size() < 16) tagged(0x90 | static_cast<unsigned>(texts.size()), 0, 0);
        else tagged(0xdc, texts.size(), 2);
        for (const std::string_view item : texts) text(item);
        return *this;
    }

    // The bytes for the wire.
    std::string bytes() {
        std::size_t length = bytes_.size() - header;
        for (std::size_t i = header; i > 0; i--, length >>= 8) bytes_[i - 1] = static_cast<char>(length);
        return std::move(bytes_);
    }

  private:
    void begin(std::string_view key) {
        bytes_[header] = static_cast<char>(0x80 | ++fields_);  // no message of a bot has more than 15
        text(key);
    }

    void text(std::string_view text) {
        if (text.size() < 32) tagged(0xa0 | static_cast<unsigned>(text.size()), 0, 0);
        else if (text.size() <= 0xff) tagged(0xd9, text.size(), 1);
        else if (text.size() <= 0xffff) tagged(0xda, text.size(), 2);
        else tagged(0xdb, text.size(), 4);
        bytes_ += text;
    }

    // A tag and the number behind it.
    void tagged(unsigned tag, std::uint64_t number, unsigned width) {
        bytes_ += static_cast<char>(tag);
        while (width-- > 0) bytes_ += static_cast<char>(number >> 8 * width);
    }

    std::string bytes_;
    unsigned fields_ = 0;
};

inline std::string hello(std::string_view name, std::string_view version,
                         std::initializer_list<std::string_view> games) {
    return Frame("hello")
        .add("protocol", revision)
        .add("name", name)
        .add("version", version)
        .add("games", games)
        .bytes();
}

inline std::string ready() { return Frame("ready").bytes(); }

// The first characters of a note, as many as the arena keeps.
inline std::string_view cut_note(std::string_view note) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < note.size(); i++) {
        const bool begins = (static_cast<unsigned char>(note[i]) & 0xc0) != 0x80;
        if (begins && characters++ == most_note) return note.substr(0, i);
    }
    return note;
}

inline std::string move(std::int64_t id, const Move& move) {
    Frame frame("move");
    frame.add("id", id).add("action", move.action);
    if (!move.note.empty()) frame.add("note", cut_note(move.note));
    return frame.bytes();
}

// What was read and not heard yet.
class Inbox {
  public:
    // Room for more bytes, behind those that are here. What `next` returned is gone then.
    std::pair<char*, std::size_t> room() {
        std::memmove(bytes_.get(), bytes_.get() + from_, to_ - from_);
        to_ -= from_;
        from_ = 0;
        return {bytes_.get() + to_, header + most_bytes - to_};
    }

    void arrived(std::size_t length) { to_ += length; }

    // Whether a whole message is here; throws if it is going to be too long.
    bool whole() const {
        const std::optional<std::size_t> length = payload_length();
        if (length && *length > most_bytes) throw ProtocolError("a message of more than 1 MiB");
        return length && *length <= to_ - from_ - header;
    }

    // Takes the payload of the next message, which has to be whole.
    std::string_view next() {
        const std::string_view payload(bytes_.get() + from_ + header, *payload_length());
        from_ += header + payload.size();
        return payload;
    }

  private:
    std::optional<std::size_t> payload_length() const {
        if (to_ - from_ < header) return std::nullopt;
        std::size_t length = 0;
        for (std::size_t i = 0; i < header; i++) length = length << 8 | static_cast<unsigned char>(bytes_[from_ + i]);
        return length;
    }

    std::unique_ptr<char[]> bytes_{new char[header + most_bytes]};  // uninitialised: pages not used cost nothing
    std::size_t from_ = 0, to_ = 0;
};

// The player has no answer.
struct NoAnswer : std::logic_error {
    using std::logic_error::logic_error;
};

// The phase of the question that the player is thinking about; empty between questions.
inline std::string_view asked_phase;

// What ends the bot, on stderr.
inline void tell(const char* what) {
    if (asked_phase.empty()) {
        std::fprintf(stderr, "dinobot: an exception ends the bot: %s\n", what);
    } else {
        std::fprintf(stderr, "dinobot: an exception ends the bot: decide() threw in phase %.*s: %s\n",
                     static_cast<int>(asked_phase.size()), asked_phase.data(), what);
    }
}

// Where the bot is, on stderr: when it crashes or throws, and when it hangs and the arena sends SIGQUIT.
#ifdef DINO_HAS_STACK
inline void print_stack(std::string_view title) {
    void* places[24];
    if (::write(STDERR_FILENO, title.data(), title.size()) > 0)
        ::backtrace_symbols_fd(places, ::backtrace(places, std::size(places)), STDERR_FILENO);
}

inline void die(int number) {
    print_stack(number == SIGQUIT ? "dinobot: the arena waits, and asks where the bot is (SIGQUIT). Its stack, "
                                    "innermost first:\n"
                                  : "dinobot: a signal ends the bot. Its stack, innermost first:\n");
    ::raise(number);  // whose action is the usual one again
}

inline void print_stacks() {
    static char spare[1 << 16];  // for a stack that has overflowed
    void* here;
    ::backtrace(&here, 1);  // loads what it needs, which a handler must not
    stack_t stack{};
    stack.ss_sp = spare;
    stack.ss_size = sizeof spare;
    ::sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_handler = die;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK | SA_NODEFER;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT}) ::sigaction(number, &action, nullptr);
}
#else
inline void print_stack(std::string_view) {}
inline void print_stacks() {}
#endif

// As nothing has caught the exception, the stack is still the one of the throw.
[[noreturn]] inline void die_of_exception() {
    if (!std::current_exception()) std::abort();
    try {
        throw;
    } catch (const std::exception& error) {
        tell(error.what());
    } catch (...) {
        tell("something that is no std::exception");
    }
    std::fflush(nullptr);
    print_stack("Its stack, innermost first:\n");
    ::_exit(1);
}

// The real stdin and stdout. As long as it lives, whatever is printed goes to stderr.
class Line {
  public:
    Line() : out_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
        if (out_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) fail("cannot point stdout to stderr");
        std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
        std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is told by write
        print_stacks();
        std::set_terminate(die_of_exception);
    }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    ~Line() { ::close(out_); }

    // False if the arena has hung up.
    bool send(std::string_view frame) const {
        while (!frame.empty()) {
            const ssize_t written = ::write(out_, frame.data(), frame.size());
            if (written < 0 && errno == EPIPE) return false;
            if (written < 0 && errno != EINTR) fail("cannot write to the arena");
            if (written > 0) frame.remove_prefix(static_cast<std::size_t>(written));
        }
        return true;
    }

    // Reads what is there. False if the arena has hung up.
    bool receive(Inbox& inbox) const {
        const auto [room, size] = inbox.room();
        ssize_t length;
        do length = ::read(STDIN_FILENO, room, size);
        while (length < 0 && errno == EINTR);
        if (length < 0) fail("cannot read from the arena");
        inbox.arrived(static_cast<std::size_t>(length));
        return length > 0;
    }

  private:
    [[noreturn]] static void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

    int out_;
};

// A match: the start message with its bytes, and the player that may refer to them.
template <class Player>
struct Match {
    explicit Match(std::string_view payload)
        : bytes(payload), message(Decoder::decode(bytes)), start(message), player(make(start)) {}
    Match(const Match&) = delete;
    Match& operator=(const Match&) = delete;

    static Player make([[maybe_unused]] const Start& start) {
        if constexpr (std::is_constructible_v<Player, const Start&>) return Player(start);
        else return Player();
    }

    const std::string bytes;
    const Value message;
    const Start start;
    Player player;
};

template <class Player>
class Conversation {
  public:
    // Until the arena says bye or hangs up.
    void hold(std::string_view hello) {
        bool on = line_.send(hello);
        while (on) on = inbox_.whole() ? hear(inbox_.next()) : line_.receive(inbox_);
    }

  private:
    // Does what a message asks for. False if it was the last one.
    bool hear(std::string_view payload) {
        const Value message = Decoder::decode(payload);
        const auto type = message.get<std::string_view>("type");
        if (type == "decide") return inbox_.whole() || decide(message);  // whatever follows a question withdraws it
        if (type == "start") return start(payload);
        if (type == "welcome") return welcome(message);
        if (type == "end") return match_.reset(), true;
        if (type == "bye") return false;
        throw ProtocolError("an unknown message: " + std::string(type));
    }

    bool decide(const Value& message) {
        if (!match_) throw ProtocolError("a decide outside of a match");
        const Question question(message);
        const Move answer(ask(question));
        if (answer.action.empty())
            throw NoAnswer("decide() returned an empty text instead of an action, in phase " +
                           std::string(question.phase));
        return line_.send(move(question.id, answer));
    }

    Move ask(const Question& question) {
        asked_phase = question.phase;
        Move answer(match_->player.decide(question));
        asked_phase = {};
        return answer;
    }

    bool start(std::string_view payload) {
        match_.reset();
        match_.emplace(payload);
        return line_.send(ready());
    }

    static bool welcome(const Value& message) {
        if (message.get<std::int64_t>("protocol") != revision)
            throw ProtocolError("the arena speaks another revision of the protocol");
        return true;
    }

    Line line_;
    Inbox inbox_;
    std::optional<Match<Player>> match_;
};

}  // namespace wire

// Plays all matches that the arena starts, each with a new Player, until it says bye or hangs up. Returns the exit
// status of the bot. A Player has `decide(const Question&)`, which returns a text or a Move, and may have a
// constructor that takes a const Start&.
template <class Player>
int run(std::string_view name, std::string_view version, std::initializer_list<std::string_view> games) {
    try {
        wire::Conversation<Player>().hold(wire::hello(name, version, games));
        return 0;
    } catch (const ProtocolError& error) {
        wire::tell(error.what());
    } catch (const wire::NoAnswer& error) {
        wire::tell(error.what());
    } catch (const std::system_error& error) {
        wire::tell(error.what());
    }
    return 1;
}

}  // namespace dino

#endif
