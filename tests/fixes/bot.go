// A bot that plays the first legal action and does what the fixes of `arena check` say; `bot FINDING` does not in one place.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
)

const hello = `{"type":"hello","protocol":1,"name":"fixed","version":"1","games":["draftosaurus"]}`

type last struct{ ID int64 }

type message struct {
	Type  string
	ID    int64
	Legal []string
	Last  *last // a pointer: nil both for null and for a missing field
}

type narrow struct{ ID int32 }

// All fields of all messages, but not those of a later revision.
type strict struct {
	Type, Match, Game, Edition, Name, Action, Phase, Void, Arena                                            any
	Protocol, Version, Players, Seat, Seats, Options, Limits, Clock, BotSeed, View, Legal, Events, Last, ID any
	Outcome, Faults, Scores, Ranks, Public, Private                                                         any
}

var broken = strings.Join(os.Args[1:], "")

func main() {
	if broken == "text" {
		fmt.Println("thinking") // instead of fmt.Fprintln(os.Stderr, ...)
	} else {
		fmt.Fprintln(os.Stderr, "thinking")
	}
	if broken == "split-frames" || broken == "fixed-frames" {
		frames()
		return
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	say := func(text string) {
		out.WriteString(text + "\n")
		if broken != "not-flushed" || strings.Contains(text, "hello") {
			out.Flush()
		}
	}
	say(hello)
	in := bufio.NewReader(os.Stdin)
	scanner := bufio.NewScanner(os.Stdin)
	if broken == "fixed-scanner" {
		scanner.Buffer(nil, 1<<20+1)
	}
	for {
		line, err := next(&in, scanner)
		if err != nil {
			if broken == "exit-status" {
				log.Fatal(err)
			}
			if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
				for broken == "eof-ignored" {
				}
				return
			}
		}
		if !heed(line, say) {
			return
		}
	}
}

func next(in **bufio.Reader, scanner *bufio.Scanner) ([]byte, error) {
	if broken == "large-message" || broken == "fixed-scanner" {
		if !scanner.Scan() {
			return nil, io.EOF
		}
		return scanner.Bytes(), nil
	}
	if broken == "merged-frames" {
		*in = bufio.NewReader(os.Stdin) // instead of one bufio.Reader for the whole life of the process
	}
	return (*in).ReadBytes('\n')
}

func heed(line []byte, say func(string)) bool {
	var read message
	if broken == "unknown-fields" {
		decoder := json.NewDecoder(bytes.NewReader(bytes.ReplaceAll(line, []byte("_"), nil)))
		decoder.DisallowUnknownFields()
		var all strict
		if err := decoder.Decode(&all); err != nil {
			log.Fatal(err)
		}
	}
	if err := json.Unmarshal(line, &read); err != nil {
		log.Fatal(err)
	}
	switch read.Type {
	case "start":
		say(`{"type":"ready"}`)
	case "decide":
		if read.Last != nil || broken == "null-fields" && bytes.Contains(line, []byte(`"last"`)) {
			fmt.Fprintln(os.Stderr, "answered", read.Last.ID)
		}
		id := read.ID
		if broken == "ids" {
			var short narrow
			json.Unmarshal(line, &short)
			id = int64(short.ID)
		}
		say(fmt.Sprintf(`{"type":"move","id":%d,"action":"%s"}`, id, decide(read)))
	case "bye":
		for broken == "bye-ignored" {
		}
		return false
	}
	return true
}

func decide(read message) (action string) {
	if broken != "crash" {
		defer func() {
			if recover() != nil {
				action = read.Legal[0]
			}
		}()
	}
	var seen map[string]int
	seen["x"] = 1
	return read.Legal[len(read.Legal)-1]
}

// Framed MessagePack, of which only the id and the first legal action are read.
func frames() {
	frame := func(payload string) {
		os.Stdout.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(payload))), payload...))
	}
	frame("\x85\xa4type\xa5hello\xa8protocol\x01\xa4name\xa5fixed\xa7version\xa11\xa5games\x91\xacdraftosaurus")
	in := bufio.NewReader(os.Stdin)
	for {
		payload := make([]byte, 4)
		if _, err := io.ReadFull(in, payload); err != nil {
			return
		}
		payload = make([]byte, binary.BigEndian.Uint32(payload))
		if broken == "split-frames" {
			in.Read(payload) // instead of io.ReadFull
		} else {
			io.ReadFull(in, payload)
		}
		head := payload
		if len(head) > 16 {
			head = head[:16]
		}
		switch {
		case bytes.Contains(head, []byte("\xa5start")):
			frame("\x81\xa4type\xa5ready")
		case bytes.Contains(head, []byte("\xa6decide")):
			frame("\x83\xa4type\xa4move\xa2id" + after(payload, "\xa2id", 1) + "\xa6action" + after(payload, "\xa5legal", 0))
		case bytes.Contains(head, []byte("\xa3bye")):
			return
		}
	}
}

// The bytes of the value, or of the first item of the list, that follows a key. An id is a small positive number here.
func after(payload []byte, key string, size int) string {
	at := bytes.Index(payload, []byte(key)) + len(key)
	if size == 1 {
		return string(payload[at : at+size])
	}
	if payload[at] == 0xdc {
		at += 2
	}
	at++
	return string(payload[at : at+1+int(payload[at]&31)])
}
