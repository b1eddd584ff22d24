// The first legal action, after threads have done what they are for.
use std::io::{self, BufRead, Write};
use std::{thread, time::Duration};

fn after<'a>(line: &'a str, key: &str, ends: &[char]) -> &'a str {
    let rest = &line[line.find(key).unwrap() + key.len()..];
    &rest[..rest.find(ends).unwrap()]
}

fn say(text: String) {
    println!("{}", text);
    io::stdout().flush().unwrap();
}

fn main() {
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(|| thread::sleep(Duration::from_millis(1)))).collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
    say(r#"{"type":"hello","protocol":1,"name":"rust","version":"1","games":["draftosaurus"]}"#.into());
    for line in io::stdin().lock().lines() {
        let line = line.unwrap().replace(": ", ":").replace(", ", ",");
        if line.contains(r#""type":"start""#) {
            say(r#"{"type":"ready"}"#.into());
        } else if line.contains(r#""type":"decide""#) {
            let id = after(&line, r#""id":"#, &[',', '}']);
            let action = after(&line, r#""legal":[""#, &['"']);
            say(format!(r#"{{"type":"move","id":{},"action":"{}"}}"#, id, action));
        } else if line.contains(r#""type":"bye""#) {
            return;
        }
    }
}
