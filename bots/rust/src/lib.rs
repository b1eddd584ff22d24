//! A bot's side of Dino Arena's protocol, revision 1, in framed MessagePack.
//!
//! ```no_run
//! use dinobot::{Answer, Player, Question, Result, Start};
//!
//! struct First {
//!     seat: usize,
//! }
//!
//! impl Player for First {
//!     fn decide(&mut self, question: &Question) -> Result<Answer> {
//!         let note = format!("seat {} takes what comes first", self.seat);
//!         Ok(Answer::from(&question.legal[0]).with_note(note))
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     dinobot::run("first", "1.0", &["draftosaurus"], |start: &Start| First { seat: start.seat })
//! }
//! ```
//!
//! Print as you like: it goes to stderr. If your player panics or returns an error, the process says why on stderr
//! and ends with status 1.

pub mod views;

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The revision of the protocol that this crate speaks.
pub const REVISION: u64 = 1;
/// The longest payload of a frame.
pub const MOST_BYTES: usize = 1 << 20;
/// How many characters of a note the arena keeps.
pub const MOST_NOTE: usize = 1024;

/// What can fail in a bot ends it, so any error will do.
pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// What plays one match.
pub trait Player {
    /// Chooses one of `question.legal`.
    fn decide(&mut self, question: &Question) -> Result<Answer>;

    /// Hears how the match has ended.
    fn end(&mut self, _end: &End) {}
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn decide(&mut self, question: &Question) -> Result<Answer> {
        (**self).decide(question)
    }

    fn end(&mut self, end: &End) {
        (**self).end(end);
    }
}

/// An action, and perhaps a note for the record of the match.
#[derive(Debug, Clone)]
pub struct Answer {
    action: String,
    note: String,
}

impl Answer {
    /// The same action with a note, of which the arena keeps 1024 characters.
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Answer { note: note.into(), ..self }
    }
}

impl<S: Into<String>> From<S> for Answer {
    fn from(action: S) -> Self {
        Answer { action: action.into(), note: String::new() }
    }
}

/// All that the arena says.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Welcome(Welcome),
    Start(Start),
    Decide(Question),
    End(End),
    Bye,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Welcome {
    pub protocol: u64,
    pub arena: String,
}

/// A match begins.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Start {
    #[serde(rename = "match")]
    pub match_name: String,
    pub game: String,
    pub edition: u64,
    /// The options that differ from their defaults. A null is a value too, unlike an absent key.
    pub options: Map<String, Value>,
    pub seat: usize,
    pub seats: usize,
    /// The names of the players, by seat.
    pub players: Vec<String>,
    pub clock: Allowances,
    /// Yours to use, so that a bot that rolls dice can still be repeated.
    pub bot_seed: u64,
}

/// The time of a match.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Allowances {
    pub prepare_ms: u64,
    pub bank_ms: u64,
    pub increment_ms: u64,
}

/// A decision is due.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Question {
    pub id: u64,
    pub phase: String,
    /// All that the seat may know, as the game's rules describe it; see also the method `view`.
    pub view: Value,
    /// The actions to choose from, at least one.
    pub legal: Vec<String>,
    /// What this seat saw happen since the last question, oldest first.
    pub events: Vec<Value>,
    pub clock: Clock,
    /// What became of the previous answer; None in the first question of a match.
    pub last: Option<Last>,
}

impl Question {
    /// The view as a type of [`views`], or as one of your own.
    pub fn view<'a, V: Deserialize<'a>>(&'a self) -> Result<V> {
        Ok(V::deserialize(&self.view)?)
    }
}

/// The time for one decision: first the increment, beyond it the bank pays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Clock {
    pub bank_ms: u64,
    pub increment_ms: u64,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Last {
    pub id: u64,
    /// `accepted`, `late`, `illegal` or `malformed`
    pub status: String,
    pub played: String,
    pub used_ms: u64,
    /// Why it was not accepted.
    pub reason: Option<String>,
}

/// A match is over.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct End {
    pub scores: Vec<i64>,
    pub ranks: Vec<u64>,
    pub outcome: Value,
    pub faults: Vec<Fault>,
    /// Why the match does not count; None if it counts.
    pub void: Option<String>,
}

/// What a seat did wrong.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Fault {
    pub seat: usize,
    pub kind: String,
    pub text: String,
}

/// All that a bot says.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Reply<'a> {
    Hello {
        protocol: u64,
        name: &'a str,
        version: &'a str,
        games: &'a [&'a str],
    },
    Ready,
    Move {
        id: u64,
        action: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        note: &'a str,
    },
}

impl<'a> Reply<'a> {
    pub fn hello(name: &'a str, version: &'a str, games: &'a [&'a str]) -> Self {
        Reply::Hello { protocol: REVISION, name, version, games }
    }

    /// The answer to the question of this id, its note cut to what the arena keeps.
    pub fn answering(id: u64, answer: &'a Answer) -> Self {
        let note = &answer.note;
        let end = note.char_indices().nth(MOST_NOTE).map_or(note.len(), |(end, _)| end);
        Reply::Move { id, action: &answer.action, note: &note[..end] }
    }

    /// The length as four bytes, big-endian, and then one MessagePack map.
    pub fn frame(&self) -> Result<Vec<u8>> {
        let payload = rmp_serde::to_vec_named(self)?;
        let length = u32::try_from(payload.len())?;
        Ok([&length.to_be_bytes(), payload.as_slice()].concat())
    }
}

