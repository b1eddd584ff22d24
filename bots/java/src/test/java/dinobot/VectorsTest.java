package dinobot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The protocol's vectors, through the reader and the writer of this SDK. */
class VectorsTest {
  static final List<String> FROM_ARENA =
      List.of("welcome", "start", "decide", "decide-last", "end", "end-void", "bye");

  @ParameterizedTest
  @FieldSource("FROM_ARENA")
  void readsAMessageWhole(String name) throws IOException {
    Vector vector = Vector.of(name);
    assertEquals(List.of(vector.value), readAll(new ByteArrayInputStream(vector.frame)));
  }

  @ParameterizedTest
  @FieldSource("FROM_ARENA")
  void readsAMessageByteByByte(String name) throws IOException {
    Vector vector = Vector.of(name);
    assertEquals(List.of(vector.value), readAll(new Trickle(vector.frame)));
  }

  @Test
  void readsAllMessagesMerged() throws IOException {
    List<Vector> vectors = FROM_ARENA.stream().map(Vector::of).toList();
    List<Fields> values = vectors.stream().map(Vector::value).toList();
    byte[] frames = join(vectors.stream().map(Vector::frame));
    assertEquals(values, readAll(new ByteArrayInputStream(frames)));
    assertEquals(values, readAll(new Trickle(frames)));
  }

  @Test
  void keepsAllBitsOfTheSeed() {
    Start start = Start.of(Vector.of("start").value);
    assertEquals(Long.MAX_VALUE, start.botSeed());
    assertEquals("winter", start.options().text("season"));
    assertEquals(new Start.Clock(2000, 10000, 100), start.clock());
  }

  @Test
  void givesQuestionsTypes() {
    Question first = Question.of(Vector.of("decide").value);
    assertEquals(List.of("T", "D", "C", "S"), first.legal());
    assertEquals("deal", first.events().get(0).text("event"));
    assertNull(first.view().list("hands", String.class).get(0));
    assertTrue(first.last().isEmpty());

    Question second = Question.of(Vector.of("decide-last").value);
    assertEquals(new Question.Last(1, "accepted", "D", 150, null), second.last().orElseThrow());
  }

  @Test
  void writesHelloReadyAndMove() throws IOException {
    byte[] said = converse(Answer.of("D"), "start", "decide");
    assertArrayEquals(frames("hello", "ready", "move"), said);
  }

  @Test
  void writesANote() throws IOException {
    Answer answer = Answer.of("D", Vector.of("move-note").value.text("note"));
    assertArrayEquals(frames("hello", "ready", "move-note"), converse(answer, "start", "decide"));
  }

  @Test
  void cutsALongNote() throws IOException {
    Fields vector = Vector.of("move-long-note").value;
    byte[] said = converse(Answer.of("D", vector.text("note")), "start", "decide");
    Fields move = readAll(new ByteArrayInputStream(said)).get(2);
    assertEquals(vector.text("note").substring(0, 1024), move.text("note"));
    assertEquals(vector.number("id"), move.number("id"));
    assertEquals(vector.text("action"), move.text("action"));
  }

  @Test
  void cutsNotesByCharacters() {
    assertEquals("🦕".repeat(1024), Answer.of("D", "🦕".repeat(1025)).note());
  }

  @Test
  void doesNotAnswerAQuestionThatIsFollowedByAnotherMessage() throws IOException {
    byte[] said = converse(Answer.of("D"), "start", "decide", "end", "start", "bye");
    assertArrayEquals(frames("hello", "ready", "ready"), said);
  }

  @Test
  void ignoresUnknownFieldsAndTakesNullForAbsent() {
    Map<String, Object> values = new LinkedHashMap<>(Vector.of("decide").value.values());
    values.put("weather", new Fields(Map.of("rain", List.of(1, 2.5, true))));
    values.put("last", null);
    assertTrue(Question.of(new Fields(values)).last().isEmpty());
  }

  @ParameterizedTest
  @FieldSource("BAD")
  void refusesWhatIsNoMessage(String hex) {
    assertThrows(ProtocolException.class, () -> reader(HexFormat.of().parseHex(hex)).read());
  }

  /** Too long, empty, no map, two values, cut short, a key that is no string. */
  static final List<String> BAD =
      List.of(
          "00100001",
          "ffffffff",
          "00000000",
          "0000000190",
          "000000028080",
          "0000000181",
          "00000003810102");

  @Test
  void refusesAnUnknownMessage() throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    new Wire(InputStream.nullInputStream(), frame).send("type", "log");
    assertThrows(ProtocolException.class, () -> converse(Answer.of("D"), frame.toByteArray()));
  }

  /** What a bot says whose answer is always the same. */
  private static byte[] converse(Answer answer, String... heard) throws IOException {
    return converse(answer, frames(heard));
  }

  private static byte[] converse(Answer answer, byte[] heard) throws IOException {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Wire wire = new Wire(new ByteArrayInputStream(heard), said);
    Function<Start, Player> players = start -> question -> answer;
    Dinobot.converse(wire, "greedy", "1.2.0", List.of("draftosaurus"), players);
    return said.toByteArray();
  }

  private static List<Fields> readAll(InputStream in) throws IOException {
    Wire wire = new Wire(in, OutputStream.nullOutputStream());
    List<Fields> messages = new ArrayList<>();
    for (Fields message = wire.read(); message != null; message = wire.read()) {
      messages.add(message);
    }
    return messages;
  }

  private static Wire reader(byte[] bytes) {
    return new Wire(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream());
  }

  private static byte[] frames(String... names) {
    return join(Stream.of(names).map(Vector::of).map(Vector::frame));
  }

  private static byte[] join(Stream<byte[]> frames) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    frames.forEach(joined::writeBytes);
    return joined.toByteArray();
  }

  /** A stream that gives one byte at a time. */
  private static final class Trickle extends ByteArrayInputStream {
    Trickle(byte[] bytes) {
      super(bytes);
    }

    @Override
    public synchronized int read(byte[] target, int offset, int length) {
      return super.read(target, offset, 1);
    }
  }

  /** A message: its value, and its bytes on the wire. */
  private record Vector(Fields value, byte[] frame) {
    private static final Path FOLDER =
        Stream.of("vectors", "../../protocol/vectors")
            .map(Path::of)
            .filter(Files::isDirectory)
            .findFirst()
            .orElseThrow();

    static Vector of(String name) {
      try {
        String text = Files.readString(FOLDER.resolve(name + ".json"));
        JsonObject vector = JsonParser.parseString(text).getAsJsonObject();
        byte[] frame = HexFormat.of().parseHex(vector.get("msgpack").getAsString());
        return new Vector((Fields) plain(vector.get("value")), frame);
      } catch (IOException failure) {
        throw new IllegalStateException(failure);
      }
    }

    private static Object plain(JsonElement json) {
      if (json.isJsonObject()) {
        Map<String, Object> values = new LinkedHashMap<>();
        json.getAsJsonObject().asMap().forEach((key, value) -> values.put(key, plain(value)));
        return new Fields(values);
      }
      if (json.isJsonArray()) {
        List<Object> items = new ArrayList<>();
        json.getAsJsonArray().forEach(item -> items.add(plain(item)));
        return items;
      }
      return json.isJsonNull() ? null : plain(json.getAsJsonPrimitive());
    }

    /** The vectors have no floats and no booleans. */
    private static Object plain(JsonPrimitive json) {
      if (json.isString()) {
        return json.getAsString();
      }
      long number = json.getAsLong();
      return number == (int) number ? (Object) (int) number : (Object) number;
    }
  }
}
