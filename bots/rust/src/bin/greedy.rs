//! greedy at Draftosaurus: takes what promises the most points, looking a little ahead.
//!
//! Theory of operation. `Table::worth` estimates the final points of a zoo: what its pens score now, and what those
//! that can still grow will probably score, given the dinosaurs still to come. An action is worth what the zoo is worth
//! after it, and a pick what its best placement is worth. A discard is worth what it takes from the neighbour who gets
//! the hand next. Views hold everything, so nothing is remembered. Equal actions are decided by the order of `legal`.

use std::process::ExitCode;

use dinobot::views::{Draftosaurus, Options, Zoo};
use dinobot::{Answer, Player, Question, Result, Start};
use serde_json::Value;

const TURNS: usize = 12;
const SPECIES: [&str; 6] = ["T", "D", "C", "S", "G", "P"];
const SUMMER: [&str; 7] = ["FS", "WT", "KJ", "PL", "MD", "SI", "RV"];
const WINTER: [&str; 7] = ["WO", "BL", "LO", "QZ", "BR", "PY", "RV"];
const SLOTS: [&str; 18] =
    ["FS", "WT", "KJ", "PL", "MD", "SI", "RV", "WO", "BL", "LO", "QZ", "BR", "PY0", "PY1", "PY2", "PY3", "PY4", "PY5"];
const BLANK: &str = "......";
const ROWS: [&[usize]; 3] = [&[0, 1, 2], &[3, 4], &[5]];
const TOUCHING: [&[usize]; 6] = [&[1, 3], &[0, 2, 3, 4], &[1, 4], &[0, 1, 4, 5], &[1, 2, 3, 5], &[3, 4]];

/// Points by the number of dinosaurs in a pen.
type Track = [f64; 7];

const SAMENESS: Track = [0.0, 2.0, 4.0, 8.0, 12.0, 18.0, 24.0];
const DIFFERENCES: Track = [0.0, 1.0, 3.0, 6.0, 10.0, 15.0, 21.0];
const PYRAMID: Track = [0.0, 2.0, 4.0, 6.0, 10.0, 14.0, 21.0];

// Guesses, found by playing against itself.

/// Dinosaurs that each turn to come will add to a pen whose points rise with every dinosaur.
const PACE: f64 = 0.33;
/// Points of a dinosaur that may still find its partner.
const SINGLE: f64 = 1.5;
/// Points of a pen for one dinosaur that is kept empty for a good one.
const SAVED: f64 = 4.0;
/// How much a point that the neighbour does not get is worth.
const DENIAL: f64 = 0.3;

#[derive(Clone, Copy)]
enum Season {
    Summer,
    Winter,
}

impl Season {
    fn named(name: &str) -> Option<Self> {
        match name {
            "summer" => Some(Season::Summer),
            "winter" => Some(Season::Winter),
            _ => None,
        }
    }

    fn pens(self) -> &'static [&'static str] {
        match self {
            Season::Summer => &SUMMER,
            Season::Winter => &WINTER,
        }
    }
}

/// An action, taken to pieces.
struct Action<'a> {
    /// Empty if the action names no dinosaur.
    dino: &'a str,
    slot: Option<&'a str>,
    drop: Option<&'a str>,
}

impl<'a> Action<'a> {
    /// None for an action of a kind that came after this bot.
    fn read(text: &'a str) -> Option<Self> {
        let (text, drop) = split(text, &['x']);
        let text = text.strip_suffix('=').unwrap_or(text);
        let (dino, slot) = split(text, &['@', '>']);
        let is_known = (dino.is_empty() || dino == "Q" || SPECIES.contains(&dino))
            && slot.is_none_or(|slot| SLOTS.contains(&slot))
            && drop.is_none_or(|drop| SPECIES.contains(&drop));
        is_known.then_some(Action { dino, slot, drop })
    }
}

