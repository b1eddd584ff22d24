package dinobot;

/** The arena said something that this revision of the protocol does not know. */
public final class ProtocolException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ProtocolException(String message) {
    super(message);
  }
}
