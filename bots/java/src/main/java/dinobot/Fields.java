package dinobot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A map of the arena. Its values are null, {@link Boolean}, {@link Integer} or, if too large for
 * that, {@link Long}, {@link Double}, {@link String}, {@link List} and, for a map, {@code Fields}.
 *
 * <p>All methods but {@code has} and {@code get} demand a value: they throw a {@link
 * ProtocolException} if it is absent, null or of another type.
 */
public record Fields(Map<String, Object> values) {

  /** Whether there is a value other than null. */
  public boolean has(String key) {
    return values.get(key) != null;
  }

  /** The value, or null if it is null or absent. */
  public <T> T get(String key, Class<T> type) {
    return cast(key, values.get(key), type);
  }

  public String text(String key) {
    return require(key, String.class);
  }

  public int whole(String key) {
    return require(key, Integer.class);
  }

  /** An integer that may need 64 bits. */
  public long number(String key) {
    Number number = require(key, Number.class);
    if (number instanceof Double) {
      throw new ProtocolException("the field '" + key + "' is no integer");
    }
    return number.longValue();
  }

  public boolean flag(String key) {
    return require(key, Boolean.class);
  }

  public Fields fields(String key) {
    return require(key, Fields.class);
  }

  /** The items of an array; some may be null. */
  public <T> List<T> list(String key, Class<T> type) {
    return items(key, require(key, List.class), type);
  }

  /** An array of arrays; some of these may be null. */
  public <T> List<List<T>> lists(String key, Class<T> type) {
    return list(key, List.class).stream().map(list -> items(key, list, type)).toList();
  }

  /** An array of maps. */
  public <T> List<Map<String, T>> maps(String key, Class<T> type) {
    return list(key, Fields.class).stream()
        .map(fields -> fields.map(inner -> fields.get(inner, type)))
        .toList();
  }

  /** A map with the same keys, in the same order. */
  public <T> Map<String, T> map(Function<String, T> valueOf) {
    Map<String, T> map = new LinkedHashMap<>();
    values.keySet().forEach(key -> map.put(key, valueOf.apply(key)));
    return map;
  }

  private <T> T require(String key, Class<T> type) {
    T value = get(key, type);
    if (value == null) {
      throw new ProtocolException("the field '" + key + "' is missing");
    }
    return value;
  }

  private static <T> List<T> items(String key, List<?> list, Class<T> type) {
    return list == null ? null : list.stream().map(item -> cast(key, item, type)).toList();
  }

  private static <T> T cast(String key, Object value, Class<T> type) {
    if (value != null && !type.isInstance(value)) {
      throw new ProtocolException("the field '" + key + "' is no " + type.getSimpleName());
    }
    return type.cast(value);
  }
}
