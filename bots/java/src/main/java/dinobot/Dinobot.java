package dinobot;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/**
 * A bot's side of the arena's protocol.
 *
 * <pre>{@code
 * record First(Start start) implements Player {
 *   public static void main(String[] args) {
 *     Dinobot.run("first", "1.0", List.of("draftosaurus"), First::new);
 *   }
 *
 *   public Answer decide(Question question) {
 *     return Answer.of(question.legal().get(0));
 *   }
 * }
 * }</pre>
 *
 * Print as you like: {@code System.out} goes to stderr. If your player throws, the process ends
 * with the stack trace and status 1.
 */
public final class Dinobot {
  private static final int REVISION = 1;

  private final Wire wire;
  private final Function<Start, Player> players;
  private Player player;

  private Dinobot(Wire wire, Function<Start, Player> players) {
    this.wire = wire;
    this.players = players;
  }

  /**
   * Plays all matches that the arena starts, each with a new player, until it says bye or hangs up.
   * Then the process ends.
   */
  public static void run(
      String name, String version, List<String> games, Function<Start, Player> players) {
    var in = new FileInputStream(FileDescriptor.in);
    var out = new FileOutputStream(FileDescriptor.out);
    System.setOut(System.err);
    int status = 1;
    try {
      converse(new Wire(in, out), name, version, games, players);
      status = 0;
    } catch (IOException hungUp) {
      status = 0; // which is not an error
    } catch (ProtocolException failure) {
      System.err.println("the arena's protocol: " + failure.getMessage());
    } catch (Throwable failure) {
      failure.printStackTrace();
    }
    System.exit(status); // also if the player has left threads behind
  }

  static void converse(
      Wire wire, String name, String version, List<String> games, Function<Start, Player> players)
      throws IOException {
    wire.send(
        "type", "hello", "protocol", REVISION, "name", name, "version", version, "games", games);
    Dinobot bot = new Dinobot(wire, players);
    Fields message = wire.read();
    while (message != null && bot.hear(message)) {
      message = wire.read();
    }
  }

  /** Deals with one message; false at the end of the conversation. */
  private boolean hear(Fields message) throws IOException {
    String type = message.text("type");
    switch (type) {
      case "welcome" -> check(message.number("protocol"));
      case "start" -> {
        player = players.apply(Start.of(message));
        wire.send("type", "ready");
      }
      case "decide" -> {
        if (!wire.hasNext()) { // whatever follows a question withdraws it
          answer(Question.of(message));
        }
      }
      case "end" -> player = null;
      case "bye" -> {
        return false;
      }
      default -> throw new ProtocolException("an unknown message '" + type + "'");
    }
    return true;
  }

  private static void check(long revision) {
    if (revision != REVISION) {
      throw new ProtocolException(
          "the arena speaks revision %d, this bot %d".formatted(revision, REVISION));
    }
  }

  private void answer(Question question) throws IOException {
    if (player == null) {
      throw new ProtocolException("a decide outside of a match");
    }
    Answer answer = player.decide(question);
    if (answer == null || answer.action() == null) {
      throw new IllegalStateException(
          "decide() returned null instead of an action, in phase " + question.phase());
    }
    if (answer.note().isEmpty()) {
      wire.send("type", "move", "id", question.id(), "action", answer.action());
    } else {
      wire.send(
          "type", "move", "id", question.id(), "action", answer.action(), "note", answer.note());
    }
  }
}
