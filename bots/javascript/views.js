/**
 * What a seat sees of the arena's games: the `view` of a question. `arena rules GAME` shows more, with an example.
 *
 * Later editions may add fields, options and values. `null` is a value; `[name]` may be absent.
 */

export {}; // types only

/**
 * Pen -> its dinosaurs, a letter each; empty pens are left out. In `PY` a "." is an empty cell.
 * @typedef {Readonly<Record<string, string>>} Zoo
 */

/**
 * @typedef {object} DraftosaurusView
 * @property {string} phase
 * @property {string} season The side of the board in play: "summer" or "winter".
 * @property {number} game 1, or 2 in the winter half of `summer_winter`.
 * @property {number} round
 * @property {number} turn
 * @property {number} seat Whose view this is.
 * @property {number} seats
 * @property {DraftosaurusOptions} options
 * @property {number | null} first The seat that rolled first in this game.
 * @property {number | null} roller The seat that rolls the die in this turn.
 * @property {string | null} die The face, one of W G L R E X, while it matters.
 * @property {boolean[]} bound By seat: does the die bind it now?
 * @property {Zoo[]} zoos By seat.
 * @property {(string | null)[]} hands By seat: the hand in the order T D C S G P, or null if you do not know it.
 * @property {number} hand_size
 * @property {number} bag_size
 * @property {number} per_species How many of each species the bag held at first.
 * @property {string[] | null} picks By seat: the revealed picks in phase `place`.
 * @property {string[]} [discards] Two players only, by seat: what went into the box, "?" where unknown.
 * @property {(string | null)[]} [drops] Two players only, by seat: discards chosen with the picks.
 * @property {Zoo[]} [summer] Only in the winter half of `summer_winter`: the final summer zoos.
 */

/**
 * Only those that differ from their defaults are there.
 * @typedef {object} DraftosaurusOptions
 * @property {"winter" | "summer_winter"} [season]
 * @property {number | "random"} [first_roller]
 * @property {"all_bound"} [five_player_last_turn]
 * @property {number} [trio_points]
 * @property {"pick_and_place"} [commit]
 * @property {"with_pick"} [discard_timing]
 * @property {"hidden"} [discard_visibility]
 * @property {"may"} [quarantine_move]
 * @property {"auto_best"} [quarantine_resolution]
 * @property {"whole"} [bridge_die_unit]
 * @property {"woods_only" | "both"} [bridge_region]
 * @property {number | null} [prairie_capacity]
 * @property {number | null} [bridge_capacity]
 * @property {"left_to_right"} [pyramid_fill]
 * @property {"pens_only"} [zoo_scope]
 * @property {"next"} [match_second_start]
 * @property {"shared"} [match_tiebreak]
 */

/**
 * Head, front legs, back legs, tail.
 * @typedef {"H" | "A" | "P" | "T"} Part
 */

/**
 * Carnivore or herbivore.
 * @typedef {"C" | "H"} Diet
 */

/**
 * Attack, defence, the diet of a head, and the numbers of the real dinosaurs it is a part of.
 * @typedef {[attack: number, defence: number, diet: Diet | null, numbers: number[]]} Card
 */

/**
 * @typedef {object} Dino
 * @property {string} id As in "d4".
 * @property {number} owner
 * @property {string} name
 * @property {string[]} cards The four cards, in the order of the parts.
 * @property {Diet} diet
 * @property {number} attack
 * @property {number} defence
 * @property {boolean} fern
 * @property {number} periods
 * @property {boolean} closed The current player may not modify it in this turn (any more).
 * @property {boolean} fed A carnivore that has eaten in this turn.
 * @property {boolean} starving A carnivore left hungry by choice.
 * @property {boolean} bonus It has taken the bonus of a real dinosaur.
 */

/**
 * @typedef {object} DinodocusView
 * @property {string} phase
 * @property {number} turn
 * @property {number} current The seat whose turn it is.
 * @property {number} seat Whose view this is.
 * @property {number} seats
 * @property {DinodocusOptions} options
 * @property {Record<string, Card>} cards The whole deck by id, as in "H07"; it never changes.
 * @property {number} pool Ferns that no dinosaur has.
 * @property {number} periods What is left of the period deck.
 * @property {Record<Part, number>} decks
 * @property {Record<Part, string[]>} discards
 * @property {number} made How many dinosaurs there have been; the next one is "d" and one more.
 * @property {Dino[]} dinos On the table, the oldest first.
 * @property {Record<string, number>[]} timelines By seat: extinct dinosaur -> its period cards.
 * @property {(string[] | null)[]} hands By seat: the cards in hand, or null if you do not know them.
 * @property {number[]} hand_sizes
 * @property {Record<Part, number>[] | null} hand_parts By seat: how many cards of each part; null if hidden.
 * @property {string[][]} shown By seat: cards in hand that everybody has seen.
 * @property {(number | null)[]} hidden By seat: hidden period cards, or null if you do not know.
 * @property {"turn" | "mutate" | "react" | null} window While cards are offered or answered.
 * @property {number} round The round of offers, from 1; else 0.
 * @property {number | null} receiver To whom cards are offered.
 * @property {{ seat: number; card: string }[]} offers
 * @property {string | null} focus The dinosaur just made or modified, while that has consequences.
 * @property {number | null} maker Who decides on the bonus.
 * @property {Part | null} draw The part that is being drawn.
 */

/**
 * Only those that differ from their defaults are there.
 * @typedef {object} DinodocusOptions
 * @property {unknown} [deck]
 * @property {true} [advanced]
 * @property {"random"} [start_tie]
 * @property {"immediate"} [reshuffle]
 * @property {"may_stop"} [draw_mode]
 * @property {false} [mutate_fresh]
 * @property {true} [real_bonus]
 * @property {"once_per_dino"} [real_repeat]
 * @property {"owner_only"} [real_maker]
 * @property {"free"} [herb_duty]
 * @property {"own_optional" | "free"} [carn_duty]
 * @property {"immediate"} [unfed_discard]
 * @property {"auto_best"} [final_allocation]
 * @property {"mutate_and_turn_start"} [offer_windows]
 * @property {number} [offer_rounds]
 * @property {false} [help_events_public]
 * @property {false} [hand_parts_public]
 * @property {number} [turn_cap]
 */
