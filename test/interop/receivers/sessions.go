package main

import "fmt"

func endSessions(sub, sid string) {
	if sid == "" {
		fmt.Printf("{\"sub\":%q}\n", sub)
	} else {
		fmt.Printf("{\"sub\":%q,\"sid\":%q}\n", sub, sid)
	}
}
