package dinobot;

import java.util.List;
import java.util.Optional;

/**
 * Which of these legal actions?
 *
 * @param view all that the seat may know; {@link Draftosaurus#of} and {@link Dinodocus#of} give it
 *     types
 * @param legal the legal actions, at least one
 * @param events what the seat saw happen since the last question, oldest first
 * @param last what became of the previous answer; empty in the first question of a match
 */
public record Question(
    long id,
    String phase,
    Fields view,
    List<String> legal,
    List<Fields> events,
    Clock clock,
    Optional<Last> last) {

  /** What is in the bank now, and the free time of this decision. */
  public record Clock(long bankMs, long incrementMs) {
    static Clock of(Fields clock) {
      return new Clock(clock.number("bank_ms"), clock.number("increment_ms"));
    }
  }

  /**
   * What became of an answer.
   *
   * @param status {@code accepted}, {@code late}, {@code illegal} or {@code malformed}
   * @param played the action that was played
   * @param reason why the answer was not accepted; null if it was
   */
  public record Last(long id, String status, String played, long usedMs, String reason) {
    static Last of(Fields last) {
      return new Last(
          last.number("id"),
          last.text("status"),
          last.text("played"),
          last.number("used_ms"),
          last.get("reason", String.class));
    }
  }

  static Question of(Fields decide) {
    return new Question(
        decide.number("id"),
        decide.text("phase"),
        decide.fields("view"),
        decide.list("legal", String.class),
        decide.list("events", Fields.class),
        Clock.of(decide.fields("clock")),
        Optional.ofNullable(decide.get("last", Fields.class)).map(Last::of));
  }
}
