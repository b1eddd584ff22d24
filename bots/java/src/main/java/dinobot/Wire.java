package dinobot;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessagePacker;
import org.msgpack.core.MessageUnpacker;

/**
 * The way to the arena, in framed MessagePack: the length as four bytes, big-endian, and then one
 * map.
 */
final class Wire {
  private static final int MOST_BYTES = 1 << 20;
  private static final int MOST_DEPTH = 32;

  private final InputStream in;
  private final OutputStream out;

  /** What was read and not yet taken, between position and limit. */
  private ByteBuffer buffer = ByteBuffer.allocate(1 << 16).flip();

  Wire(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  /** The next message, or null if the arena has hung up. */
  Fields read() throws IOException {
    while (!hasNext()) {
      if (!fill()) {
        return null;
      }
    }
    byte[] payload = new byte[buffer.getInt()];
    buffer.get(payload);
    return decode(payload);
  }

  /** Whether a whole message waits in what was already read. */
  boolean hasNext() {
    if (buffer.remaining() < Integer.BYTES) {
      return false;
    }
    int length = buffer.getInt(buffer.position());
    if (Integer.compareUnsigned(length, MOST_BYTES) > 0) {
      throw new ProtocolException(
          "a message of %s bytes, but %d are the most"
              .formatted(Integer.toUnsignedString(length), MOST_BYTES));
    }
    return buffer.remaining() >= Integer.BYTES + length;
  }

  /** Reads what is there, in a large piece; false at the end of the stream. */
  private boolean fill() throws IOException {
    buffer.compact();
    if (!buffer.hasRemaining()) {
      buffer = ByteBuffer.allocate(2 * buffer.capacity()).put(buffer.flip());
    }
    int count = in.read(buffer.array(), buffer.position(), buffer.remaining());
    buffer.position(buffer.position() + Math.max(0, count)).flip();
    return count >= 0;
  }

  /** Writes one message, its keys and values in turn. */
  void send(Object... keysAndValues) throws IOException {
    MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();
    packer.packMapHeader(keysAndValues.length / 2);
    for (Object item : keysAndValues) {
      encode(packer, item);
    }
    byte[] payload = packer.toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + payload.length);
    out.write(frame.putInt(payload.length).put(payload).array());
    out.flush();
  }

  private static void encode(MessagePacker packer, Object value) throws IOException {
    if (value instanceof Number number) {
      packer.packLong(number.longValue());
    } else if (value instanceof List<?> list) {
      packer.packArrayHeader(list.size());
      for (Object item : list) {
        encode(packer, item);
      }
    } else {
      packer.packString((String) value);
    }
  }

  private static Fields decode(byte[] payload) {
    try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(payload)) {
      Object value = decode(unpacker, 0);
      if (unpacker.getTotalReadBytes() == payload.length && value instanceof Fields message) {
        return message;
      }
    } catch (IOException | MessagePackException failure) {
      throw new ProtocolException("a frame that cannot be decoded: " + failure.getMessage());
    }
    throw new ProtocolException("a frame that is not exactly one map");
  }

  private static Object decode(MessageUnpacker unpacker, int depth) throws IOException {
    if (depth > MOST_DEPTH) {
      throw new ProtocolException("arrays and maps nested more than " + MOST_DEPTH + " deep");
    }
    return switch (unpacker.getNextFormat().getValueType()) {
      case NIL -> {
        unpacker.unpackNil();
        yield null;
      }
      case BOOLEAN -> unpacker.unpackBoolean();
      case INTEGER -> integer(unpacker.unpackLong());
      case FLOAT -> unpacker.unpackDouble();
      case STRING -> unpacker.unpackString();
      case ARRAY -> {
        List<Object> items = new ArrayList<>();
        for (int left = unpacker.unpackArrayHeader(); left > 0; left--) {
          items.add(decode(unpacker, depth + 1));
        }
        yield items;
      }
      case MAP -> {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int left = unpacker.unpackMapHeader(); left > 0; left--) {
          values.put(unpacker.unpackString(), decode(unpacker, depth + 1));
        }
        yield new Fields(values);
      }
      case BINARY, EXTENSION ->
          throw new ProtocolException("a frame with binary data or an extension type");
    };
  }

  private static Number integer(long value) {
    if (value == (int) value) {
      return (int) value;
    }
    return value;
  }
}
