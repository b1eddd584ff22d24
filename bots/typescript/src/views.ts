/**
 * What a seat sees of the arena's games: the `view` of a question. `arena rules GAME` tells more, with an example.
 *
 * Later editions may add fields, options and values. `null` is a value; `?` marks what may be absent.
 */

/** Pen -> its dinosaurs, a letter each; empty pens are left out. In `PY` a "." is an empty cell. */
export type Zoo = Readonly<Record<string, string>>;

export interface DraftosaurusView {
  phase: string;
  /** The side of the board in play: "summer" or "winter". */
  season: string;
  /** 1, or 2 in the winter half of `summer_winter`. */
  game: number;
  round: number;
  turn: number;
  /** Whose view this is. */
  seat: number;
  seats: number;
  options: DraftosaurusOptions;
  /** The seat that rolled first in this game. */
  first: number | null;
  /** The seat that rolls the die in this turn. */
  roller: number | null;
  /** The face, one of W G L R E X, while it matters. */
  die: string | null;
  /** By seat: does the die bind it now? */
  bound: boolean[];
  /** By seat. */
  zoos: Zoo[];
  /** By seat: the hand in the order T D C S G P, or null if you do not know it. */
  hands: (string | null)[];
  hand_size: number;
  bag_size: number;
  /** How many of each species the bag held at first. */
  per_species: number;
  /** By seat: the revealed picks in phase `place`. */
  picks: string[] | null;
  /** Two players only, by seat: what went into the box, "?" where unknown. */
  discards?: string[];
  /** Two players only, by seat: discards chosen with the picks. */
  drops?: (string | null)[];
  /** Only in the winter half of `summer_winter`: the final summer zoos. */
  summer?: Zoo[];
}

/** Only those that differ from their defaults are there. */
export interface DraftosaurusOptions {
  season?: "winter" | "summer_winter";
  first_roller?: number | "random";
  five_player_last_turn?: "all_bound";
  trio_points?: number;
  commit?: "pick_and_place";
  discard_timing?: "with_pick";
  discard_visibility?: "hidden";
  quarantine_move?: "may";
  quarantine_resolution?: "auto_best";
  bridge_die_unit?: "whole";
  bridge_region?: "woods_only" | "both";
  prairie_capacity?: number | null;
  bridge_capacity?: number | null;
  pyramid_fill?: "left_to_right";
  zoo_scope?: "pens_only";
  match_second_start?: "next";
  match_tiebreak?: "shared";
}

/** Head, front legs, back legs, tail. */
export type Part = "H" | "A" | "P" | "T";

/** Carnivore or herbivore. */
export type Diet = "C" | "H";

/** Attack, defence, the diet of a head, and the numbers of the real dinosaurs it is a part of. */
export type Card = [attack: number, defence: number, diet: Diet | null, numbers: number[]];

export interface Dino {
  /** As in "d4". */
  id: string;
  owner: number;
  name: string;
  /** The four cards, in the order of the parts. */
  cards: string[];
  diet: Diet;
  attack: number;
  defence: number;
  fern: boolean;
  periods: number;
  /** The current player may not modify it in this turn (any more). */
  closed: boolean;
  /** A carnivore that has eaten in this turn. */
  fed: boolean;
  /** A carnivore left hungry by choice. */
  starving: boolean;
  /** It has taken the bonus of a real dinosaur. */
  bonus: boolean;
}

export interface DinodocusView {
  phase: string;
  turn: number;
  /** The seat whose turn it is. */
  current: number;
  /** Whose view this is. */
  seat: number;
  seats: number;
  options: DinodocusOptions;
  /** The whole deck by id, as in "H07"; it never changes. */
  cards: Record<string, Card>;
  /** Ferns that no dinosaur has. */
  pool: number;
  /** What is left of the period deck. */
  periods: number;
  decks: Record<Part, number>;
  discards: Record<Part, string[]>;
  /** How many dinosaurs there have been; the next one is "d" and one more. */
  made: number;
  /** On the table, the oldest first. */
  dinos: Dino[];
  /** By seat: extinct dinosaur -> its period cards. */
  timelines: Record<string, number>[];
  /** By seat: the cards in hand, or null if you do not know them. */
  hands: (string[] | null)[];
  hand_sizes: number[];
  /** By seat: how many cards of each part; null if hidden. */
  hand_parts: Record<Part, number>[] | null;
  /** By seat: cards in hand that everybody has seen. */
  shown: string[][];
  /** By seat: hidden period cards, or null if you do not know. */
  hidden: (number | null)[];
  /** While cards are offered or answered. */
  window: "turn" | "mutate" | "react" | null;
  /** The round of offers, from 1; else 0. */
  round: number;
  /** To whom cards are offered. */
  receiver: number | null;
  offers: { seat: number; card: string }[];
  /** The dinosaur just made or modified, while that has consequences. */
  focus: string | null;
  /** Who decides on the bonus. */
  maker: number | null;
  /** The part that is being drawn. */
  draw: Part | null;
}

/** Only those that differ from their defaults are there. */
export interface DinodocusOptions {
  deck?: unknown;
  advanced?: true;
  start_tie?: "random";
  reshuffle?: "immediate";
  draw_mode?: "may_stop";
  mutate_fresh?: false;
  real_bonus?: true;
  real_repeat?: "once_per_dino";
  real_maker?: "owner_only";
  herb_duty?: "free";
  carn_duty?: "own_optional" | "free";
  unfed_discard?: "immediate";
  final_allocation?: "auto_best";
  offer_windows?: "mutate_and_turn_start";
  offer_rounds?: number;
  help_events_public?: false;
  hand_parts_public?: false;
  turn_cap?: number;
}
