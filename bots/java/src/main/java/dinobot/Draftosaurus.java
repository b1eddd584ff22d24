package dinobot;

import java.util.List;
import java.util.Map;

/**
 * What a seat sees of Draftosaurus. Rounds and turns count from 1, seats from 0.
 *
 * @param season {@code summer} or {@code winter}
 * @param options the options that differ from their defaults
 * @param die the face of the die; null if there is none now
 * @param bound by seat: does the die bind it now?
 * @param zoos by seat: pen to its dinosaurs, the empty pens left out; a dot is an empty cell
 * @param hands by seat: the hand; null if not known to this seat
 * @param perSpecies how many of each species the bag held at first
 * @param picks by seat: the revealed picks in phase {@code place}; else null
 * @param discards by seat: what went into the box, {@code ?} where unknown; null unless two play
 * @param drops by seat: discards chosen with the picks, null where hidden; null unless two play
 * @param summer by seat: the summer zoos, in the winter half of a double game; else null
 */
public record Draftosaurus(
    String phase,
    String season,
    int game,
    int round,
    int turn,
    int seat,
    int seats,
    Fields options,
    int first,
    int roller,
    String die,
    List<Boolean> bound,
    List<Map<String, String>> zoos,
    List<String> hands,
    int handSize,
    int bagSize,
    int perSpecies,
    List<String> picks,
    List<String> discards,
    List<String> drops,
    List<Map<String, String>> summer) {

  public static Draftosaurus of(Fields view) {
    return new Draftosaurus(
        view.text("phase"),
        view.text("season"),
        view.whole("game"),
        view.whole("round"),
        view.whole("turn"),
        view.whole("seat"),
        view.whole("seats"),
        view.fields("options"),
        view.whole("first"),
        view.whole("roller"),
        view.get("die", String.class),
        view.list("bound", Boolean.class),
        view.maps("zoos", String.class),
        view.list("hands", String.class),
        view.whole("hand_size"),
        view.whole("bag_size"),
        view.whole("per_species"),
        view.has("picks") ? view.list("picks", String.class) : null,
        view.has("discards") ? view.list("discards", String.class) : null,
        view.has("drops") ? view.list("drops", String.class) : null,
        view.has("summer") ? view.maps("summer", String.class) : null);
  }
}
