// Draftosaurus for raptor: options, zoos, where a dinosaur may go, and what a zoo is worth.
//
// Theory of operation. A group of dinosaurs is an integer with four bits for each species, so that to add, to compare
// and to count are single instructions. The places of a zoo are slots, numbered in board order, and a set of slots is
// a bit mask: what the pens admit and what the die leaves open are one `&` apart. Ids such as D-30 are the rules of
// `arena rules draftosaurus --full`.
#ifndef RAPTOR_ZOO_HPP
#define RAPTOR_ZOO_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace raptor {

constexpr int most_seats = 5;
constexpr int kinds = 6;  // of dinosaurs, in the order of `letters`
constexpr int rex = 0;
constexpr int nothing = 6;  // in the place of a dinosaur
constexpr int hand_size = 6;
constexpr int turns_in_all = 12;
constexpr std::string_view letters = "TDCSGP";
constexpr std::string_view faces = "WGLREX";
constexpr int no_face = 6;  // the die does not bind

// Groups of dinosaurs: how many there are of each kind.
using Group = std::uint32_t;

constexpr Group one(int dino) { return Group{1} << 4 * dino; }
constexpr int count(Group group, int dino) { return static_cast<int>(group >> 4 * dino & 15); }
constexpr int size(Group group) {
    group = (group & 0x0f0f0f0f) + (group >> 4 & 0x0f0f0f0f);
    return static_cast<int>(group * 0x01010101 >> 24);
}

// Slots: places for a dinosaur. The pens of each side of the board are numbered in board order, the River is pen 6. In
// winter the six cells of the Pyramid, pen 5, are slots 5 to 10, and the River is slot 11.
using Slots = std::uint32_t;
enum Summer { FS, WT, KJ, PL, MD, SI };
enum Winter { WO, BL, LO, QZ, BR, PY };
constexpr int river = 6;
constexpr int pens = 7;
constexpr int most_slots = 12;
constexpr int stay = 15;  // in the place of a slot: the dinosaur stays in the Quarantine Zone

constexpr Slots bit(int slot) { return Slots{1} << slot; }
constexpr int river_slot(bool winter) { return winter ? 11 : 6; }
constexpr int pen_of(bool winter, int slot) { return !winter || slot < PY ? slot : slot == 11 ? river : PY; }
constexpr Slots slots_of(bool winter, int pen) {
    if (pen == river) return bit(river_slot(winter));
    return winter && pen == PY ? Slots{0x7e0} : bit(pen);
}

// What stays the same during a match.
struct Setup {
    int seats = 2, rounds = 4, turns = 3, per_species = 8;
    int games = 1;
    std::array<bool, 2> winter = {false, false};  // by game
    bool all_bound = false;
    int trio_points = 7;
    bool places_with_pick = false;
    bool discards = true, drops_with_pick = false, hides_discards = false;  // D-15, X-06
    bool may_stay = false, auto_best = false;
    bool whole_bridge = false;
    Slots bridge_woods = bit(BL), bridge_grass = bit(BR);
    int prairie_capacity = 6, bridge_capacity = 15;
    bool left_to_right = false;
    bool river_counts = true;
    bool next_starts = false, shares_ties = false;

    // Who rolls (D-08, D-13).
    int roller(int first, int round, int turn) const {
        const int moves = turns - (all_bound ? 1 : 0);
        return (first + round * moves + std::min(turn, moves - 1)) % seats;
    }

    // Whom the die does not bind (D-09); -1: nobody.
    int exempt(int first, int round, int turn) const {
        return all_bound && turn == turns - 1 ? -1 : roller(first, round, turn);
    }
};

struct Zoo {
    std::array<Group, pens> in{};
    Group all = 0;
    Slots occupied = 0, with_rex = 0;           // the slots of pens that hold a dinosaur, a T-Rex; never the River
    std::array<std::uint8_t, pens> sizes{};     // how many dinosaurs are in each pen
    std::array<std::uint8_t, kinds> cells{};    // of the Pyramid: where each kind stands, a bit for each cell
    std::array<std::uint8_t, 2> wood = {6, 6};  // the two kinds of the Well-Ordered Wood

    int placed() const { return size(all); }

