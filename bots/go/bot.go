package main

import (
	"bot/dinobot"
	"strings"
)

func decide(question *dinobot.Question) (dinobot.Answer, error) {
	dry := question.Prefer(func(action string) bool { return !strings.Contains(action, "RV") })
	return dinobot.Answer{Action: dry[len(dry)-1]}, nil
}

func main() {
	dinobot.Run("my-bot", "1.0", []string{"draftosaurus", "dinodocus"}, dinobot.Stateless(decide))
}
