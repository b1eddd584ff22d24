// A bot that plays the first legal action and does what the fixes of `arena check` say; `java Bot FINDING` does not in one place.
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

class Bot {
  static final String HELLO =
      "{\"type\":\"hello\",\"protocol\":1,\"name\":\"fixed\",\"version\":\"1\",\"games\":[\"draftosaurus\"]}";
  static String broken = "";
  static PrintStream out =
      new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), false, StandardCharsets.UTF_8);

  public static void main(String[] words) throws Exception {
    broken = words.length > 0 ? words[0] : "";
    if (!broken.equals("text")) {
      System.setOut(System.err);
    }
    System.out.println("thinking");
    if (broken.endsWith("-frames") && !broken.equals("merged-frames")) {
      frames();
      return;
    }
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    if (broken.equals("silent") && in.readLine() == null) {
      return;
    }
    say(HELLO);
    var thread = new Thread(() -> {
      try {
        Thread.sleep(3_600_000);
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
      }
    });
    thread.setDaemon(!broken.equals("bye-ignored"));
    thread.start();
    while (true) {
      if (broken.equals("merged-frames")) {
        in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)); // not one reader for the whole life
      }
      var line = in.readLine();
      if (line == null) {
        if (broken.equals("exit-status")) {
          throw new EOFException();
        }
        while (broken.equals("eof-ignored")) {
          Thread.sleep(1000);
        }
        out.close();
        System.exit(0);
      }
      if (line.contains("\"type\":\"bye\"")) {
        return;
      }
      if (line.contains("\"type\":\"start\"")) {
        say("{\"type\":\"ready\"}");
      } else if (line.contains("\"type\":\"decide\"")) {
        var digits = line.substring(line.indexOf("\"id\":") + 5).split("[^0-9]", 2)[0];
        long id = Long.parseLong(digits);
        if (broken.equals("ids")) {
          id = (int) id;
        }
        say("{\"type\":\"move\",\"id\":" + id + ",\"action\":\"" + decide(line) + "\"}");
      }
    }
  }

  static String decide(String line) {
    var first = line.substring(line.indexOf("\"legal\":[\"") + 10).split("\"", 2)[0];
    try {
      return first.substring(99);
    } catch (RuntimeException failed) {
      if (broken.equals("crash")) {
        throw failed;
      }
      return first;
    }
  }

  static void say(String text) {
    out.println(text);
    if (!broken.equals("not-flushed") || text.equals(HELLO)) {
      out.flush();
    }
  }

  // Framed MessagePack, of which only the id and the first legal action are read.
  static void frames() throws IOException {
    frame("\u0085\u00a4type\u00a5hello\u00a8protocol\u0001\u00a4name\u00a5fixed\u00a7version\u00a11\u00a5games\u0091\u00acdraftosaurus");
    var in = new DataInputStream(System.in);
    while (true) {
      byte[] payload;
      try {
        payload = new byte[in.readInt()];
        if (broken.equals("split-frames")) {
          in.read(payload);
        } else {
          in.readFully(payload);
        }
      } catch (EOFException end) {
        return;
      }
      var text = new String(payload, StandardCharsets.ISO_8859_1);
      var type = text.substring(0, Math.min(16, text.length()));
      if (type.contains("\u00a5start")) {
        frame("\u0081\u00a4type\u00a5ready");
      } else if (type.contains("\u00a6decide")) {
        int id = text.indexOf("\u00a2id") + 3;
        int first = text.indexOf("\u00a5legal") + 6;
        first += text.charAt(first) == '\u00dc' ? 3 : 1;
        frame("\u0083\u00a4type\u00a4move\u00a2id" + text.charAt(id) + "\u00a6action"
            + text.substring(first, first + 1 + (text.charAt(first) & 31)));
      } else if (type.contains("\u00a3bye")) {
        return;
      }
    }
  }

  static void frame(String payload) throws IOException {
    var bytes = new ByteArrayOutputStream();
    bytes.write(new byte[] {0, 0, (byte) (payload.length() >> 8), (byte) payload.length()});
    bytes.write(payload.getBytes(StandardCharsets.ISO_8859_1));
    out.write(bytes.toByteArray());
    out.flush();
  }
}
