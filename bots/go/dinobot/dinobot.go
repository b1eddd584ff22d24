// Package dinobot is a bot's side of Dino Arena's protocol, revision 1, in framed MessagePack.
//
//	type first struct{ seat int }
//
//	func newFirst(start *dinobot.Start) dinobot.Player { return &first{seat: start.Seat} }
//
//	func (f *first) Decide(question *dinobot.Question) (dinobot.Answer, error) {
//		note := fmt.Sprintf("seat %d takes what comes first", f.seat)
//		return dinobot.Answer{Action: question.Legal[0], Note: note}, nil
//	}
//
//	func main() { dinobot.Run("first", "1.0", []string{"draftosaurus"}, newFirst) }
//
// Print as you like: it goes to stderr. If your player panics or returns an error, the process says why on stderr and
// ends with status 1.
package dinobot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/vmihailenco/msgpack/v5"
)

const (
	revision  = 1
	mostBytes = 1 << 20
	mostNote  = 1024
	lengthOf  = 4 // bytes of the length before each payload
)

// A Player plays one match.
type Player interface {
	// Decide chooses one of question.Legal.
	Decide(question *Question) (Answer, error)
}

// An Ender is a Player that wants to hear how its match has ended.
type Ender interface {
	End(end *End)
}

// Stateless makes the players of a bot that remembers nothing from an ordinary function.
func Stateless(decide func(*Question) (Answer, error)) func(*Start) Player {
	return func(*Start) Player { return stateless(decide) }
}

type stateless func(*Question) (Answer, error)

func (decide stateless) Decide(question *Question) (Answer, error) { return decide(question) }

// An Answer is an action, and perhaps a note for the record of the match, of which the arena keeps 1024 characters.
type Answer struct {
	Action string
	Note   string
}

// Start begins a match.
type Start struct {
	Match   string         `msgpack:"match"`
	Game    string         `msgpack:"game"`
	Edition int            `msgpack:"edition"`
	Options map[string]any `msgpack:"options"` // those that differ from their defaults; a nil is a value too
	Seat    int            `msgpack:"seat"`
	Seats   int            `msgpack:"seats"`
	Players []string       `msgpack:"players"` // by seat
	Clock   Allowances     `msgpack:"clock"`
	BotSeed int64          `msgpack:"bot_seed"` // so that a bot that rolls dice can still be repeated
}

// Allowances are the time of a match.
type Allowances struct {
	PrepareMS   int64 `msgpack:"prepare_ms"`
	BankMS      int64 `msgpack:"bank_ms"`
	IncrementMS int64 `msgpack:"increment_ms"`
}

// A Question asks for a decision.
type Question struct {
	ID     int64              `msgpack:"id"`
	Phase  string             `msgpack:"phase"`
	View   msgpack.RawMessage `msgpack:"view"`   // all that the seat may know: see DecodeView
	Legal  []string           `msgpack:"legal"`  // the actions to choose from, at least one
	Events []map[string]any   `msgpack:"events"` // what the seat saw happen since the last question
	Clock  Clock              `msgpack:"clock"`
	Last   *Last              `msgpack:"last"` // nil in the first question of a match
}

// DecodeView stores the view in what view points to: a Draftosaurus, a Dinodocus, a map[string]any, or a type of yours.
func (q *Question) DecodeView(view any) error { return decode(q.View, view) }

// Prefer returns the legal actions that are good, or all of them if none is.
func (q *Question) Prefer(isGood func(action string) bool) []string {
	good := slices.DeleteFunc(slices.Clone(q.Legal), func(action string) bool { return !isGood(action) })
	if len(good) == 0 {
		return q.Legal
	}
	return good
}

// A Clock is the time for one decision: first the increment, beyond it the bank pays.
type Clock struct {
	BankMS      int64 `msgpack:"bank_ms"`
	IncrementMS int64 `msgpack:"increment_ms"`
}

// Last is what became of the previous answer.
type Last struct {
	ID     int64  `msgpack:"id"`
	Status string `msgpack:"status"` // "accepted", "late", "illegal" or "malformed"
	Played string `msgpack:"played"`
	UsedMS int64  `msgpack:"used_ms"`
	Reason string `msgpack:"reason"` // why it was not accepted
}

