package dinobot

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

var ofTheArena = []string{"welcome", "start", "decide", "decide-last", "end", "end-void", "bye"}

// A vector is a message of the protocol as a value and as a frame.
type vector struct {
	value map[string]any
	frame []byte
}

func load(t *testing.T, name string) vector {
	t.Helper()
	folder := filepath.Join("..", "vectors")
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		folder = filepath.Join("..", "..", "..", "protocol", "vectors")
	}
	text, err := os.ReadFile(filepath.Join(folder, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Value   map[string]any
		Msgpack string
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	frame, err := hex.DecodeString(file.Msgpack)
	if err != nil {
		t.Fatal(err)
	}
	return vector{file.Value, frame}
}

// merged returns the frames of all messages of the arena, one behind the other.
func merged(t *testing.T) (frames []byte) {
	for _, name := range ofTheArena {
		frames = append(frames, load(t, name).frame...)
	}
	return frames
}

func mustRead(t *testing.T, pieces ...[]byte) (messages []any) {
	t.Helper()
	var inbox inbox
	for _, piece := range pieces {
		complete, err := inbox.feed(piece)
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, complete...)
	}
	if len(inbox.bytes) > 0 {
		t.Errorf("%d bytes are left over", len(inbox.bytes))
	}
	return messages
}