/// Cuts messages from the bytes of the arena, in whatever pieces these come.
#[derive(Default)]
pub struct Inbox {
    bytes: Vec<u8>,
}

impl Inbox {
    pub fn feed(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    /// The next message, if all of it is there.
    pub fn next_message(&mut self) -> Result<Option<Message>> {
        let Some((length, rest)) = self.bytes.split_first_chunk() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*length) as usize;
        if length > MOST_BYTES {
            return Err(format!("a frame of {length} bytes, but {MOST_BYTES} are the most").into());
        }
        let Some(payload) = rest.get(..length) else {
            return Ok(None);
        };
        let message = decode(payload)?;
        self.bytes.drain(..4 + length);
        Ok(Some(message))
    }
}

#[derive(Deserialize)]
struct Kind {
    r#type: String,
}

fn decode(payload: &[u8]) -> Result<Message> {
    let Kind { r#type } = parse(payload)?;
    Ok(match r#type.as_str() {
        "welcome" => Message::Welcome(parse(payload)?),
        "start" => Message::Start(parse(payload)?),
        "decide" => Message::Decide(parse(payload)?),
        "end" => Message::End(parse(payload)?),
        "bye" => Message::Bye,
        unknown => return Err(format!("an unknown message {unknown:?}").into()),
    })
}

/// Reads exactly one value.
fn parse<T: DeserializeOwned>(mut payload: &[u8]) -> Result<T> {
    let value =
        rmp_serde::from_read(&mut payload).map_err(|error| format!("a message that makes no sense: {error}"))?;
    if !payload.is_empty() {
        return Err(format!("a message with {} bytes behind it in its frame", payload.len()).into());
    }
    Ok(value)
}

/// Plays all matches that the arena starts, each with a new player, until it says bye or hangs up.
pub fn run<P: Player>(name: &str, version: &str, games: &[&str], new_player: impl FnMut(&Start) -> P) -> ExitCode {
    let hello = Reply::hello(name, version, games);
    match catch_unwind(AssertUnwindSafe(|| converse(&hello, new_player))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) if error.is::<HungUp>() => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
        Err(_) => ExitCode::FAILURE, // the panic has been reported already
    }
}

fn converse<P: Player>(hello: &Reply, mut new_player: impl FnMut(&Start) -> P) -> Result<()> {
    let mut wire = Wire::open()?;
    let mut player = None;
    wire.send(hello)?;
    while wire.wait()? {
        let mut upcoming = wire.inbox.next_message()?;
        while let Some(message) = upcoming {
            upcoming = wire.inbox.next_message()?;
            match message {
                Message::Welcome(welcome) => check(&welcome)?,
                Message::Start(start) => {
                    player = Some(new_player(&start));
                    wire.send(&Reply::Ready)?;
                }
                Message::Decide(_) if upcoming.is_some() => {} // what follows a question withdraws it
                Message::Decide(question) => {
                    let player = player.as_mut().ok_or("a question before any start")?;
                    let answer = player.decide(&question)?;
                    wire.send(&Reply::answering(question.id, &answer))?;
                }
                Message::End(end) => {
                    if let Some(mut player) = player.take() {
                        player.end(&end);
                    }
                }
                Message::Bye => return Ok(()),
            }
        }
    }
    Ok(())
}

fn check(welcome: &Welcome) -> Result<()> {
    if welcome.protocol == REVISION {
        return Ok(());
    }
    Err(format!("the arena speaks revision {}, this bot {REVISION}", welcome.protocol).into())
}

/// The way to the arena: the real stdin and stdout.
struct Wire {
    stdin: io::StdinLock<'static>,
    stdout: File,
    piece: Vec<u8>,
    inbox: Inbox,
}

impl Wire {
    /// From here on, whatever is printed goes to stderr, even by a library written in C.
    fn open() -> Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(Wire { stdin: io::stdin().lock(), stdout, piece: vec![0; 1 << 16], inbox: Inbox::default() })
    }

    /// Waits for more bytes from the arena. Whether any came, or it has hung up.
    fn wait(&mut self) -> Result<bool> {
        loop {
            match self.stdin.read(&mut self.piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
                Ok(size) => {
                    self.inbox.feed(&self.piece[..size]);
                    return Ok(size > 0);
                }
            }
        }
    }

    fn send(&mut self, reply: &Reply) -> Result<()> {
        self.stdout.write_all(&reply.frame()?).map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => HungUp.into(),
            _ => error.into(),
        })
    }
}

/// The arena reads no further, which is not an error.
#[derive(Debug)]
struct HungUp;

impl Error for HungUp {}

impl fmt::Display for HungUp {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the arena has hung up")
    }
}
