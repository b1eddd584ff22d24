import dinobot.Answer;
import dinobot.Dinobot;
import dinobot.Draftosaurus;
import dinobot.Player;
import dinobot.Question;
import dinobot.Start;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Takes what promises the most points, looking a little ahead. Weighs every legal action on its
 * own.
 *
 * <p>{@link Table#worth} estimates the final points of a zoo: what its pens score now, and what
 * those that can still grow will probably score, given the dinosaurs still to come. An action is
 * worth what the zoo is worth after it, and a pick what its best placement is worth. A discard is
 * worth what it takes from the neighbour who gets the hand next. Views hold everything, so nothing
 * is remembered. Equal actions are decided by the order of {@code legal}.
 */
final class Greedy implements Player {
  /** How much a point that the neighbour does not get is worth. */
  private static final double DENIAL = 0.3;

  private static final Pattern ACTION =
      Pattern.compile(
          "(?<dino>[TDCSGPQ]?)"
              + "([@>](?<slot>FS|WT|KJ|PL|MD|SI|RV|WO|BL|LO|QZ|BR|PY[0-5]))?"
              + "=?(x(?<drop>[TDCSGP]))?");

  private final int seat;
  private final int neighbour;

  Greedy(Start start) {
    seat = start.seat();
    neighbour = (seat + 1) % start.seats();
  }

  public static void main(String[] args) {
    Dinobot.run("greedy-java", "1.0", List.of("draftosaurus"), Greedy::new);
  }

  @Override
  public Answer decide(Question question) {
    if (!Table.PENS.containsKey(question.view().text("season"))) {
      return Answer.of(question.legal().get(0));
    }
    Draftosaurus view = Draftosaurus.of(question.view());
    Table table = new Table(view.season(), view.options().values(), view.zoos());
    String die = view.bound().get(seat) ? view.die() : null;
    return Answer.of(best(question.legal(), action -> value(table, die, action)));
  }

  /** The first of the best. */
  private static String best(List<String> actions, ToDoubleFunction<String> value) {
    String best = actions.get(0);
    double most = value.applyAsDouble(best);
    for (String action : actions.subList(1, actions.size())) {
      double worth = value.applyAsDouble(action);
      if (worth > most) {
        best = action;
        most = worth;
      }
    }
    return best;
  }

  /** What an action is worth; all are alike if they are of a kind that came after this bot. */
  private double value(Table table, String die, String action) {
    Matcher read = ACTION.matcher(action);
    if (!read.matches()) {
      return 0;
    }
    String dino = read.group("dino");
    String slot = read.group("slot");
    String drop = read.group("drop");
    double denied = drop == null ? 0 : DENIAL * table.best(neighbour, drop, null);
    if (dino.equals("Q")) {
      return moved(table, slot);
    }
    if (slot != null) {
      return denied + table.worth(seat, Table.put(table.zoos().get(seat), dino, slot));
    }
    return dino.isEmpty() ? denied : denied + table.best(seat, dino, die);
  }

  /** What the zoo is worth after the quarantine; no slot is to stay there. */
  private double moved(Table table, String slot) {
    Map<String, String> zoo = table.zoos().get(seat);
    Map<String, String> rest = Table.with(zoo, "QZ", "");
    return table.worth(seat, slot == null ? rest : Table.put(rest, zoo.get("QZ"), slot));
  }

  /**
   * What lies on the table, for all to see.
   *
   * @param zoos by seat: pen to its dinosaurs; empty pens are left out or empty
   */
  private record Table(String season, Map<String, Object> options, List<Map<String, String>> zoos) {

    static final Map<String, List<String>> PENS =
        Map.of(
            "summer", List.of("FS", "WT", "KJ", "PL", "MD", "SI", "RV"),
            "winter", List.of("WO", "BL", "LO", "QZ", "BR", "PY", "RV"));

    private static final int TURNS = 12;
    private static final String SPECIES = "TDCSGP";
    private static final Map<String, Integer> ROOM =
        Map.of("FS", 6, "WT", 3, "KJ", 1, "PL", 6, "MD", 6, "SI", 1, "WO", 6, "LO", 1, "QZ", 1);
    private static final Map<String, String> ROOM_OPTION =
        Map.of("PL", "prairie_capacity", "BL", "bridge_capacity", "BR", "bridge_capacity");
    private static final Map<String, List<String>> OPENED =
        Map.of(
            "W", List.of("FS", "WT", "KJ", "WO", "BL", "LO"),
            "G", List.of("PL", "MD", "SI", "QZ", "BR", "PY"),
            "L", List.of("FS", "WT", "PL", "WO", "BL", "QZ"),
            "R", List.of("KJ", "MD", "SI", "LO", "BR", "PY"));
    private static final String BLANK = "......";
    private static final int[][] ROWS = {{0, 1, 2}, {3, 4}, {5}};
    private static final int[][] TOUCHING = {
      {1, 3}, {0, 2, 3, 4}, {1, 4}, {0, 1, 4, 5}, {1, 2, 3, 5}, {3, 4}
    };

    private static final int[] SAMENESS = {0, 2, 4, 8, 12, 18, 24};
    private static final int[] DIFFERENCES = {0, 1, 3, 6, 10, 15, 21};
    private static final int[] PYRAMID = {0, 2, 4, 6, 10, 14, 21};

    /** Dinosaurs that each turn to come will add to a pen whose points rise with every dinosaur. */
    private static final double PACE = 0.33;

    /** Points of a dinosaur that may still find its partner. */
    private static final double SINGLE = 1.5;

    /** Points of a pen for one dinosaur that is kept empty for a good one. */
    private static final int SAVED = 4;

    /** The zoo with other contents of one pen. */
    static Map<String, String> with(Map<String, String> zoo, String pen, String contents) {
      Map<String, String> changed = new HashMap<>(zoo);
      changed.put(pen, contents);
      return changed;
    }

    /** The zoo with one dinosaur more. */
    static Map<String, String> put(Map<String, String> zoo, String dino, String slot) {
      if (!slot.startsWith("PY")) {
        return with(zoo, slot, in(zoo, slot) + dino);
      }
      String cells = cells(in(zoo, "PY"));
      int cell = slot.charAt(2) - '0';
      return with(zoo, "PY", cells.substring(0, cell) + dino + cells.substring(cell + 1));
    }

    /** What a seat's zoo is worth once this dinosaur stands in its best place. */
    double best(int seat, String dino, String die) {
      Map<String, String> zoo = zoos.get(seat);
      return slots(zoo, dino, die).stream()
          .mapToDouble(slot -> worth(seat, put(zoo, dino, slot)))
          .max()
          .orElseThrow();
    }

    /** The points that a zoo will probably have in the end, if it is this seat's. */
    double worth(int seat, Map<String, String> zoo) {
      String guest = in(zoo, "QZ");
      if (!guest.isEmpty()) {
        Map<String, String> rest = with(zoo, "QZ", "");
        return slots(rest, guest, null).stream()
            .filter(slot -> !slot.equals("QZ"))
            .mapToDouble(slot -> worth(seat, put(rest, guest, slot)))
            .max()
            .orElseThrow();
      }
      int placed = zoo.values().stream().mapToInt(Table::size).sum();
      int turns = Math.max(0, TURNS - placed);
      double pens = season.equals("summer") ? summer(seat, zoo, turns) : winter(seat, zoo, turns);
      return pens + rex(zoo) + in(zoo, "RV").length();
    }

    private double summer(int seat, Map<String, String> zoo, int turns) {
      int trio = in(zoo, "WT").length();
      int trioPoints = (int) options.getOrDefault("trio_points", 7);
      String prairie = in(zoo, "PL");
      int pairs = SPECIES.chars().map(dino -> count(prairie, dino) / 2).sum();
      return grown(SAMENESS, in(zoo, "FS").length(), turns)
          + grown(DIFFERENCES, in(zoo, "MD").length(), turns)
          + (trio + turns >= 3 ? trioPoints * trio / 3.0 : 0)
          + 5 * pairs
          + Math.min(SINGLE * (prairie.length() - 2 * pairs), turns)
          + king(seat, zoo, turns)
          + island(zoo, turns);
    }

    private double winter(int seat, Map<String, String> zoo, int turns) {
      String left = in(zoo, "BL");
      String right = in(zoo, "BR");
      int couples =
          SPECIES.chars().map(dino -> Math.min(count(left, dino), count(right, dino))).sum();
      return grown(SAMENESS, in(zoo, "WO").length(), turns)
          + grown(PYRAMID, size(in(zoo, "PY")), turns)
          + 6 * couples
          + Math.min(SINGLE * (left.length() + right.length() - 2 * couples), turns)
          + lookout(seat, zoo, turns);
    }

    private double king(int seat, Map<String, String> zoo, int turns) {
      String dino = in(zoo, "KJ");
      if (dino.isEmpty()) {
        return Math.min(SAVED, turns);
      }
      int rival =
          IntStream.range(0, zoos.size())
              .filter(other -> other != seat)
              .map(other -> count(zoos.get(other), dino))
              .max()
              .orElseThrow();
      int lead = count(zoo, dino) - rival;
      double chance = 0.5 + (lead + 0.5) / (turns + 1); // certain once no turn is left
      return 7 * Math.min(1, Math.max(0, chance));
    }

    private double island(Map<String, String> zoo, int turns) {
      String dino = in(zoo, "SI");
      if (dino.isEmpty()) {
        return Math.min(SAVED, turns);
      }
      return count(zoo, dino) == 1 ? 7 : 0;
    }

    private double lookout(int seat, Map<String, String> zoo, int turns) {
      String dino = in(zoo, "LO");
      if (dino.isEmpty()) {
        return Math.min(SAVED, turns);
      }
      int right = Math.floorMod(seat - 1, zoos.size());
      return 2 * (count(zoos.get(right), dino) + (double) turns / SPECIES.length());
    }

    /** One point for each pen with a T-Rex. */
    private static int rex(Map<String, String> zoo) {
      return (int)
          zoo.entrySet().stream()
              .filter(pen -> !pen.getKey().equals("RV") && pen.getValue().contains("T"))
              .count();
    }

    /** The points of a pen that goes on growing at its PACE for so many turns. */
    private static double grown(int[] points, int filled, int turns) {
      double reach = Math.min(filled + turns * PACE, points.length - 1);
      int below = Math.min((int) reach, points.length - 2);
      return points[below] + (reach - below) * (points[below + 1] - points[below]);
    }

    /**
     * How many of a species are in a zoo; option {@code zoo_scope} says whether the River is part
     * of it.
     */
    private int count(Map<String, String> zoo, String dino) {
      boolean river = "all".equals(options.getOrDefault("zoo_scope", "all"));
      return zoo.entrySet().stream()
          .filter(pen -> river || !pen.getKey().equals("RV"))
          .mapToInt(pen -> count(pen.getValue(), dino.charAt(0)))
          .sum();
    }

    private static int count(String contents, int dino) {
      return (int) contents.chars().filter(other -> other == dino).count();
    }

    /**
     * Where a dinosaur may go, under a face of the die or under none (null).
     *
     * <p>The bridge is taken to be split: its other variants only blur the look ahead, as
     * placements come with {@code legal}.
     */
    private List<String> slots(Map<String, String> zoo, String dino, String die) {
      List<String> slots = new ArrayList<>();
      for (String pen : PENS.get(season)) {
        String contents = in(zoo, pen);
        if (die != null && !pen.equals("RV") && !opens(die, pen, contents)) {
          continue;
        }
        if (pen.equals("PY")) {
          free(cells(contents), dino).forEach(cell -> slots.add("PY" + cell));
        } else if (admits(pen, contents, dino)) {
          slots.add(pen);
        }
      }
      return slots;
    }

    /** Whether a face of the die opens a pen. */
    private static boolean opens(String die, String pen, String contents) {
      return switch (die) {
        case "E" -> contents.isEmpty();
        case "X" -> !contents.contains("T");
        default -> OPENED.get(die).contains(pen);
      };
    }

    private boolean admits(String pen, String contents, String dino) {
      Object room = options.getOrDefault(ROOM_OPTION.getOrDefault(pen, ""), ROOM.get(pen));
      int size = contents.length();
      if (room != null && size >= (int) room) {
        return false;
      }
      return switch (pen) {
        case "WO" ->
            size > 1 ? contents.charAt(size - 2) == dino.charAt(0) : !contents.equals(dino);
        case "MD" -> !contents.contains(dino);
        case "FS" -> contents.isEmpty() || contents.contains(dino);
        default -> true;
      };
    }

    /** The cells of the Pyramid where a dinosaur may go: in the lowest row that has room. */
    private IntStream free(String cells, String dino) {
      int[] row =
          Arrays.stream(ROWS)
              .map(all -> Arrays.stream(all).filter(cell -> cells.charAt(cell) == '.').toArray())
              .filter(free -> free.length > 0)
              .findFirst()
              .orElse(new int[0]);
      boolean leftToRight = "left_to_right".equals(options.get("pyramid_fill"));
      return Arrays.stream(row)
          .limit(leftToRight ? 1 : row.length)
          .filter(
              cell ->
                  Arrays.stream(TOUCHING[cell])
                      .noneMatch(other -> cells.charAt(other) == dino.charAt(0)));
    }

    private static String in(Map<String, String> zoo, String pen) {
      return zoo.getOrDefault(pen, "");
    }

    private static String cells(String contents) {
      return contents.isEmpty() ? BLANK : contents;
    }

    private static int size(String contents) {
      return (int) contents.chars().filter(dino -> dino != '.').count();
    }
  }
}
