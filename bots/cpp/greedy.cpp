// greedy at Draftosaurus: takes what promises the most points, looking a little ahead.
//
// Theory of operation. `Table::worth` estimates the final points of a zoo: what its pens score now, and what those that
// can still grow will probably score, given the dinosaurs still to come. An action is worth what the zoo is worth after
// it, and a pick what its best placement is worth. A discard is worth what it takes from the neighbour who gets the
// hand next. Views hold everything, so nothing is remembered. Equal actions are decided by the order of `legal`.
#include "views.hpp"

#include <algorithm>
#include <array>

namespace {

using dino::Text;
using dino::Texts;
using dino::Zoo;

constexpr int turns_in_all = 12;
constexpr Text species = "TDCSGP";
constexpr Text blank = "......";

const std::map<Text, Texts> pens_of_season = {
    {"summer", {"FS", "WT", "KJ", "PL", "MD", "SI", "RV"}},
    {"winter", {"WO", "BL", "LO", "QZ", "BR", "PY", "RV"}},
};
const std::map<Text, int> room_of_pen = {
    {"FS", 6}, {"WT", 3}, {"KJ", 1}, {"PL", 6}, {"MD", 6}, {"SI", 1}, {"WO", 6}, {"LO", 1}, {"QZ", 1},
};
const std::map<Text, Text> room_option = {
    {"PL", "prairie_capacity"},
    {"BL", "bridge_capacity"},
    {"BR", "bridge_capacity"},
};
const std::map<Text, Texts> opened_by = {
    {"W", {"FS", "WT", "KJ", "WO", "BL", "LO"}},
    {"G", {"PL", "MD", "SI", "QZ", "BR", "PY"}},
    {"L", {"FS", "WT", "PL", "WO", "BL", "QZ"}},
    {"R", {"KJ", "MD", "SI", "LO", "BR", "PY"}},
};

// The cells of the pyramid, which are also slots: `PY` and the number of the cell.
constexpr std::array<Text, 6> cell_slots = {"PY0", "PY1", "PY2", "PY3", "PY4", "PY5"};
const std::vector<std::vector<std::size_t>> rows = {{0, 1, 2}, {3, 4}, {5}};
const std::vector<std::vector<std::size_t>> touching = {{1, 3},       {0, 2, 3, 4}, {1, 4},
                                                        {0, 1, 4, 5}, {1, 2, 3, 5}, {3, 4}};

using Track = std::array<double, 7>;
constexpr Track sameness = {0, 2, 4, 8, 12, 18, 24};
constexpr Track differences = {0, 1, 3, 6, 10, 15, 21};
constexpr Track pyramid = {0, 2, 4, 6, 10, 14, 21};

// Guesses, found by playing against itself.
constexpr double pace = 0.33;   // dinosaurs that each turn to come will add to a pen that goes on growing
constexpr double single = 1.5;  // points of a dinosaur that may still find its partner
constexpr double saved = 4;     // points of a pen for one dinosaur that is kept empty for a good one
constexpr double denial = 0.3;  // how much a point that the neighbour does not get is worth

bool contains(const Texts& texts, Text text) { return std::find(texts.begin(), texts.end(), text) != texts.end(); }

bool contains(Text text, Text part) { return text.find(part) != Text::npos; }

Text contents_of(const Zoo& zoo, Text pen) {
    const auto found = zoo.find(pen);
    return found == zoo.end() ? Text() : Text(found->second);
}

int length(Text text) { return static_cast<int>(text.size()); }

int number_of(Text contents, char dino) { return static_cast<int>(std::count(contents.begin(), contents.end(), dino)); }

// How many dinosaurs there are; `.` is none.
int dinosaurs(Text contents) { return length(contents) - number_of(contents, '.'); }

// The zoo with one dinosaur more.
Zoo put(Zoo zoo, Text dino, Text slot) {
    if (slot.substr(0, 2) != "PY") {
        zoo[slot] += dino;
        return zoo;
    }
    std::string& cells = zoo["PY"];
    if (cells.empty()) cells = blank;
    cells.replace(static_cast<std::size_t>(slot[2] - '0'), 1, dino);
    return zoo;
}

Zoo without_guest(Zoo zoo) {
    zoo["QZ"].clear();
    return zoo;
}

// The points of a pen that goes on growing at its pace for so many turns.
double grown(const Track& points, int filled, int turns) {
    const double last = static_cast<double>(points.size() - 1);
    const double reach = std::min(filled + turns * pace, last);
    const std::size_t below = std::min(static_cast<std::size_t>(reach), points.size() - 2);
    return points[below] + (reach - static_cast<double>(below)) * (points[below + 1] - points[below]);
}

// Whether a face of the die opens a pen.
bool opens(Text die, Text pen, Text contents) {
    if (die == "E") return contents.empty();
    if (die == "X") return !contains(contents, "T");
    return contains(opened_by.at(die), pen);
}

// What lies on the table, for all to see.
class Table {
  public:
    explicit Table(const dino::Draftosaurus& view)
        : season_(view.season), pens_(pens_of_season.at(view.season)), options_(view.options), zoos_(view.zoos) {}

