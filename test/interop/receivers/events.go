package main

import (
	"encoding/json"
	"fmt"
)

func handle(id string, body []byte) {
	var event struct{ Type string }
	_ = json.Unmarshal(body, &event)
	fmt.Printf("{\"id\":%q,\"type\":%q}\n", id, event.Type)
}
