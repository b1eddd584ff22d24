// my-bot: keeps its dinosaurs out of the river.
import { run, type Question, type Start } from "./dinobot.js";

class MyPlayer {
  constructor(readonly start: Start) {} // a new player for every match

  decide(question: Question): string {
    const dry = question.legal.filter((action) => !action.includes("RV"));
    return (dry.length > 0 ? dry : question.legal).at(-1)!;
  }
}

run({ name: "my-bot", version: "1.0", games: ["draftosaurus", "dinodocus"], player: MyPlayer });
