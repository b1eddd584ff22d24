import dinobot.*;
import java.util.List;

record Bot(Start start) implements Player { // a new one for every match
  public static void main(String[] args) {
    Dinobot.run("my-bot", "1.0", List.of("draftosaurus", "dinodocus"), Bot::new);
  }

  public Answer decide(Question question) {
    var dry = question.legal().stream().filter(action -> !action.contains("RV")).toList();
    var choice = dry.isEmpty() ? question.legal() : dry;
    return Answer.of(choice.get(choice.size() - 1));
  }
}
