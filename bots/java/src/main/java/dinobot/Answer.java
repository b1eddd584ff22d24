package dinobot;

/**
 * An action, and a note for the record of the match.
 *
 * @param note any text, of which the arena keeps 1024 characters; empty for none
 */
public record Answer(String action, String note) {
  private static final int MOST_NOTE = 1024;

  public Answer {
    if (note.codePointCount(0, note.length()) > MOST_NOTE) {
      note = note.substring(0, note.offsetByCodePoints(0, MOST_NOTE));
    }
  }

  public static Answer of(String action) {
    return new Answer(action, "");
  }

  public static Answer of(String action, String note) {
    return new Answer(action, note);
  }
}
