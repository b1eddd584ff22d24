// A bot that plays the first legal action and does what the fixes of `arena check` say; `bot FINDING` does not in one place.
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};

fn main() -> std::io::Result<()> {
    let broken = std::env::args().nth(1).unwrap_or_default();
    if broken == "text" {
        println!("thinking");
    } else {
        eprintln!("thinking");
    }
    if broken == "split-frames" || broken == "fixed-frames" {
        return frames(&broken);
    }
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    let mut say = |text: &str, flush: bool| {
        stdout.write_all(text.as_bytes()).unwrap();
        stdout.write_all(b"\n").unwrap();
        if flush {
            stdout.flush().unwrap();
        }
    };
    let hello = r#"{"type":"hello","protocol":1,"name":"fixed","version":"1","games":["draftosaurus"]}"#;
    say(hello, true);
    let mut input = BufReader::new(std::io::stdin());
    loop {
        let mut line = String::new();
        if broken == "merged-frames" {
            // SAFETY: descriptor 0 is open for the whole life of the process; instead of one BufReader for all of it.
            let raw = unsafe { std::mem::ManuallyDrop::new(<std::fs::File as std::os::fd::FromRawFd>::from_raw_fd(0)) };
            BufReader::new(&*raw).read_line(&mut line)?;
        } else {
            input.read_line(&mut line)?; // Ok(0) means the end
        }
        if line.is_empty() {
            if broken == "exit-status" {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if broken == "eof-ignored" {
                continue;
            }
            return Ok(());
        }
        if line.contains(r#""type":"start""#) {
            say(r#"{"type":"ready"}"#, true);
        } else if line.contains(r#""type":"decide""#) {
            let digits = after(&line, r#""id":"#).split(|c: char| !c.is_ascii_digit()).next().unwrap();
            let id: i64 = digits.parse().unwrap();
            let id = if broken == "ids" { i64::from(id as i32) } else { id };
            let first = after(&line, r#""legal":[""#).split('"').next().unwrap();
            let actions = [first];
            let action = if broken == "crash" { actions.get(99).unwrap() } else { actions.get(99).unwrap_or(&first) };
            say(&format!(r#"{{"type":"move","id":{id},"action":"{action}"}}"#), broken != "not-flushed");
        } else if line.contains(r#""type":"bye""#) {
            return Ok(());
        }
    }
}

fn after<'a>(text: &'a str, key: &str) -> &'a str {
    &text[text.find(key).unwrap() + key.len()..]
}

// Framed MessagePack, of which only the id and the first legal action are read.
fn frames(broken: &str) -> std::io::Result<()> {
    let find = |payload: &[u8], key: &[u8]| payload.windows(key.len()).position(|part| part == key);
    let frame = |payload: &[u8]| {
        let mut out = std::io::stdout().lock();
        out.write_all(&(payload.len() as u32).to_be_bytes()).unwrap();
        out.write_all(payload).unwrap();
        out.flush().unwrap();
    };
    frame(b"\x85\xa4type\xa5hello\xa8protocol\x01\xa4name\xa5fixed\xa7version\xa11\xa5games\x91\xacdraftosaurus");
    let mut input = BufReader::new(std::io::stdin());
    loop {
        let mut length = [0; 4];
        match input.read_exact(&mut length) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            other => other?,
        }
        let mut payload = vec![0; u32::from_be_bytes(length) as usize];
        if broken == "split-frames" {
            input.read(&mut payload)?;
        } else {
            input.read_exact(&mut payload)?;
        }
        let head = &payload[..payload.len().min(16)];
        if find(head, b"\xa5start").is_some() {
            frame(b"\x81\xa4type\xa5ready");
        } else if find(head, b"\xa6decide").is_some() {
            let id = payload[find(&payload, b"\xa2id").unwrap() + 3];
            let mut first = find(&payload, b"\xa5legal").unwrap() + 6;
            first += if payload[first] == 0xdc { 3 } else { 1 };
            let action = &payload[first..first + 1 + usize::from(payload[first] & 31)];
            frame(&[b"\x83\xa4type\xa4move\xa2id".as_slice(), &[id], b"\xa6action", action].concat());
        } else if find(head, b"\xa3bye").is_some() {
            return Ok(());
        }
    }
}