    // One kind that is in a pen for one dinosaur.
    int only(int pen) const { return in[static_cast<std::size_t>(pen)] ? __builtin_ctz(in[static_cast<std::size_t>(pen)]) / 4 : nothing; }
};

// The cells that touch one of a set of cells (D-44).
constexpr std::array<std::uint8_t, 64> touching_cells() {
    constexpr std::array<std::uint8_t, 6> neighbours = {0b001010, 0b011101, 0b010010, 0b110011, 0b101110, 0b011000};
    std::array<std::uint8_t, 64> found{};
    for (std::size_t cells = 0; cells < 64; cells++)
        for (std::size_t cell = 0; cell < 6; cell++)
            if (cells >> cell & 1) found[cells] = static_cast<std::uint8_t>(found[cells] | neighbours[cell]);
    return found;
}
constexpr std::array<std::uint8_t, 64> touching = touching_cells();

// The free cells of the row that is being filled, by how many cells are (D-43).
inline Slots next_cells(const Setup& setup, const Zoo& zoo) {
    constexpr std::array<std::uint8_t, 7> rows = {0b000111, 0b000111, 0b000111, 0b011000, 0b011000, 0b100000, 0};
    unsigned filled = 0;
    for (const std::uint8_t cells : zoo.cells) filled |= cells;
    const unsigned free = rows[zoo.sizes[PY]] & ~filled;
    return setup.left_to_right ? free & (0u - free) : free;
}

// The slots that a zoo's pens leave open to a dinosaur, whatever the die says.
inline Slots room(const Setup& setup, bool winter, const Zoo& zoo, int dino) {
    const auto kind = static_cast<std::size_t>(dino);
    if (!winter) {
        Slots open = bit(river) | (~zoo.occupied & (bit(KJ) | bit(SI)));
        if (zoo.sizes[FS] == 0 || (zoo.sizes[FS] < 6 && count(zoo.in[FS], dino))) open |= bit(FS);  // D-30
        if (zoo.sizes[WT] < 3) open |= bit(WT);                                                     // D-33
        if (zoo.sizes[PL] < setup.prairie_capacity) open |= bit(PL);                                // D-32
        if (!count(zoo.in[MD], dino)) open |= bit(MD);                                              // D-31
        return open;
    }
    Slots open = bit(river_slot(true)) | (~zoo.occupied & (bit(LO) | bit(QZ)));
    const int wood = zoo.sizes[WO];
    if (wood == 0 || (wood == 1 && dino != zoo.wood[0]) || (wood > 1 && wood < 6 && dino == zoo.wood[wood & 1]))
        open |= bit(WO);  // D-40
    if (zoo.sizes[BL] < setup.bridge_capacity) open |= bit(BL);
    if (zoo.sizes[BR] < setup.bridge_capacity) open |= bit(BR);
    return open | (next_cells(setup, zoo) & ~Slots{touching[zoo.cells[kind]]}) << PY;
}

// The slots that a face of the die leaves open (D-10, D-11).
inline Slots reach(const Setup& setup, bool winter, const Zoo& zoo, int face) {
    constexpr Slots everything = 0xfff;
    const Slots always = bit(river_slot(winter));
    if (face == no_face) return everything;
    if (face >= 4) {  // E and X
        constexpr Slots bridge = bit(BL) | bit(BR);
        Slots shut = face == 4 ? zoo.occupied : zoo.with_rex;
        if (winter && setup.whole_bridge && shut & bridge) shut |= bridge;
        return everything & ~shut;
    }
    if (face >= 2) return always | (face == 2 ? bit(0) | bit(1) | bit(3) : slots_of(winter, 2) | slots_of(winter, 4) | slots_of(winter, 5));
    if (!winter) return always | (face == 0 ? bit(FS) | bit(WT) | bit(KJ) : bit(PL) | bit(MD) | bit(SI));
    return always | (face == 0 ? bit(WO) | bit(LO) | setup.bridge_woods : bit(QZ) | slots_of(true, PY) | setup.bridge_grass);
}

