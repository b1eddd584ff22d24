package dinobot;

import java.util.List;
import java.util.Map;

/**
 * What a seat sees of Dinodocus. Turns count from 1, seats from 0; parts are H, A, P and T.
 *
 * @param turn player turns so far, this one included; 0 during set-up
 * @param current the seat whose turn it is
 * @param options the options that differ from their defaults
 * @param cards the whole deck, by the ids of the cards
 * @param pool ferns in the pool
 * @param periods what is left of the period deck
 * @param decks by part: how many cards the deck holds
 * @param discards by part: the cards in the discard pile
 * @param made how many dinosaurs there have been
 * @param dinos the dinosaurs on the table, the oldest first
 * @param timelines by seat: extinct dinosaur to its period cards
 * @param hands by seat: the cards in hand; null if not known to this seat
 * @param handParts by seat and part: how many cards the hand holds; null if hidden
 * @param shown by seat: cards in hand that everybody has seen
 * @param hidden by seat: hidden period cards; null if unknown
 * @param window {@code turn}, {@code mutate} or {@code react} while cards are offered; else null
 * @param round the round of offers, from 1; else 0
 * @param receiver to whom cards are offered; else null
 * @param focus the dinosaur just made or modified; else null
 * @param maker who decides on the bonus; else null
 * @param draw the part that is drawn; else null
 */
public record Dinodocus(
    String phase,
    int turn,
    int current,
    int seat,
    int seats,
    Fields options,
    Map<String, Card> cards,
    int pool,
    int periods,
    Map<String, Integer> decks,
    Map<String, List<String>> discards,
    int made,
    List<Dino> dinos,
    List<Map<String, Integer>> timelines,
    List<List<String>> hands,
    List<Integer> handSizes,
    List<Map<String, Integer>> handParts,
    List<List<String>> shown,
    List<Integer> hidden,
    String window,
    int round,
    Integer receiver,
    List<Offer> offers,
    String focus,
    Integer maker,
    String draw) {

  /**
   * A card of the deck.
   *
   * @param diet C or H on a head; else null
   * @param numbers the real dinosaurs that have it
   */
  public record Card(int attack, int defence, String diet, List<Integer> numbers) {
    static Card of(Fields cards, String id) {
      List<Object> card = cards.list(id, Object.class);
      List<?> numbers = (List<?>) card.get(3);
      return new Card(
          (int) card.get(0),
          (int) card.get(1),
          (String) card.get(2),
          numbers.stream().map(Integer.class::cast).toList());
    }
  }

  /** A dinosaur on the table. */
  public record Dino(
      String id,
      int owner,
      String name,
      List<String> cards,
      String diet,
      int attack,
      int defence,
      boolean fern,
      int periods,
      boolean closed,
      boolean fed,
      boolean starving,
      boolean bonus) {

    static Dino of(Fields dino) {
      return new Dino(
          dino.text("id"),
          dino.whole("owner"),
          dino.text("name"),
          dino.list("cards", String.class),
          dino.text("diet"),
          dino.whole("attack"),
          dino.whole("defence"),
          dino.flag("fern"),
          dino.whole("periods"),
          dino.flag("closed"),
          dino.flag("fed"),
          dino.flag("starving"),
          dino.flag("bonus"));
    }
  }

  /** A card on offer, and whose it is. */
  public record Offer(int seat, String card) {
    static Offer of(Fields offer) {
      return new Offer(offer.whole("seat"), offer.text("card"));
    }
  }

  public static Dinodocus of(Fields view) {
    Fields cards = view.fields("cards");
    Fields decks = view.fields("decks");
    Fields discards = view.fields("discards");
    return new Dinodocus(
        view.text("phase"),
        view.whole("turn"),
        view.whole("current"),
        view.whole("seat"),
        view.whole("seats"),
        view.fields("options"),
        cards.map(id -> Card.of(cards, id)),
        view.whole("pool"),
        view.whole("periods"),
        decks.map(decks::whole),
        discards.map(part -> discards.list(part, String.class)),
        view.whole("made"),
        view.list("dinos", Fields.class).stream().map(Dino::of).toList(),
        view.maps("timelines", Integer.class),
        view.lists("hands", String.class),
        view.list("hand_sizes", Integer.class),
        view.has("hand_parts") ? view.maps("hand_parts", Integer.class) : null,
        view.lists("shown", String.class),
        view.list("hidden", Integer.class),
        view.get("window", String.class),
        view.whole("round"),
        view.get("receiver", Integer.class),
        view.list("offers", Fields.class).stream().map(Offer::of).toList(),
        view.get("focus", String.class),
        view.get("maker", Integer.class),
        view.get("draw", String.class));
  }
}
