//! What a seat sees, game by game: `let view: Draftosaurus = question.view()?;`
//!
//! The rules of each game explain the fields: see `arena rules draftosaurus` and `arena rules dinodocus`. A field that
//! is missing has its default value, and one that is not listed here is ignored, so that old bots can play new games.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// The options that differ from their defaults. A null is a value too, unlike an absent key.
pub type Options = Map<String, Value>;

/// Pen -> its dinosaurs, one letter each; empty pens are left out. In `PY` a `.` is an empty cell.
pub type Zoo = BTreeMap<String, String>;

/// What a seat sees in Draftosaurus. Rounds, turns and games count from 1, seats from 0.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Draftosaurus {
    pub phase: String,
    pub season: String,
    pub game: u32,
    pub round: u32,
    pub turn: u32,
    pub seat: Option<usize>,
    pub seats: usize,
    pub options: Options,
    pub first: Option<usize>,
    pub roller: Option<usize>,
    /// The face of the die, while it matters.
    pub die: Option<String>,
    /// By seat: does the die bind it now?
    pub bound: Vec<bool>,
    pub zoos: Vec<Zoo>,
    /// By seat: the hand, or None if it is not known.
    pub hands: Vec<Option<String>>,
    pub hand_size: usize,
    pub bag_size: usize,
    pub per_species: usize,
    /// By seat: the revealed picks, in phase `place`.
    pub picks: Option<Vec<String>>,
    /// Two players only, by seat: what went into the box, `?` where unknown.
    pub discards: Vec<String>,
    /// Two players only, by seat: discards chosen with the picks, None where hidden.
    pub drops: Vec<Option<String>>,
    /// The final summer zoos, in the winter half of `summer_winter`.
    pub summer: Vec<Zoo>,
}

/// What a seat sees in Dinodocus. Turns count from 1, seats from 0. The parts are `H`, `A`, `P` and `T`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Dinodocus {
    pub phase: String,
    pub turn: u32,
    pub current: usize,
    pub seat: Option<usize>,
    pub seats: usize,
    pub options: Options,
    /// The whole deck, by the id of the card.
    pub cards: BTreeMap<String, Card>,
    /// Ferns in the pool.
    pub pool: u32,
    /// What is left of the period deck.
    pub periods: u32,
    /// Part -> how many cards its deck holds.
    pub decks: BTreeMap<String, usize>,
    /// Part -> the cards in its discard pile.
    pub discards: BTreeMap<String, Vec<String>>,
    /// How many dinosaurs there have been.
    pub made: u32,
    /// The dinosaurs on the table, the oldest first.
    pub dinos: Vec<Dino>,
    /// By seat: extinct dinosaur -> its period cards.
    pub timelines: Vec<BTreeMap<String, u32>>,
    /// By seat: the cards in hand, or None if they are not known.
    pub hands: Vec<Option<Vec<String>>>,
    pub hand_sizes: Vec<usize>,
    /// By seat: part -> how many cards of it the hand holds; None if hidden.
    pub hand_parts: Option<Vec<BTreeMap<String, usize>>>,
    /// By seat: the cards in hand that everybody has seen.
    pub shown: Vec<Vec<String>>,
    /// By seat: hidden period cards, or None if their number is not known.
    pub hidden: Vec<Option<u32>>,
    /// `turn`, `mutate` or `react` while cards are being offered or answered.
    pub window: Option<String>,
    pub round: u32,
    /// To whom cards are being offered.
    pub receiver: Option<usize>,
    pub offers: Vec<Offer>,
    /// The dinosaur just made or modified, while that has consequences.
    pub focus: Option<String>,
    /// Who decides on the bonus.
    pub maker: Option<usize>,
    /// The part that is drawn, in phase `card`.
    pub draw: Option<String>,
}

/// A card of the deck, which the view writes as an array of these four.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Card {
    pub attack: i32,
    pub defence: i32,
    /// `C` or `H`; only heads have one.
    pub diet: Option<String>,
    /// The real dinosaurs that it is a part of.
    pub numbers: Vec<u32>,
}

/// A dinosaur on the table.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Dino {
    pub id: String,
    pub owner: usize,
    pub name: String,
    /// The four cards, in the order of the parts.
    pub cards: Vec<String>,
    /// `C` or `H`
    pub diet: String,
    pub attack: i32,
    pub defence: i32,
    pub fern: bool,
    pub periods: u32,
    /// Whether the current player may not modify it in this turn.
    pub closed: bool,
    /// Whether it is a carnivore that has eaten in this turn.
    pub fed: bool,
    /// Whether it is a carnivore left hungry by choice.
    pub starving: bool,
    /// Whether it has taken the bonus of a real dinosaur.
    pub bonus: bool,
}

/// A card on offer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Offer {
    pub seat: usize,
    pub card: String,
}
