// Greedy plays Draftosaurus: it takes what promises the most points, looking a little ahead.
//
// Theory of operation. table.worth estimates the final points of a zoo: what its pens score now, and what those that
// can still grow will probably score, given the dinosaurs still to come. An action is worth what the zoo is worth after
// it, and a pick what its best placement is worth. A discard is worth what it takes from the neighbour who gets the hand
// next. Views hold everything, so nothing is remembered. Equal actions are decided by the order of Legal.
//
// Products that are added to something stand in float64(...), as the compiler may otherwise fuse the two on some
// machines, and the last digit would depend on the machine.
package main

import (
	"bot/dinobot"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

const (
	turnsInAll = 12
	species    = "TDCSGP"
	blank      = "......"
)

// Guesses, found by playing against itself.
const (
	pace   = 0.33 // dinosaurs that each turn to come will add to a pen whose points rise with every dinosaur
	single = 1.5  // points of a dinosaur that may still find its partner
	saved  = 4    // points of a pen for one dinosaur that is kept empty for a good one
	denial = 0.3  // how much a point that the neighbour does not get is worth
)

var (
	pens = map[string][]string{
		"summer": {"FS", "WT", "KJ", "PL", "MD", "SI", "RV"},
		"winter": {"WO", "BL", "LO", "QZ", "BR", "PY", "RV"},
	}
	rooms       = map[string]int{"FS": 6, "WT": 3, "KJ": 1, "PL": 6, "MD": 6, "SI": 1, "WO": 6, "LO": 1, "QZ": 1}
	roomOptions = map[string]string{"PL": "prairie_capacity", "BL": "bridge_capacity", "BR": "bridge_capacity"}
	opened      = map[string][]string{
		"W": {"FS", "WT", "KJ", "WO", "BL", "LO"},
		"G": {"PL", "MD", "SI", "QZ", "BR", "PY"},
		"L": {"FS", "WT", "PL", "WO", "BL", "QZ"},
		"R": {"KJ", "MD", "SI", "LO", "BR", "PY"},
	}
	rows     = [][]int{{0, 1, 2}, {3, 4}, {5}}
	touching = [][]int{{1, 3}, {0, 2, 3, 4}, {1, 4}, {0, 1, 4, 5}, {1, 2, 3, 5}, {3, 4}}
)

// Points by the number of dinosaurs in a pen.
var (
	sameness    = []float64{0, 2, 4, 8, 12, 18, 24}
	differences = []float64{0, 1, 3, 6, 10, 15, 21}
	pyramid     = []float64{0, 2, 4, 6, 10, 14, 21}
)

// The parts of an action: dinosaur, slot, discard.
var actions = regexp.MustCompile(
	`^([TDCSGPQ]?)(?:[@>](FS|WT|KJ|PL|MD|SI|RV|WO|BL|LO|QZ|BR|PY[0-5]))?=?(?:x([TDCSGP]))?$`)

// put returns the zoo with one dinosaur more.
func put(zoo dinobot.Zoo, dino, slot string) dinobot.Zoo {
	zoo = maps.Clone(zoo)
	pen, cell, isCell := strings.Cut(slot, "PY")
	if !isCell {
		zoo[pen] += dino
		return zoo
	}
	cells, at := cellsOf(zoo), int(cell[0]-'0')
	zoo["PY"] = cells[:at] + dino + cells[at+1:]
	return zoo
}

func cellsOf(zoo dinobot.Zoo) string {
	if cells := zoo["PY"]; cells != "" {
		return cells
	}
	return blank
}

// released returns the zoo with nobody in quarantine.
func released(zoo dinobot.Zoo) dinobot.Zoo {
	zoo = maps.Clone(zoo)
	delete(zoo, "QZ")
	return zoo
}

// placed counts the dinosaurs in a pen.
func placed(contents string) int { return len(contents) - strings.Count(contents, ".") }

// grown returns the points of a pen that goes on growing at its pace for so many turns.
func grown(points []float64, filled int, turns float64) float64 {
	reach := min(float64(filled)+float64(turns*pace), float64(len(points)-1))
	below := min(int(reach), len(points)-2)
	return points[below] + float64((reach-float64(below))*(points[below+1]-points[below]))
}

// A table is what lies on it, for all to see.
type table struct {
	season  string
	options map[string]any
	zoos    []dinobot.Zoo
}

// best returns what a seat's zoo is worth once this dinosaur stands in its best place.
func (t *table) best(seat int, dino, die string) float64 {
	zoo := t.zoos[seat]
	return t.bestOf(seat, zoo, dino, t.slots(zoo, dino, die))
}

func (t *table) bestOf(seat int, zoo dinobot.Zoo, dino string, slots []string) float64 {
	best := math.Inf(-1)
	for _, slot := range slots {
		best = max(best, t.worth(seat, put(zoo, dino, slot)))
	}
	return best
}

// worth returns the points that a zoo will probably have in the end, if it is this seat's.
func (t *table) worth(seat int, zoo dinobot.Zoo) float64 {
	if guest := zoo["QZ"]; guest != "" {
		rest := released(zoo)
		slots := slices.DeleteFunc(t.slots(rest, guest, ""), func(slot string) bool { return slot == "QZ" })
		return t.bestOf(seat, rest, guest, slots)
	}
	dinos, rex := 0, 0
	for pen, contents := range zoo {
		dinos += placed(contents)
		if pen != "RV" && strings.Contains(contents, "T") {
			rex++
		}
	}
	turns := float64(max(0, turnsInAll-dinos))
	points := t.winter
	if t.season == "summer" {
		points = t.summer
	}
	return points(seat, zoo, turns) + float64(rex) + float64(len(zoo["RV"]))
}

func (t *table) summer(seat int, zoo dinobot.Zoo, turns float64) float64 {
	prairie, pairs := zoo["PL"], 0
	for _, dino := range species {
		pairs += strings.Count(prairie, string(dino)) / 2
	}
	return grown(sameness, len(zoo["FS"]), turns) +
		grown(differences, len(zoo["MD"]), turns) +
		t.trio(float64(len(zoo["WT"])), turns) +
		float64(5*pairs) +
		min(float64(single*float64(len(prairie)-2*pairs)), turns) +
		t.king(seat, zoo, turns) +
		t.island(zoo, turns)
}

func (t *table) winter(seat int, zoo dinobot.Zoo, turns float64) float64 {
	left, right, couples := zoo["BL"], zoo["BR"], 0
	for _, dino := range species {
		couples += min(strings.Count(left, string(dino)), strings.Count(right, string(dino)))
	}
	return grown(sameness, len(zoo["WO"]), turns) +
		grown(pyramid, placed(zoo["PY"]), turns) +
		float64(6*couples) +
		min(float64(single*float64(len(left)+len(right)-2*couples)), turns) +
		t.lookout(seat, zoo, turns)
}

func (t *table) trio(filled, turns float64) float64 {
	if filled+turns < 3 {
		return 0
	}
	points, ok := number(t.options["trio_points"])
	if !ok {
		points = 7
	}
	return points * filled / 3
}

func (t *table) king(seat int, zoo dinobot.Zoo, turns float64) float64 {
	dino := zoo["KJ"]
	if dino == "" {
		return min(saved, turns)
	}
	rival := 0
	for other, zoo := range t.zoos {
		if other != seat {
			rival = max(rival, t.count(zoo, dino))
		}
	}
	lead := float64(t.count(zoo, dino) - rival)
	return float64(7 * min(1, max(0, 0.5+(lead+0.5)/(turns+1)))) // certain once no turn is left
}

func (t *table) island(zoo dinobot.Zoo, turns float64) float64 {
	switch dino := zoo["SI"]; {
	case dino == "":
		return min(saved, turns)
	case t.count(zoo, dino) == 1:
		return 7
	default:
		return 0
	}
}

func (t *table) lookout(seat int, zoo dinobot.Zoo, turns float64) float64 {
	dino := zoo["LO"]
	if dino == "" {
		return min(saved, turns)
	}
	right := t.zoos[(seat+len(t.zoos)-1)%len(t.zoos)]
	return float64(2 * (float64(t.count(right, dino)) + turns/float64(len(species))))
}

// count returns how many of a species are in a zoo; option zoo_scope says whether the River is part of it.
func (t *table) count(zoo dinobot.Zoo, dino string) int {
	scope, isSet := t.options["zoo_scope"]
	river, count := !isSet || scope == "all", 0
	for pen, contents := range zoo {
		if river || pen != "RV" {
			count += strings.Count(contents, dino)
		}
	}
	return count
}

// slots returns where a dinosaur may go, under a face of the die or under none.
//
// The bridge is taken to be split: its other variants only blur the look ahead, as placements come with Legal.
func (t *table) slots(zoo dinobot.Zoo, dino, die string) []string {
	var slots []string
	for _, pen := range pens[t.season] {
		switch {
		case die != "" && pen != "RV" && !opens(die, pen, zoo[pen]):
		case pen == "PY":
			slots = append(slots, t.cells(cellsOf(zoo), dino)...)
		case t.admits(pen, zoo[pen], dino):
			slots = append(slots, pen)
		}
	}
	return slots
}

func (t *table) admits(pen, contents, dino string) bool {
	if room, isLimited := t.room(pen); isLimited && float64(len(contents)) >= room {
		return false
	}
	switch pen {
	case "WO":
		if len(contents) > 1 {
			return contents[len(contents)-2:len(contents)-1] == dino
		}
		return contents != dino
	case "MD":
		return !strings.Contains(contents, dino)
	case "FS":
		return contents == "" || strings.Contains(contents, dino)
	default:
		return true
	}
}

// room returns how many dinosaurs fit into a pen, if there is a limit. An option that is nil takes the limit away.
func (t *table) room(pen string) (room float64, isLimited bool) {
	if option, isSet := t.options[roomOptions[pen]]; isSet {
		return number(option)
	}
	usual, isLimited := rooms[pen]
	return float64(usual), isLimited
}

func (t *table) cells(cells, dino string) []string {
	var free []int
	for _, row := range rows {
		free = slices.DeleteFunc(slices.Clone(row), func(cell int) bool { return cells[cell] != '.' })
		if len(free) > 0 {
			break
		}
	}
	if t.options["pyramid_fill"] == "left_to_right" {
		free = free[:min(1, len(free))]
	}
	var slots []string
	for _, cell := range free {
		if !slices.ContainsFunc(touching[cell], func(other int) bool { return cells[other:other+1] == dino }) {
			slots = append(slots, "PY"+string(rune('0'+cell)))
		}
	}
	return slots
}

// number returns an option's value, if it is one.
func number(option any) (value float64, ok bool) {
	switch option := option.(type) {
	case int64:
		return float64(option), true
	case uint64:
		return float64(option), true
	case float64:
		return option, true
	default:
		return 0, false
	}
}

// opens tells whether a face of the die opens a pen.
func opens(die, pen, contents string) bool {
	switch die {
	case "E":
		return contents == ""
	case "X":
		return !strings.Contains(contents, "T")
	default:
		return slices.Contains(opened[die], pen)
	}
}

// A greedy weighs every legal action on its own.
type greedy struct{ seat, neighbour int }

func newGreedy(start *dinobot.Start) dinobot.Player {
	return &greedy{seat: start.Seat, neighbour: (start.Seat + 1) % start.Seats}
}

func (g *greedy) Decide(question *dinobot.Question) (dinobot.Answer, error) {
	var view dinobot.Draftosaurus
	if err := question.DecodeView(&view); err != nil {
		return dinobot.Answer{}, err
	}
	if _, isKnown := pens[view.Season]; !isKnown {
		return dinobot.Answer{Action: question.Legal[0]}, nil
	}
	if !view.Bound[g.seat] {
		view.Die = ""
	}
	t := &table{view.Season, view.Options, view.Zoos}
	best, most := "", math.Inf(-1)
	for _, action := range question.Legal {
		if value := g.value(t, view.Die, action); value > most {
			best, most = action, value
		}
	}
	return dinobot.Answer{Action: best}, nil
}

// value returns what an action is worth; all are alike if they are of a kind that came after this bot.
func (g *greedy) value(t *table, die, action string) float64 {
	parts := actions.FindStringSubmatch(action)
	if parts == nil {
		return 0
	}
	dino, slot, drop := parts[1], parts[2], parts[3]
	denied := 0.0
	if drop != "" {
		denied = float64(denial * t.best(g.neighbour, drop, ""))
	}
	switch {
	case dino == "Q":
		return g.moved(t, slot)
	case slot != "":
		return denied + t.worth(g.seat, put(t.zoos[g.seat], dino, slot))
	case dino != "":
		return denied + t.best(g.seat, dino, die)
	default:
		return denied
	}
}

// moved returns what the zoo is worth after the quarantine; no slot is to stay there.
func (g *greedy) moved(t *table, slot string) float64 {
	zoo := t.zoos[g.seat]
	rest := released(zoo)
	if slot != "" {
		rest = put(rest, zoo["QZ"], slot)
	}
	return t.worth(g.seat, rest)
}

func main() {
	dinobot.Run("greedy-go", "1.0", []string{"draftosaurus"}, newGreedy)
}