    const Zoo& zoo(int seat) const { return zoos_.at(static_cast<std::size_t>(seat)); }

    // What a seat's zoo is worth once this dinosaur stands in its best place.
    double best(int seat, Text dino, Text die) const {
        return best_of(seat, zoo(seat), dino, slots(zoo(seat), dino, die));
    }

    // The points that a zoo will probably have in the end, if it is this seat's.
    double worth(int seat, const Zoo& zoo) const {
        if (const Text guest = contents_of(zoo, "QZ"); !guest.empty()) return worth_after_quarantine(seat, zoo, guest);
        int placed = 0, rex = 0;
        for (const auto& [pen, contents] : zoo) {
            placed += dinosaurs(contents);
            rex += pen != "RV" && contains(contents, "T");
        }
        const int turns = std::max(0, turns_in_all - placed);
        const double pens = season_ == "summer" ? summer(seat, zoo, turns) : winter(seat, zoo, turns);
        return pens + rex + length(contents_of(zoo, "RV"));
    }

  private:
    double best_of(int seat, const Zoo& zoo, Text dino, const Texts& slots) const {
        double most = -std::numeric_limits<double>::infinity();
        for (const Text slot : slots) most = std::max(most, worth(seat, put(zoo, dino, slot)));
        return most;
    }

    double worth_after_quarantine(int seat, const Zoo& zoo, Text guest) const {
        const Zoo rest = without_guest(zoo);
        Texts free = slots(rest, guest, "");
        free.erase(std::remove(free.begin(), free.end(), "QZ"), free.end());
        return best_of(seat, rest, guest, free);
    }

    double summer(int seat, const Zoo& zoo, int turns) const {
        const Text prairie = contents_of(zoo, "PL");
        const int trio = length(contents_of(zoo, "WT"));
        int pairs = 0;
        for (const char dino : species) pairs += number_of(prairie, dino) / 2;
        return grown(sameness, length(contents_of(zoo, "FS")), turns)                 // Forest of Sameness
             + grown(differences, length(contents_of(zoo, "MD")), turns)              // Meadow of Differences
             + (trio + turns >= 3 ? option<double>("trio_points", 7) * trio / 3 : 0)  // Woody Trio
             + 5 * pairs                                                              // Prairie of Love
             + std::min(single * (length(prairie) - 2 * pairs), double(turns))        // and its singles
             + king(seat, zoo, turns)                                                 // King of the Jungle
             + island(zoo, turns);                                                    // Solitary Island
    }

