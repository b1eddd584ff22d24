// The first legal action, after goroutines and a timer have done what they are for.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
	"time"
)

type message struct {
	Type  string   `json:"type"`
	Id    int      `json:"id"`
	Legal []string `json:"legal"`
}

func main() {
	var group sync.WaitGroup
	for i := 0; i < 50; i++ {
		group.Add(1)
		go func() { defer group.Done(); <-time.After(time.Millisecond) }()
	}
	group.Wait()
	out := json.NewEncoder(os.Stdout)
	out.Encode(map[string]any{"type": "hello", "protocol": 1, "name": "go", "version": "1", "games": []string{"draftosaurus"}})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.Type == "bye" {
			return
		}
		if m.Type == "start" {
			out.Encode(map[string]any{"type": "ready"})
		}
		if m.Type == "decide" {
			out.Encode(map[string]any{"type": "move", "id": m.Id, "action": m.Legal[0]})
		}
	}
}
