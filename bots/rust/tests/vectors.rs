//! The arena's protocol vectors, through the reader and the writer of this crate.

use std::fs;
use std::path::Path;

use dinobot::views::{Card, Dinodocus, Draftosaurus};
use dinobot::{Answer, Inbox, MOST_BYTES, Message, Reply};
use serde_json::{Value, json};

const OF_THE_ARENA: [&str; 7] = ["welcome", "start", "decide", "decide-last", "end", "end-void", "bye"];

/// A message as a value and as a frame.
struct Vector {
    value: Value,
    frame: Vec<u8>,
}

fn vector(name: &str) -> Vector {
    let folder = if Path::new("vectors").exists() { "vectors" } else { "../../protocol/vectors" };
    let text = fs::read_to_string(format!("{folder}/{name}.json")).expect("the folder of the vectors");
    let file: Value = serde_json::from_str(&text).expect("a vector is JSON");
    Vector { value: file["value"].clone(), frame: from_hex(file["msgpack"].as_str().expect("a frame")) }
}

fn from_hex(text: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("two hexadecimal digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

fn framed(value: &Value) -> Vec<u8> {
    let payload = rmp_serde::to_vec_named(value).expect("JSON fits into MessagePack");
    [&u32::try_from(payload.len()).expect("a short message").to_be_bytes(), payload.as_slice()].concat()
}

fn read(pieces: &[&[u8]]) -> dinobot::Result<Vec<Message>> {
    let (mut inbox, mut messages) = (Inbox::default(), Vec::new());
    for piece in pieces {
        inbox.feed(piece);
        while let Some(message) = inbox.next_message()? {
            messages.push(message);
        }
    }
    Ok(messages)
}

fn message(name: &str) -> Message {
    let mut messages = read(&[&vector(name).frame]).expect("a good message");
    assert_eq!(messages.len(), 1, "{name}");
    messages.remove(0)
}

#[test]
fn a_message_comes_byte_by_byte() {
    for name in OF_THE_ARENA {
        let frame = vector(name).frame;
        assert_eq!(read(&frame.chunks(1).collect::<Vec<_>>()).unwrap(), [message(name)], "{name}");
    }
}

#[test]
fn messages_come_merged() {
    let merged = OF_THE_ARENA.map(|name| vector(name).frame).concat();
    assert_eq!(read(&[&merged]).unwrap(), OF_THE_ARENA.map(message));
}

#[test]
fn fields_keep_their_values() {
    let messages = OF_THE_ARENA.map(message);
    let [Message::Welcome(welcome), Message::Start(start), Message::Decide(first), Message::Decide(second), rest @ ..] =
        &messages
    else {
        panic!("other messages: {messages:?}");
    };
    let [Message::End(end), Message::End(void), Message::Bye] = rest else {
        panic!("other messages: {rest:?}");
    };
    assert_eq!((welcome.protocol, welcome.arena.as_str()), (1, "0.1.0"));
    assert_eq!((start.match_name.as_str(), start.seat, start.clock.prepare_ms), ("m-0001", 1, 2000));
    assert_eq!((start.bot_seed, &start.options["season"]), (i64::MAX as u64, &json!("winter")));
    assert_eq!((first.id, first.legal.len(), &first.events[1]["die"]), (1, 4, &json!("W")));
    assert_eq!(first.last, None);
    let last = second.last.as_ref().expect("what became of the first answer");
    assert_eq!((last.id, last.status.as_str(), last.used_ms, &last.reason), (1, "accepted", 150, &None));
    assert_eq!((&end.scores, end.faults[0].kind.as_str(), &end.void), (&vec![23, -4], "late", &None));
    assert!(void.void.as_ref().is_some_and(|reason| reason.contains("referee")));
}

#[test]
fn views_are_decoded_for_those_who_ask() {
    let Message::Decide(mut question) = message("decide") else { panic!("no question") };
    let view: Draftosaurus = question.view().unwrap();
    assert_eq!((view.seat, view.die.as_deref(), view.zoos.len()), (Some(1), Some("W"), 2));
    assert_eq!(view.hands, [None, Some("TDDCSS".to_owned())]);

    question.view = json!({"cards": {"P15": [0, 2, null, [19]]}, "hidden": [null, 0], "hand_parts": null, "new": 1});
    let view: Dinodocus = question.view().unwrap();
    assert_eq!(view.cards["P15"], Card { attack: 0, defence: 2, diet: None, numbers: vec![19] });
    assert_eq!((view.hidden, view.hand_parts), (vec![None, Some(0)], None));
}

#[test]
fn unknown_fields_are_ignored() {
    for name in OF_THE_ARENA {
        let mut value = vector(name).value;
        value["later"] = json!({"deep": [1, null, {"deeper": 0.5}]});
        assert_eq!(read(&[&framed(&value)]).unwrap(), [message(name)], "{name}");
    }
}

#[test]
fn a_null_equals_an_absent_field() {
    let mut value = vector("decide").value;
    value["last"] = Value::Null;
    assert_eq!(read(&[&framed(&value)]).unwrap(), [message("decide")]);
}

#[test]
fn nonsense_is_refused() {
    let too_long = u32::try_from(MOST_BYTES + 1).unwrap().to_be_bytes();
    assert!(read(&[&too_long]).unwrap_err().to_string().contains("1048577 bytes"));
    let unknown = framed(&json!({"type": "log", "text": "hm"}));
    assert!(read(&[&unknown]).unwrap_err().to_string().contains("log"));
    let [empty, broken, two]: [&[u8]; 3] = [&[0, 0, 0, 0], &[0, 0, 0, 1, 0xc1], b"\0\0\0\x0b\x81\xa4type\xa3bye\xc0"];
    assert!(read(&[empty]).is_err());
    assert!(read(&[broken]).is_err());
    assert!(read(&[two]).is_err());
}

#[test]
fn replies_are_written_to_the_byte() {
    let (answer, noted) = (Answer::from("D"), Answer::from("D").with_note("zwölf Dinosaurier 🦕"));
    let replies = [
        ("hello", Reply::hello("greedy", "1.2.0", &["draftosaurus"])),
        ("ready", Reply::Ready),
        ("move", Reply::answering(1, &answer)),
        ("move-note", Reply::answering(1, &noted)),
    ];
    for (name, reply) in replies {
        assert_eq!(reply.frame().unwrap(), vector(name).frame, "{name}");
    }
}

#[test]
fn a_long_note_is_cut_where_the_arena_would() {
    let mut value = vector("move-long-note").value;
    let note = value["note"].as_str().expect("a note").to_owned();
    let frame = Reply::answering(1, &Answer::from("D").with_note(&note)).frame().unwrap();
    value["note"] = note.chars().take(1024).collect::<String>().into();
    assert_eq!(rmp_serde::from_slice::<Value>(&frame[4..]).unwrap(), value);

    let umlauts = Answer::from("D").with_note("ö".repeat(1025));
    assert!(matches!(Reply::answering(1, &umlauts), Reply::Move { note, .. } if note == "ö".repeat(1024)));
}