    double winter(int seat, const Zoo& zoo, int turns) const {
        const Text left = contents_of(zoo, "BL"), right = contents_of(zoo, "BR");
        int couples = 0;
        for (const char dino : species) couples += std::min(number_of(left, dino), number_of(right, dino));
        return grown(sameness, length(contents_of(zoo, "WO")), turns)                          // Well-Ordered Wood
             + grown(pyramid, dinosaurs(contents_of(zoo, "PY")), turns)                        // Pyramid
             + 6 * couples                                                                     // Lovers' Bridge
             + std::min(single * (length(left) + length(right) - 2 * couples), double(turns))  // and its singles
             + lookout(seat, zoo, turns);                                                      // Lookout
    }

    double king(int seat, const Zoo& zoo, int turns) const {
        const Text dino = contents_of(zoo, "KJ");
        if (dino.empty()) return std::min(saved, double(turns));
        int rival = 0;
        for (std::size_t other = 0; other < zoos_.size(); other++)
            if (static_cast<int>(other) != seat) rival = std::max(rival, count(zoos_[other], dino));
        const int lead = count(zoo, dino) - rival;
        return 7 * std::clamp(0.5 + (lead + 0.5) / (turns + 1), 0.0, 1.0);  // certain once no turn is left
    }

    double island(const Zoo& zoo, int turns) const {
        const Text dino = contents_of(zoo, "SI");
        if (dino.empty()) return std::min(saved, double(turns));
        return count(zoo, dino) == 1 ? 7 : 0;
    }

    double lookout(int seat, const Zoo& zoo, int turns) const {
        const Text dino = contents_of(zoo, "LO");
        if (dino.empty()) return std::min(saved, double(turns));
        const Zoo& right = seat > 0 ? this->zoo(seat - 1) : zoos_.back();
        return 2 * (count(right, dino) + turns / double(species.size()));
    }

    // How many of a species are in a zoo; option `zoo_scope` says whether the River is part of it.
    int count(const Zoo& zoo, Text dino) const {
        const bool river = option<Text>("zoo_scope", "all") == "all";
        int number = 0;
        for (const auto& [pen, contents] : zoo)
            if (river || pen != "RV") number += number_of(contents, dino.front());
        return number;
    }

    // Where a dinosaur may go, under a face of the die or under none.
    //
    // The bridge is taken to be split: its other variants only blur the look ahead, as placements come with `legal`.
    Texts slots(const Zoo& zoo, Text dino, Text die) const {
        Texts found;
        for (const Text pen : pens_) {
            const Text contents = contents_of(zoo, pen);
            if (!die.empty() && pen != "RV" && !opens(die, pen, contents)) continue;
            if (pen == "PY") add_cells(contents.empty() ? blank : contents, dino, found);
            else if (admits(pen, contents, dino)) found.push_back(pen);
        }
        return found;
    }

    bool admits(Text pen, Text contents, Text dino) const {
        if (const auto room = room_of(pen); room && length(contents) >= *room) return false;
        if (pen == "WO") return contents.size() > 1 ? dino[0] == contents[contents.size() - 2] : dino != contents;
        if (pen == "MD") return !contains(contents, dino);
        return pen != "FS" || contents.empty() || contains(contents, dino);
    }

    // Empty for no limit. An option that is null takes the limit away, while no option leaves the default.
    std::optional<int> room_of(Text pen) const {
        const auto limit = room_of_pen.find(pen);
        const auto otherwise = limit == room_of_pen.end() ? std::nullopt : std::optional(limit->second);
        const auto name = room_option.find(pen);
        return name == room_option.end() ? otherwise : option(name->second, otherwise);
    }

    // The free cells of the first row that has any, but for those next to the same species.
    void add_cells(Text cells, Text dino, Texts& found) const {
        const auto is_free = [&](std::size_t cell) { return cells.at(cell) == '.'; };
        const auto is_other = [&](std::size_t cell) { return cells.at(cell) != dino[0]; };
        const bool left_to_right = option<Text>("pyramid_fill", "") == "left_to_right";
        for (const auto& row : rows) {
            if (std::none_of(row.begin(), row.end(), is_free)) continue;
            for (const std::size_t cell : row) {
                if (!is_free(cell)) continue;
                const auto& near = touching[cell];
                if (std::all_of(near.begin(), near.end(), is_other)) found.push_back(cell_slots[cell]);
                if (left_to_right) return;
            }
            return;
        }
    }

