use dinobot::{Answer, Player, Question, Result};

struct RiverHater;

impl Player for RiverHater {
    fn decide(&mut self, question: &Question) -> Result<Answer> {
        let dry = question.legal.iter().rfind(|action| !action.contains("RV"));
        let action = dry.or(question.legal.last()).ok_or("there is no legal action")?;
        Ok(action.into())
    }
}

fn main() -> std::process::ExitCode {
    dinobot::run("my-bot", "1.0", &["draftosaurus", "dinodocus"], |_start| RiverHater)
}