// End tells how a match has ended.
type End struct {
	Scores  []int64        `msgpack:"scores"`
	Ranks   []int          `msgpack:"ranks"`
	Outcome map[string]any `msgpack:"outcome"`
	Faults  []Fault        `msgpack:"faults"`
	Void    string         `msgpack:"void"` // why the match does not count; empty if it counts
}

// A Fault is what a seat did wrong.
type Fault struct {
	Seat int    `msgpack:"seat"`
	Kind string `msgpack:"kind"`
	Text string `msgpack:"text"`
}

type welcome struct {
	Protocol int64  `msgpack:"protocol"`
	Arena    string `msgpack:"arena"`
}

type bye struct{}

type hello struct {
	Type     string   `msgpack:"type"`
	Protocol int      `msgpack:"protocol"`
	Name     string   `msgpack:"name"`
	Version  string   `msgpack:"version"`
	Games    []string `msgpack:"games"`
}

type ready struct {
	Type string `msgpack:"type"`
}

type move struct {
	Type   string `msgpack:"type"`
	ID     int64  `msgpack:"id"`
	Action string `msgpack:"action"`
	Note   string `msgpack:"note,omitempty"`
}

func newHello(name, version string, games []string) hello {
	return hello{"hello", revision, name, version, games}
}

func newReady() ready { return ready{"ready"} }

// newMove cuts a note where the arena would.
func newMove(question *Question, answer Answer) move {
	note := answer.Note
	if len(note) > mostNote {
		characters := []rune(note)
		note = string(characters[:min(mostNote, len(characters))])
	}
	return move{"move", question.ID, answer.Action, note}
}