/// The text before a sign, and the one behind it if the sign is there.
fn split<'a>(text: &'a str, signs: &[char]) -> (&'a str, Option<&'a str>) {
    text.split_once(signs).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

fn inside<'a>(zoo: &'a Zoo, pen: &str) -> &'a str {
    zoo.get(pen).map_or("", String::as_str)
}

/// The zoo with one dinosaur more.
fn put(zoo: &Zoo, dino: &str, slot: &str) -> Zoo {
    let mut zoo = zoo.clone();
    if let Some(cell) = slot.strip_prefix("PY").and_then(|cell| cell.parse::<usize>().ok()) {
        let cells = zoo.entry("PY".to_owned()).or_default();
        if cells.is_empty() {
            cells.push_str(BLANK);
        }
        cells.replace_range(cell..=cell, dino);
    } else {
        zoo.entry(slot.to_owned()).or_default().push_str(dino);
    }
    zoo
}

/// The zoo with nobody in quarantine.
fn released(zoo: &Zoo) -> Zoo {
    let mut zoo = zoo.clone();
    zoo.remove("QZ");
    zoo
}

/// The points of a pen that goes on growing at its PACE for so many turns.
fn grown(points: Track, filled: usize, turns: f64) -> f64 {
    let reach = (filled as f64 + turns * PACE).min((points.len() - 1) as f64);
    let below = (reach as usize).min(points.len() - 2);
    points[below] + (reach - below as f64) * (points[below + 1] - points[below])
}

/// What lies on the table, for all to see.
struct Table<'a> {
    season: Season,
    options: &'a Options,
    zoos: &'a [Zoo],
}

