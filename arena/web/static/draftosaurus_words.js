// @ts-check
// The words of the Draftosaurus board. A translation replaces this module. "\n" is where a title breaks.

export const WORDS = {
  "dino.T": "T-Rex",
  "dino.D": "Diplodocus",
  "dino.C": "Triceratops",
  "dino.S": "Spinosaurus",
  "dino.G": "Stegosaurus",
  "dino.P": "Parasaurolophus",
  "dino.?": "unknown dinosaur",

  "pen.FS": "Forest of\nSameness",
  "pen.WT": "Woody Trio",
  "pen.KJ": "King of\nthe Jungle",
  "pen.PL": "Prairie\nof Love",
  "pen.MD": "Meadow of\nDifferences",
  "pen.SI": "Solitary\nIsland",
  "pen.WO": "Well-Ordered\nWood",
  "pen.BL": "Lovers’",
  "pen.BR": "Bridge",
  "pen.LO": "Lookout",
  "pen.QZ": "Quarantine\nZone",
  "pen.PY": "Pyramid",
  "pen.RV": "River",
  "full.BL": "Lovers’ Bridge, left bank",
  "full.BR": "Lovers’ Bridge, right bank",
  "full.bridge": "Lovers’ Bridge",
  "full.rex": "T-Rex bonus",

  "rule.FS": "One species: 2, 4, 8, 12, 18, 24 points.",
  "rule.WT": "{trio} points once three are in it.",
  "rule.KJ": "7 points if no opponent has more of its species.",
  "rule.PL": "5 points for each pair of one species.",
  "rule.MD": "All different: 1, 3, 6, 10, 15, 21 points.",
  "rule.SI": "7 points if the zoo has no other of its species.",
  "rule.WO": "Two species in turn: 2, 4, 8, 12, 18, 24 points.",
  "rule.BL": "6 points for each pair of one species across the River.",
  "rule.BR": "6 points for each pair of one species across the River.",
  "rule.LO": "2 points for each of its species at the right neighbour.",
  "rule.QZ": "It moves elsewhere after the last turn.",
  "rule.PY": "Row by row, equal species never touch: 2, 4, 7 points.",
  "rule.RV": "Always open: 1 point each.",

  "die.W": "woods",
  "die.G": "grass",
  "die.L": "left of the River",
  "die.R": "right of the River",
  "die.E": "empty pen",
  "die.X": "no T-Rex in the pen",

  "phase.first": "The first roller is drawn.",
  "phase.deal": "Dinosaurs are drawn from the bag.",
  "phase.roll": "{name} rolls the die.",
  "phase.pick": "All pick a dinosaur in secret.",
  "phase.place": "All place what they picked.",
  "phase.draft": "All pick a dinosaur and place it.",
  "phase.discard": "Both put a dinosaur out of the game.",
  "phase.quarantine": "Dinosaurs leave the Quarantine Zone.",
  "phase.over": "The game is over.",

  summer: "Summer",
  winter: "Winter",
  game: ", game {game} of 2",
  clock: "{season}{game}. Round {round} of {rounds}, turn {turn} of {turns}",
  roll: "{name} rolled: {face}",
  must: "It binds {names}; the River is open, too.",
  blank: "die not rolled",
  bag: "in the bag",
  seat: "Seat {seat}",

  first: "first player",
  rolls: "rolls the die",
  rolled: "rolled the die",
  free: "rolled the die, not bound",
  bound: "bound: {face}",
  hand: "Hand",
  hidden: "{n} hidden",
  pick: "Picked",
  drop: "Will discard",
  discard: "Discarded",
  out: "Discard:",
  memory: "Summer zoo: {points}",

  point: "{n} point",
  points: "{n} points",
  of: "{where}: {what}",
  at: "{dino}, {where}",
  plain: "{what}",
  new: "{what}, new",
  shut: "{what}, closed by the die",
  choose: "Choose {what}",
  cell: "Pyramid, cell {cell}",
  nothing: "The zoo is empty",
};

/** A text with its values filled in. */
export function t(key, values = {}) {
  return WORDS[key].replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Whether there is a text for a key. */
export function has(key) {
  return key in WORDS;
}