// Puts a dinosaur into a slot that is open to it.
inline void put(bool winter, Zoo& zoo, int dino, int slot) {
    const int pen = pen_of(winter, slot);
    const auto p = static_cast<std::size_t>(pen);
    if (winter && pen == WO && zoo.sizes[WO] < 2) zoo.wood[zoo.sizes[WO]] = static_cast<std::uint8_t>(dino);
    if (winter && pen == PY) zoo.cells[static_cast<std::size_t>(dino)] |= static_cast<std::uint8_t>(1 << (slot - PY));
    zoo.in[p] += one(dino);
    zoo.all += one(dino);
    zoo.sizes[p]++;
    if (pen == river) return;
    zoo.occupied |= slots_of(winter, pen);
    if (dino == rex) zoo.with_rex |= slots_of(winter, pen);
}

// Takes the dinosaur out of the Quarantine Zone.
inline int release(Zoo& zoo) {
    const int guest = zoo.only(QZ);
    zoo.in[QZ] = 0;
    zoo.all -= one(guest);
    zoo.sizes[QZ] = 0;
    zoo.occupied &= ~bit(QZ);
    zoo.with_rex &= ~bit(QZ);
    return guest;
}

// Scoring.

constexpr std::array<int, 7> sameness = {0, 2, 4, 8, 12, 18, 24};     // D-30, D-40
constexpr std::array<int, 7> differences = {0, 1, 3, 6, 10, 15, 21};  // D-31
constexpr std::array<int, 7> pyramid = {0, 2, 4, 6, 10, 14, 21};      // D-43: rows are filled from below

using Zoos = std::array<Zoo, most_seats>;

// The dinosaurs that count for King, Island, Lookout and ties (D-36, X-14).
inline Group in_scope(const Setup& setup, const Zoo& zoo) {
    return setup.river_counts ? zoo.all : zoo.all - zoo.in[river];
}

// How many pens hold a T-Rex (D-39).
inline int rex_pens(const Zoo& zoo) {
    int found = 0;
    for (std::size_t pen = 0; pen < river; pen++) found += (zoo.in[pen] & 15) != 0;
    return found;
}

inline int most_of_rivals(const Setup& setup, const Zoos& zoos, int seat, int dino) {
    int most = 0;
    for (int other = 0; other < setup.seats; other++)
        if (other != seat) most = std::max(most, count(in_scope(setup, zoos[static_cast<std::size_t>(other)]), dino));
    return most;
}

inline int right_of(const Setup& setup, int seat) { return seat ? seat - 1 : setup.seats - 1; }

inline int summer_score(const Setup& setup, const Zoos& zoos, int seat) {
    const Zoo& zoo = zoos[static_cast<std::size_t>(seat)];
    const Group own = in_scope(setup, zoo);
    int pairs = 0;
    for (int dino = 0; dino < kinds; dino++) pairs += count(zoo.in[PL], dino) / 2;
    const int king = zoo.only(KJ), island = zoo.only(SI);
    return sameness[zoo.sizes[FS]] + differences[zoo.sizes[MD]] + 5 * pairs
         + (zoo.sizes[WT] == 3 ? setup.trio_points : 0)
         + (king != nothing && most_of_rivals(setup, zoos, seat, king) <= count(own, king) ? 7 : 0)  // D-34
         + (island != nothing && count(own, island) == 1 ? 7 : 0);                                   // D-35
}

inline int winter_score(const Setup& setup, const Zoos& zoos, int seat) {
    const Zoo& zoo = zoos[static_cast<std::size_t>(seat)];
    int couples = 0;
    for (int dino = 0; dino < kinds; dino++) couples += std::min(count(zoo.in[BL], dino), count(zoo.in[BR], dino));
    const Group right = in_scope(setup, zoos[static_cast<std::size_t>(right_of(setup, seat))]);
    const int guest = zoo.only(LO);
    return sameness[zoo.sizes[WO]] + 6 * couples + pyramid[zoo.sizes[PY]]
         + (guest == nothing ? 0 : 2 * count(right, guest));  // D-45
}

// The points of a zoo in one game (D-50).
inline int score(const Setup& setup, bool winter, const Zoos& zoos, int seat) {
    const Zoo& zoo = zoos[static_cast<std::size_t>(seat)];
    return (winter ? winter_score(setup, zoos, seat) : summer_score(setup, zoos, seat)) + zoo.sizes[river] + rex_pens(zoo);
}

}  // namespace raptor

#endif
