package dinobot;

/** What plays one match. */
@FunctionalInterface
public interface Player {
  /** Chooses one of {@code question.legal()}. */
  Answer decide(Question question);
}
