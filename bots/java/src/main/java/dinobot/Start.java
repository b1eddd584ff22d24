package dinobot;

import java.util.List;

/**
 * A match begins.
 *
 * @param options the options of the game that differ from their defaults
 * @param players the names of the players, by seat
 * @param botSeed for a bot that uses chance: the same seed, the same match
 */
public record Start(
    String match,
    String game,
    int edition,
    Fields options,
    int seat,
    int seats,
    List<String> players,
    Clock clock,
    long botSeed) {

  /** The time for {@code ready}, the bank at the beginning, and the free time of each decision. */
  public record Clock(long prepareMs, long bankMs, long incrementMs) {
    static Clock of(Fields clock) {
      return new Clock(
          clock.number("prepare_ms"), clock.number("bank_ms"), clock.number("increment_ms"));
    }
  }

  static Start of(Fields start) {
    return new Start(
        start.text("match"),
        start.text("game"),
        start.whole("edition"),
        start.fields("options"),
        start.whole("seat"),
        start.whole("seats"),
        start.list("players", String.class),
        Clock.of(start.fields("clock")),
        start.number("bot_seed"));
  }
}
