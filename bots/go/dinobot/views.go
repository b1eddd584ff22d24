package dinobot

// What a seat sees, game by game:
//
//	var view dinobot.Draftosaurus
//	err := question.DecodeView(&view)
//
// The rules of each game explain the fields: see `arena rules draftosaurus` and `arena rules dinodocus`. A field that is
// missing is left as it is, and one that is not listed here is ignored, so that old bots can play new games.

// A Zoo maps pens to their dinosaurs, one letter each; empty pens are left out. In PY a "." is an empty cell.
type Zoo map[string]string

// Draftosaurus is what a seat sees in that game. Rounds, turns and games count from 1, seats from 0.
type Draftosaurus struct {
	Phase      string         `msgpack:"phase"`
	Season     string         `msgpack:"season"`
	Game       int            `msgpack:"game"`
	Round      int            `msgpack:"round"`
	Turn       int            `msgpack:"turn"`
	Seat       *int           `msgpack:"seat"` // nil for a spectator
	Seats      int            `msgpack:"seats"`
	Options    map[string]any `msgpack:"options"` // those that differ from their defaults; a nil is a value too
	First      *int           `msgpack:"first"`
	Roller     *int           `msgpack:"roller"`
	Die        string         `msgpack:"die"`   // the face, while it matters; else empty
	Bound      []bool         `msgpack:"bound"` // by seat: does the die bind it now?
	Zoos       []Zoo          `msgpack:"zoos"`
	Hands      []*string      `msgpack:"hands"` // by seat: nil if not known
	HandSize   int            `msgpack:"hand_size"`
	BagSize    int            `msgpack:"bag_size"`
	PerSpecies int            `msgpack:"per_species"`
	Picks      []string       `msgpack:"picks"`    // by seat: the revealed picks, in phase place
	Discards   []string       `msgpack:"discards"` // two players: what went into the box, ? where unknown
	Drops      []*string      `msgpack:"drops"`    // two players: discards chosen with the picks, nil where hidden
	Summer     []Zoo          `msgpack:"summer"`   // the final summer zoos, in the winter half of summer_winter
}

// Dinodocus is what a seat sees in that game. Turns count from 1, seats from 0. The parts are H, A, P and T.
type Dinodocus struct {
	Phase     string              `msgpack:"phase"`
	Turn      int                 `msgpack:"turn"`
	Current   int                 `msgpack:"current"`
	Seat      *int                `msgpack:"seat"` // nil for a spectator
	Seats     int                 `msgpack:"seats"`
	Options   map[string]any      `msgpack:"options"`   // those that differ from their defaults; a nil is a value too
	Cards     map[string]Card     `msgpack:"cards"`     // the whole deck, by the id of the card
	Pool      int                 `msgpack:"pool"`      // ferns in the pool
	Periods   int                 `msgpack:"periods"`   // what is left of the period deck
	Decks     map[string]int      `msgpack:"decks"`     // by part: how many cards its deck holds
	Discards  map[string][]string `msgpack:"discards"`  // by part: the cards in its discard pile
	Made      int                 `msgpack:"made"`      // how many dinosaurs there have been
	Dinos     []Dino              `msgpack:"dinos"`     // those on the table, the oldest first
	Timelines []map[string]int    `msgpack:"timelines"` // by seat: the period cards of extinct dinosaurs
	Hands     []*[]string         `msgpack:"hands"`     // by seat: nil if not known
	HandSizes []int               `msgpack:"hand_sizes"`
	HandParts []map[string]int    `msgpack:"hand_parts"` // by seat: how many cards of each part; nil if hidden
	Shown     [][]string          `msgpack:"shown"`      // by seat: cards in hand that everybody has seen
	Hidden    []*int              `msgpack:"hidden"`     // by seat: hidden period cards, nil if unknown
	Window    string              `msgpack:"window"`     // turn, mutate or react while cards are on offer
	Round     int                 `msgpack:"round"`
	Receiver  *int                `msgpack:"receiver"` // to whom cards are being offered
	Offers    []Offer             `msgpack:"offers"`
	Focus     string              `msgpack:"focus"` // the dinosaur just made or modified, while that matters
	Maker     *int                `msgpack:"maker"` // who decides on the bonus
	Draw      string              `msgpack:"draw"`  // the part that is drawn, in phase card
}

// A Card of the deck, which the view writes as an array of these four.
type Card struct {
	Attack  int
	Defence int
	Diet    string // C or H; only heads have one
	Numbers []int  // the real dinosaurs that it is a part of
}

// A Dino is a dinosaur on the table.
type Dino struct {
	ID       string   `msgpack:"id"`
	Owner    int      `msgpack:"owner"`
	Name     string   `msgpack:"name"`
	Cards    []string `msgpack:"cards"` // in the order of the parts
	Diet     string   `msgpack:"diet"`  // C or H
	Attack   int      `msgpack:"attack"`
	Defence  int      `msgpack:"defence"`
	Fern     bool     `msgpack:"fern"`
	Periods  int      `msgpack:"periods"`
	Closed   bool     `msgpack:"closed"`   // the current player may not modify it in this turn
	Fed      bool     `msgpack:"fed"`      // a carnivore that has eaten in this turn
	Starving bool     `msgpack:"starving"` // a carnivore left hungry by choice
	Bonus    bool     `msgpack:"bonus"`    // it has taken the bonus of a real dinosaur
}

// An Offer is a card on offer.
type Offer struct {
	Seat int    `msgpack:"seat"`
	Card string `msgpack:"card"`
}
