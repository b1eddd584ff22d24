// What a seat sees, as structs. Ask for the one of the game that is played:
//
//     const auto view = question.view_as<dino::Draftosaurus>();
//
// It throws dino::Misfit if the view is not one of that game. Lists "by seat" have an item for each seat. What may be
// unknown or absent is a std::optional. `arena rules draftosaurus` and `arena rules dinodocus` say what each field
// means.
#ifndef VIEWS_HPP
#define VIEWS_HPP

#include "dinobot.hpp"

namespace dino {

using Text = std::string_view;
using Texts = std::vector<std::string_view>;

// Pen -> its dinosaurs; empty pens are left out. In PY a `.` is an empty cell.
using Zoo = std::map<std::string_view, std::string>;

struct Draftosaurus {
    explicit Draftosaurus(const Value& view)
        : phase(view.get<Text>("phase")),
          season(view.get<Text>("season")),
          game(view.get<int>("game")),
          round(view.get<int>("round")),
          turn(view.get<int>("turn")),
          seat(view.get<std::optional<int>>("seat")),
          seats(view.get<int>("seats")),
          options(view["options"].as_map()),
          first(view.get<std::optional<int>>("first")),
          roller(view.get<std::optional<int>>("roller")),
          die(view.get<std::optional<Text>>("die")),
          bound(view.get<std::vector<bool>>("bound")),
          zoos(view.get<std::vector<Zoo>>("zoos")),
          hands(view.get<std::vector<std::optional<Text>>>("hands")),
          hand_size(view.get<int>("hand_size")),
          bag_size(view.get<int>("bag_size")),
          per_species(view.get<int>("per_species")),
          picks(view.get<std::optional<Texts>>("picks")),
          discards(view.get<std::optional<Texts>>("discards")),
          drops(view.get<std::optional<std::vector<std::optional<Text>>>>("drops")),
          summer(view.get<std::optional<std::vector<Zoo>>>("summer")) {}

    Text phase;
    Text season;
    int game, round, turn;
    std::optional<int> seat;  // empty for a spectator
    int seats;
    const Value& options;  // a map
    std::optional<int> first, roller;
    std::optional<Text> die;
    std::vector<bool> bound;                 // by seat
    std::vector<Zoo> zoos;                   // by seat
    std::vector<std::optional<Text>> hands;  // by seat
    int hand_size, bag_size, per_species;
    std::optional<Texts> picks;                             // by seat, in phase `place`
    std::optional<Texts> discards;                          // by seat, if two play
    std::optional<std::vector<std::optional<Text>>> drops;  // by seat or empty, if two play
    std::optional<std::vector<Zoo>> summer;                 // by seat, in the winter half of `summer_winter`
};

struct Dinodocus {
    // Part (H, A, P or T) -> something.
    template <class T>
    using ByPart = std::map<std::string_view, T>;

    struct Card {
        explicit Card(const Value& card) {
            const Value::Array& items = card.array();
            if (items.size() < 4) throw Misfit("a card without attack, defence, diet and numbers");
            attack = items[0].to<int>();
            defence = items[1].to<int>();
            diet = items[2].to<std::optional<Text>>();
            numbers = items[3].to<std::vector<int>>();
        }

        int attack, defence;
        std::optional<Text> diet;  // C or H; only heads have one
        std::vector<int> numbers;  // the real dinosaurs that it is part of
    };

    struct Dino {
        explicit Dino(const Value& dino)
            : id(dino.get<Text>("id")),
              owner(dino.get<int>("owner")),
              name(dino.get<Text>("name")),
              cards(dino.get<Texts>("cards")),
              diet(dino.get<Text>("diet")),
              attack(dino.get<int>("attack")),
              defence(dino.get<int>("defence")),
              fern(dino.get<bool>("fern")),
              periods(dino.get<int>("periods")),
              closed(dino.get<bool>("closed")),
              fed(dino.get<bool>("fed")),
              starving(dino.get<bool>("starving")),
              bonus(dino.get<bool>("bonus")) {}

        Text id;
        int owner;
        Text name;
        Texts cards;  // in the order of the parts
        Text diet;    // C or H
        int attack, defence;
        bool fern;
        int periods;
        bool closed, fed, starving, bonus;
    };

    struct Offer {
        explicit Offer(const Value& offer) : seat(offer.get<int>("seat")), card(offer.get<Text>("card")) {}

        int seat;
        Text card;
    };

    explicit Dinodocus(const Value& view)
        : phase(view.get<Text>("phase")),
          turn(view.get<int>("turn")),
          current(view.get<int>("current")),
          seat(view.get<std::optional<int>>("seat")),
          seats(view.get<int>("seats")),
          options(view["options"].as_map()),
          cards(view.get<std::map<Text, Card>>("cards")),
          pool(view.get<int>("pool")),
          periods(view.get<int>("periods")),
          decks(view.get<ByPart<int>>("decks")),
          discards(view.get<ByPart<Texts>>("discards")),
          made(view.get<int>("made")),
          dinos(view.get<std::vector<Dino>>("dinos")),
          timelines(view.get<std::vector<std::map<Text, int>>>("timelines")),
          hands(view.get<std::vector<std::optional<Texts>>>("hands")),
          hand_sizes(view.get<std::vector<int>>("hand_sizes")),
          hand_parts(view.get<std::optional<std::vector<ByPart<int>>>>("hand_parts")),
          shown(view.get<std::vector<Texts>>("shown")),
          hidden(view.get<std::vector<std::optional<int>>>("hidden")),
          window(view.get<std::optional<Text>>("window")),
          round(view.get<int>("round")),
          receiver(view.get<std::optional<int>>("receiver")),
          offers(view.get<std::vector<Offer>>("offers")),
          focus(view.get<std::optional<Text>>("focus")),
          maker(view.get<std::optional<int>>("maker")),
          draw(view.get<std::optional<Text>>("draw")) {}

    Text phase;
    int turn, current;
    std::optional<int> seat;  // empty for a spectator
    int seats;
    const Value& options;        // a map
    std::map<Text, Card> cards;  // the whole deck, by id
    int pool, periods;
    ByPart<int> decks;
    ByPart<Texts> discards;
    int made;
    std::vector<Dino> dinos;                             // the oldest first
    std::vector<std::map<Text, int>> timelines;          // by seat: extinct dinosaur -> its period cards
    std::vector<std::optional<Texts>> hands;             // by seat
    std::vector<int> hand_sizes;                         // by seat
    std::optional<std::vector<ByPart<int>>> hand_parts;  // by seat
    std::vector<Texts> shown;                            // by seat
    std::vector<std::optional<int>> hidden;              // by seat
    std::optional<Text> window;
    int round;
    std::optional<int> receiver;
    std::vector<Offer> offers;
    std::optional<Text> focus;
    std::optional<int> maker;
    std::optional<Text> draw;
};

}  // namespace dino

#endif