impl Table<'_> {
    /// What a seat's zoo is worth once this dinosaur stands in its best place.
    fn best(&self, seat: usize, dino: &str, die: Option<&str>) -> f64 {
        let zoo = &self.zoos[seat];
        let slots = self.slots(zoo, dino, die).into_iter();
        slots.map(|slot| self.worth(seat, &put(zoo, dino, &slot))).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The points that a zoo will probably have in the end, if it is this seat's.
    fn worth(&self, seat: usize, zoo: &Zoo) -> f64 {
        let guest = inside(zoo, "QZ");
        if !guest.is_empty() {
            let rest = released(zoo);
            let slots = self.slots(&rest, guest, None).into_iter().filter(|slot| slot != "QZ");
            return slots.map(|slot| self.worth(seat, &put(&rest, guest, &slot))).fold(f64::NEG_INFINITY, f64::max);
        }
        let placed: usize = zoo.values().map(|pen| placed_in(pen)).sum();
        let turns = TURNS.saturating_sub(placed) as f64;
        let pens = match self.season {
            Season::Summer => self.summer(seat, zoo, turns),
            Season::Winter => self.winter(seat, zoo, turns),
        };
        let rex = zoo.iter().filter(|(pen, contents)| *pen != "RV" && contents.contains('T')).count();
        pens + rex as f64 + inside(zoo, "RV").len() as f64
    }

    fn summer(&self, seat: usize, zoo: &Zoo, turns: f64) -> f64 {
        let trio = inside(zoo, "WT").len() as f64;
        let trio_points = self.options.get("trio_points").and_then(Value::as_f64).unwrap_or(7.0);
        let prairie = inside(zoo, "PL");
        let pairs: usize = SPECIES.iter().map(|dino| prairie.matches(dino).count() / 2).sum();
        let singles = prairie.len() - 2 * pairs;
        grown(SAMENESS, inside(zoo, "FS").len(), turns)
            + grown(DIFFERENCES, inside(zoo, "MD").len(), turns)
            + if trio + turns >= 3.0 { trio_points * trio / 3.0 } else { 0.0 }
            + (5 * pairs) as f64
            + (SINGLE * singles as f64).min(turns)
            + self.king(seat, zoo, turns)
            + self.island(zoo, turns)
    }

    fn winter(&self, seat: usize, zoo: &Zoo, turns: f64) -> f64 {
        let (left, right) = (inside(zoo, "BL"), inside(zoo, "BR"));
        let couples: usize =
            SPECIES.iter().map(|dino| left.matches(dino).count().min(right.matches(dino).count())).sum();
        let singles = left.len() + right.len() - 2 * couples;
        grown(SAMENESS, inside(zoo, "WO").len(), turns)
            + grown(PYRAMID, placed_in(inside(zoo, "PY")), turns)
            + (6 * couples) as f64
            + (SINGLE * singles as f64).min(turns)
            + self.lookout(seat, zoo, turns)
    }

    fn king(&self, seat: usize, zoo: &Zoo, turns: f64) -> f64 {
        let dino = inside(zoo, "KJ");
        if dino.is_empty() {
            return SAVED.min(turns);
        }
        let others = self.zoos.iter().enumerate().filter(|(other, _)| *other != seat);
        let rival = others.map(|(_, zoo)| self.count(zoo, dino)).fold(0.0, f64::max);
        let lead = self.count(zoo, dino) - rival;
        7.0 * (0.5 + (lead + 0.5) / (turns + 1.0)).clamp(0.0, 1.0) // certain once no turn is left
    }

    fn island(&self, zoo: &Zoo, turns: f64) -> f64 {
        match inside(zoo, "SI") {
            "" => SAVED.min(turns),
            dino if self.count(zoo, dino) == 1.0 => 7.0,
            _ => 0.0,
        }
    }

    fn lookout(&self, seat: usize, zoo: &Zoo, turns: f64) -> f64 {
        let dino = inside(zoo, "LO");
        if dino.is_empty() {
            return SAVED.min(turns);
        }
        let right = (seat + self.zoos.len() - 1) % self.zoos.len();
        2.0 * (self.count(&self.zoos[right], dino) + turns / SPECIES.len() as f64)
    }

    /// How many of a species are in a zoo; option `zoo_scope` says whether the River is part of it.
    fn count(&self, zoo: &Zoo, dino: &str) -> f64 {
        let river = self.options.get("zoo_scope").is_none_or(|scope| scope == "all");
        let pens = zoo.iter().filter(|(pen, _)| river || *pen != "RV");
        pens.map(|(_, contents)| contents.matches(dino).count()).sum::<usize>() as f64
    }

    /// Where a dinosaur may go, under a face of the die or under none.
    ///
    /// The bridge is taken to be split: its other variants only blur the look ahead, as placements come with `legal`.
    fn slots(&self, zoo: &Zoo, dino: &str, die: Option<&str>) -> Vec<String> {
        let mut slots = Vec::new();
        for &pen in self.season.pens() {
            let contents = inside(zoo, pen);
            if pen != "RV" && die.is_some_and(|die| !opens(die, pen, contents)) {
                continue;
            }
            if pen == "PY" {
                slots.extend(self.cells(contents, dino));
            } else if self.admits(pen, contents, dino) {
                slots.push(pen.to_owned());
            }
        }
        slots
    }

    fn admits(&self, pen: &str, contents: &str, dino: &str) -> bool {
        if self.room(pen).is_some_and(|room| contents.len() as u64 >= room) {
            return false;
        }
        match pen {
            "WO" if contents.len() > 1 => contents[..contents.len() - 1].ends_with(dino),
            "WO" => contents != dino,
            "MD" => !contents.contains(dino),
            "FS" => contents.is_empty() || contents.contains(dino),
            _ => true,
        }
    }

    /// How many dinosaurs fit into a pen; None is any number. An option that is null takes the limit away.
    fn room(&self, pen: &str) -> Option<u64> {
        let (option, usual) = match pen {
            "FS" | "MD" | "WO" => return Some(6),
            "WT" => return Some(3),
            "KJ" | "SI" | "LO" | "QZ" => return Some(1),
            "PL" => ("prairie_capacity", Some(6)),
            "BL" | "BR" => ("bridge_capacity", None),
            _ => return None,
        };
        self.options.get(option).map_or(usual, Value::as_u64)
    }

    fn cells(&self, cells: &str, dino: &str) -> Vec<String> {
        let cells = if cells.is_empty() { BLANK } else { cells };
        let holds = |cell: usize, letter: &str| cells[cell..].starts_with(letter);
        let free_in = |row: &&[usize]| row.iter().copied().filter(|&cell| holds(cell, ".")).collect::<Vec<_>>();
        let mut free = ROWS.iter().map(free_in).find(|free| !free.is_empty()).unwrap_or_default();
        if self.options.get("pyramid_fill").is_some_and(|fill| fill == "left_to_right") {
            free.truncate(1);
        }
        free.retain(|&cell| !TOUCHING[cell].iter().any(|&other| holds(other, dino)));
        free.into_iter().map(|cell| format!("PY{cell}")).collect()
    }
}