func mustEncode(t *testing.T, message any) []byte {
	t.Helper()
	frame, err := encode(message)
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

func TestMessagesKeepTheirFields(t *testing.T) {
	messages := mustRead(t, merged(t))
	want := []any{
		&welcome{Protocol: 1, Arena: "0.1.0"},
		&Start{
			Match: "m-0001", Game: "draftosaurus", Edition: 1, Options: map[string]any{"season": "winter"},
			Seat: 1, Seats: 2, Players: []string{"random", "greedy"},
			Clock: Allowances{PrepareMS: 2000, BankMS: 10000, IncrementMS: 100}, BotSeed: math.MaxInt64,
		},
		&Question{
			ID: 1, Phase: "pick", Legal: []string{"T", "D", "C", "S"},
			Events: []map[string]any{
				{"event": "deal", "round": int64(1), "hand": "TDDCSS"},
				{"event": "roll", "seat": int64(0), "die": "W"},
			},
			Clock: Clock{BankMS: 10000, IncrementMS: 100},
		},
		&Question{
			ID: 2, Phase: "place", Legal: []string{"D@WO", "D@BL", "D@LO", "D@RV"}, Events: []map[string]any{},
			Clock: Clock{BankMS: 9950, IncrementMS: 100},
			Last:  &Last{ID: 1, Status: "accepted", Played: "D", UsedMS: 150},
		},
		&End{
			Scores: []int64{23, -4}, Ranks: []int{1, 2},
			Outcome: breakdown(map[string]any{"WO": int64(8), "RV": int64(15)}, map[string]any{"RV": int64(-4)}),
			Faults:  []Fault{{Seat: 1, Kind: "late", Text: "decision 7: no answer within 10,100 ms"}},
		},
		&End{
			Scores: []int64{2, 0}, Ranks: []int{1, 2},
			Outcome: breakdown(map[string]any{"RV": int64(2)}, map[string]any{"RV": int64(0)}),
			Faults:  []Fault{}, Void: "the referee itself was kept waiting for 0.413 s while answers were due",
		},
		&bye{},
	}
	if len(messages) != len(want) {
		t.Fatalf("%d messages, want %d", len(messages), len(want))
	}
	for i, message := range messages {
		if question, ok := message.(*Question); ok {
			question.View = nil // has a test of its own
		}
		if !reflect.DeepEqual(message, want[i]) {
			t.Errorf("%s:\n got %+v\nwant %+v", ofTheArena[i], message, want[i])
		}
	}
}

func breakdown(seats ...any) map[string]any { return map[string]any{"breakdown": seats} }

func TestMessagesComeInAnyPieces(t *testing.T) {
	want := mustRead(t, merged(t))
	for i, name := range ofTheArena {
		if got := mustRead(t, load(t, name).frame); !reflect.DeepEqual(got, want[i:i+1]) {
			t.Errorf("%s, whole: got %+v", name, got)
		}
	}
	var bytes [][]byte
	for _, one := range merged(t) {
		bytes = append(bytes, []byte{one})
	}
	if got := mustRead(t, bytes...); !reflect.DeepEqual(got, want) {
		t.Errorf("byte by byte: got %+v", got)
	}
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	want := mustRead(t, merged(t))
	for i, name := range ofTheArena {
		var value map[string]any
		if err := decode(load(t, name).frame[lengthOf:], &value); err != nil {
			t.Fatal(err)
		}
		value["later"] = map[string]any{"deep": []any{1, nil, map[string]any{"deeper": 0.5}}}
		value["last"] = value["last"] // null where it was absent, which is the same
		got := mustRead(t, mustEncode(t, value))
		if question, ok := want[i].(*Question); ok {
			got[0].(*Question).View = question.View // the order of its fields may differ
		}
		if !reflect.DeepEqual(got, want[i:i+1]) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestViewsAreDecodedForThoseWhoAsk(t *testing.T) {
	question := mustRead(t, load(t, "decide").frame)[0].(*Question)
	var zoo Draftosaurus
	if err := question.DecodeView(&zoo); err != nil {
		t.Fatal(err)
	}
	if *zoo.Seat != 1 || zoo.Die != "W" || len(zoo.Zoos) != 2 || zoo.Hands[0] != nil || *zoo.Hands[1] != "TDDCSS" {
		t.Errorf("Draftosaurus: %+v", zoo)
	}

	var err error
	question.View, err = msgpack.Marshal(map[string]any{
		"cards": map[string]any{"P15": []any{0, 2, nil, []int{19}}}, "hidden": []any{nil, 0}, "hand_parts": nil, "new": 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	var table Dinodocus
	if err := question.DecodeView(&table); err != nil {
		t.Fatal(err)
	}
	want := Card{Attack: 0, Defence: 2, Diet: "", Numbers: []int{19}}
	if !reflect.DeepEqual(table.Cards["P15"], want) || table.Hidden[0] != nil || *table.Hidden[1] != 0 {
		t.Errorf("Dinodocus: %+v", table)
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	nonsense := map[string][]byte{
		"1048577 bytes":   {0, 0x10, 0, 1},
		"unknown message": mustEncode(t, map[string]string{"type": "log"}),
		"EOF":             {0, 0, 0, 0},
		"makes no sense":  {0, 0, 0, 1, 0xc1},
		"behind":          []byte("\x00\x00\x00\x0b\x81\xa4type\xa3bye\xc0"),
	}
	for words, frame := range nonsense {
		var inbox inbox
		if _, err := inbox.feed(frame); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%x: got %v, want %q", frame, err, words)
		}
	}
}

func TestRepliesAreWrittenToTheByte(t *testing.T) {
	question := &Question{ID: 1}
	replies := map[string]any{
		"hello":     newHello("greedy", "1.2.0", []string{"draftosaurus"}),
		"ready":     newReady(),
		"move":      newMove(question, Answer{Action: "D"}),
		"move-note": newMove(question, Answer{Action: "D", Note: "zwölf Dinosaurier 🦕"}),
	}
	for name, reply := range replies {
		if got, want := mustEncode(t, reply), load(t, name).frame; !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", name, got, want)
		}
	}
}

func TestALongNoteIsCutWhereTheArenaWould(t *testing.T) {
	long := load(t, "move-long-note").value["note"].(string)
	for note, want := range map[string]string{
		long:                      strings.Repeat("x", 1024),
		strings.Repeat("ö", 1025): strings.Repeat("ö", 1024),
		strings.Repeat("ö", 1024): strings.Repeat("ö", 1024),
	} {
		var move move
		frame := mustEncode(t, newMove(&Question{ID: 1}, Answer{Action: "D", Note: note}))
		if err := decode(frame[lengthOf:], &move); err != nil {
			t.Fatal(err)
		}
		if move.ID != 1 || move.Action != "D" || move.Note != want {
			t.Errorf("got %+v", move)
		}
	}
}