    template <class T>
    T option(Text name, T otherwise) const {
        const dino::Value* value = options_.find(name);
        return value ? value->to<T>() : otherwise;
    }

    Text season_;
    const Texts& pens_;
    const dino::Value& options_;
    const std::vector<Zoo>& zoos_;
};

// A dinosaur or Q, a slot behind @ or >, =, and a discard behind x; each may be left out and is empty then.
struct Action {
    Text dino, slot, drop;

    // Empty for an action of a kind that came after this bot.
    static std::optional<Action> read(Text text) {
        Action action;
        action.dino = take(text, 1, [](Text dino) { return contains(species, dino) || dino == "Q"; });
        if (const Text sign = take(text, 1, is_sign); !sign.empty()) {
            action.slot =
                take(text, 3, [](Text slot) { return contains(Texts(cell_slots.begin(), cell_slots.end()), slot); });
            if (action.slot.empty()) action.slot = take(text, 2, is_pen);
            if (action.slot.empty()) return std::nullopt;
        }
        take(text, 1, [](Text sign) { return sign == "="; });
        action.drop = take(text, 2, [](Text drop) { return drop[0] == 'x' && contains(species, drop.substr(1)); });
        if (!action.drop.empty()) action.drop.remove_prefix(1);
        return text.empty() ? std::optional(action) : std::nullopt;
    }

  private:
    static bool is_sign(Text sign) { return sign == "@" || sign == ">"; }

    static bool is_pen(Text slot) {
        const auto has = [&](const auto& season) { return slot != "PY" && contains(season.second, slot); };
        return std::any_of(pens_of_season.begin(), pens_of_season.end(), has);
    }

    // Takes so many characters from the front of a text if they fit; else nothing.
    template <class Fits>
    static Text take(Text& text, std::size_t size, Fits fits) {
        const Text front = text.substr(0, size);
        if (front.size() < size || !fits(front)) return {};
        text.remove_prefix(size);
        return front;
    }
};

// Weighs every legal action on its own.
class Greedy {
  public:
    explicit Greedy(const dino::Start& start) : seat_(start.seat), neighbour_((start.seat + 1) % start.seats) {}

    Text decide(const dino::Question& question) const {
        if (pens_of_season.count(question.view.get<Text>("season")) == 0) return question.legal.front();
        const auto view = question.view_as<dino::Draftosaurus>();
        const Table table(view);
        const Text die = view.bound.at(static_cast<std::size_t>(seat_)) ? view.die.value_or("") : "";
        Text chosen;
        double most = -std::numeric_limits<double>::infinity();
        for (const Text action : question.legal) {
            const double worth = value(table, die, action);
            if (worth > most) {
                most = worth;
                chosen = action;
            }
        }
        return chosen;
    }

  private:
    // What an action is worth; all are alike if they are of a kind that came after this bot.
    double value(const Table& table, Text die, Text text) const {
        const auto action = Action::read(text);
        if (!action) return 0;
        if (action->dino == "Q") return moved(table, action->slot);
        const double denied = action->drop.empty() ? 0 : denial * table.best(neighbour_, action->drop, "");
        if (!action->slot.empty())
            return denied + table.worth(seat_, put(table.zoo(seat_), action->dino, action->slot));
        return action->dino.empty() ? denied : denied + table.best(seat_, action->dino, die);
    }

    // What the zoo is worth after the quarantine; no slot is to stay there.
    double moved(const Table& table, Text slot) const {
        const Zoo& zoo = table.zoo(seat_);
        const Zoo rest = without_guest(zoo);
        return table.worth(seat_, slot.empty() ? rest : put(rest, contents_of(zoo, "QZ"), slot));
    }

    int seat_;
    int neighbour_;
};

}  // namespace

int main() { return dino::run<Greedy>("greedy-cpp", "1.0", {"draftosaurus"}); }