fn placed_in(pen: &str) -> usize {
    pen.chars().filter(|&dino| dino != '.').count()
}

/// Whether a face of the die opens a pen.
fn opens(die: &str, pen: &str, contents: &str) -> bool {
    let opened = match die {
        "E" => return contents.is_empty(),
        "X" => return !contents.contains('T'),
        "W" => ["FS", "WT", "KJ", "WO", "BL", "LO"],
        "G" => ["PL", "MD", "SI", "QZ", "BR", "PY"],
        "L" => ["FS", "WT", "PL", "WO", "BL", "QZ"],
        "R" => ["KJ", "MD", "SI", "LO", "BR", "PY"],
        _ => return false,
    };
    opened.contains(&pen)
}

/// Weighs every legal action on its own.
struct Greedy {
    seat: usize,
    neighbour: usize,
}

impl Greedy {
    fn new(start: &Start) -> Self {
        Greedy { seat: start.seat, neighbour: (start.seat + 1) % start.seats }
    }

    /// What an action is worth; all are alike if they are of a kind that came after this bot.
    fn value(&self, table: &Table, die: Option<&str>, action: &str) -> f64 {
        let Some(Action { dino, slot, drop }) = Action::read(action) else {
            return 0.0;
        };
        let denied = drop.map_or(0.0, |drop| DENIAL * table.best(self.neighbour, drop, None));
        match (dino, slot) {
            ("Q", slot) => self.moved(table, slot),
            (dino, Some(slot)) => denied + table.worth(self.seat, &put(&table.zoos[self.seat], dino, slot)),
            ("", None) => denied,
            (dino, None) => denied + table.best(self.seat, dino, die),
        }
    }

    /// What the zoo is worth after the quarantine; no slot is to stay there.
    fn moved(&self, table: &Table, slot: Option<&str>) -> f64 {
        let zoo = &table.zoos[self.seat];
        let rest = released(zoo);
        match slot {
            Some(slot) => table.worth(self.seat, &put(&rest, &zoo["QZ"], slot)),
            None => table.worth(self.seat, &rest),
        }
    }
}

impl Player for Greedy {
    fn decide(&mut self, question: &Question) -> Result<Answer> {
        let view: Draftosaurus = question.view()?;
        let first = question.legal.first().ok_or("there is no legal action")?;
        let Some(season) = Season::named(&view.season) else {
            return Ok(first.into());
        };
        let table = Table { season, options: &view.options, zoos: &view.zoos };
        let die = view.die.as_deref().filter(|_| view.bound[self.seat]);
        let weighed = question.legal.iter().map(|action| (action, self.value(&table, die, action)));
        let best = weighed.reduce(|best, next| if next.1 > best.1 { next } else { best });
        Ok(best.map_or(first, |(action, _)| action).into())
    }
}

fn main() -> ExitCode {
    dinobot::run("greedy-rust", "1.0", &["draftosaurus"], Greedy::new)
}