// Run plays all matches that the arena starts, each with a new player, until the arena says bye or hangs up.
//
// It does not return if something fails: the process then ends with status 1.
func Run(name, version string, games []string, newPlayer func(*Start) Player) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n\n%s", reason, debug.Stack())
			os.Exit(1)
		}
	}()
	err := converse(newHello(name, version, games), newPlayer)
	if err != nil && !errors.Is(err, errHungUp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func converse(greeting hello, newPlayer func(*Start) Player) error {
	wire, err := openWire()
	if err != nil {
		return err
	}
	if err := wire.send(greeting); err != nil {
		return err
	}
	talk := conversation{wire: wire, newPlayer: newPlayer}
	for {
		messages, err := wire.receive()
		if err != nil {
			return err
		}
		for i, message := range messages {
			if err := talk.hear(message, i+1 < len(messages)); err != nil {
				return err
			}
		}
	}
}

type conversation struct {
	wire      *wire
	newPlayer func(*Start) Player
	player    Player // nil between matches
}

// hear does what a message of the arena asks for. What follows a question withdraws it.
func (c *conversation) hear(message any, isFollowed bool) error {
	switch message := message.(type) {
	case *welcome:
		return check(message)
	case *Start:
		c.player = c.newPlayer(message)
		return c.wire.send(newReady())
	case *Question:
		if isFollowed {
			return nil
		}
		return c.answer(message)
	case *End:
		if player, ok := c.player.(Ender); ok {
			player.End(message)
		}
		c.player = nil
		return nil
	default:
		return errHungUp
	}
}

func check(welcome *welcome) error {
	if welcome.Protocol != revision {
		return fmt.Errorf("the arena speaks revision %d, this bot %d", welcome.Protocol, revision)
	}
	return nil
}

func (c *conversation) answer(question *Question) error {
	if c.player == nil {
		return errors.New("a question before any start")
	}
	answer, err := c.player.Decide(question)
	if err != nil {
		return err
	}
	if answer.Action == "" {
		return fmt.Errorf("Decide returned an Answer without an Action, in phase %s", question.Phase)
	}
	return c.wire.send(newMove(question, answer))
}

// errHungUp says that the arena has said bye, has closed its end or reads no further, which is not an error.
var errHungUp = errors.New("the arena has hung up")

// A wire is the way to the arena: the real stdin and stdout.
type wire struct {
	in    io.Reader
	out   io.Writer
	piece []byte
	inbox inbox
}

// openWire keeps the real stdout for itself: from there on, whatever is printed goes to stderr, even by C code.
func openWire() (*wire, error) {
	out, err := syscall.Dup(syscall.Stdout)
	if err != nil {
		return nil, fmt.Errorf("keep stdout: %w", err)
	}
	syscall.CloseOnExec(out)
	if err := syscall.Dup3(syscall.Stderr, syscall.Stdout, 0); err != nil { // arm64 has no Dup2
		return nil, fmt.Errorf("point stdout to stderr: %w", err)
	}
	return &wire{in: os.Stdin, out: os.NewFile(uintptr(out), "the arena"), piece: make([]byte, 1<<16)}, nil
}

func (w *wire) send(message any) error {
	frame, err := encode(message)
	if err != nil {
		return err
	}
	if _, err = w.out.Write(frame); errors.Is(err, syscall.EPIPE) {
		return errHungUp
	}
	return err
}

// receive waits for bytes of the arena, and returns the messages that are complete now, if any.
func (w *wire) receive() ([]any, error) {
	size, err := w.in.Read(w.piece)
	if errors.Is(err, io.EOF) {
		return nil, errHungUp
	}
	if err != nil {
		return nil, err
	}
	return w.inbox.feed(w.piece[:size])
}

// An inbox cuts messages from the bytes of the arena, in whatever pieces these come.
type inbox struct{ bytes []byte }

// feed returns the messages that this piece completes.
func (b *inbox) feed(piece []byte) (messages []any, err error) {
	b.bytes = append(b.bytes, piece...)
	rest := b.bytes
	for len(rest) >= lengthOf {
		length := binary.BigEndian.Uint32(rest)
		if length > mostBytes {
			return nil, fmt.Errorf("a frame of %d bytes, but %d are the most", length, mostBytes)
		}
		end := lengthOf + int(length)
		if len(rest) < end {
			break
		}
		message, err := read(rest[lengthOf:end])
		if err != nil {
			return nil, err
		}
		messages = append(messages, message)
		rest = rest[end:]
	}
	b.bytes = append(b.bytes[:0], rest...)
	return messages, nil
}

// read returns the message in a payload: a *welcome, *Start, *Question, *End or *bye.
func read(payload []byte) (any, error) {
	var kind struct {
		Type string `msgpack:"type"`
	}
	if err := decode(payload, &kind); err != nil {
		return nil, fmt.Errorf("a message that makes no sense: %w", err)
	}
	message, ok := blank(kind.Type)
	if !ok {
		return nil, fmt.Errorf("an unknown message %q", kind.Type)
	}
	if err := decode(payload, message); err != nil {
		return nil, fmt.Errorf("a %s that makes no sense: %w", kind.Type, err)
	}
	return message, nil
}

func blank(kind string) (message any, ok bool) {
	switch kind {
	case "welcome":
		return new(welcome), true
	case "start":
		return new(Start), true
	case "decide":
		return new(Question), true
	case "end":
		return new(End), true
	case "bye":
		return new(bye), true
	default:
		return nil, false
	}
}

// decode reads exactly one value. Numbers in it whose type is open become int64, uint64 or float64.
func decode(payload []byte, into any) error {
	reader := bytes.NewReader(payload)
	decoder := msgpack.NewDecoder(reader)
	decoder.UseLooseInterfaceDecoding(true)
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if reader.Len() > 0 {
		return fmt.Errorf("%d bytes behind the value", reader.Len())
	}
	return nil
}

// encode returns the frame of a message: the length as four bytes, big-endian, and then one MessagePack map.
func encode(message any) ([]byte, error) {
	frame := bytes.NewBuffer(make([]byte, lengthOf, 64))
	encoder := msgpack.NewEncoder(frame)
	encoder.UseCompactInts(true)
	if err := encoder.Encode(message); err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(frame.Bytes(), uint32(frame.Len()-lengthOf))
	return frame.Bytes(), nil
}
