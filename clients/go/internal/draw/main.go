// Command draw draws IDs as the lines on its input say, for FirstPartyClientsTest: next draws one,
// "draw N" draws in N goroutines until stop.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	firn "firn.io/client"
)

func main() {
	settings := map[string]string{}
	for _, argument := range os.Args[1:] {
		name, value, _ := strings.Cut(argument, "=")
		settings[name] = value
	}
	number := func(name string) int {
		value, _ := strconv.Atoi(settings[name])
		return value
	}
	millis := func(name string) time.Duration {
		return time.Duration(number(name)) * time.Millisecond
	}
	client, err := firn.New(firn.Config{
		Servers:   strings.Split(settings["servers"], ","),
		Namespace: settings["namespace"],
		Token:     settings["token"],
		Batch:     number("batch"),
		Timeout:   millis("timeout"),
		MaxWait:   millis("wait"),
		MaxAge:    millis("age"),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	drawOne := func() string {
		id, err := client.NextID(context.Background())
		var unavailable *firn.UnavailableError
		if errors.As(err, &unavailable) {
			return "failed: " + err.Error()
		}
		if err != nil {
			log.Fatal(err)
		}
		return strconv.FormatInt(id, 10)
	}
	var tasks sync.WaitGroup
	var mutex sync.Mutex
	var longest time.Duration
	calls := 0
	stop := make(chan struct{})
	draw := func() {
		defer tasks.Done()
		for {
			begin := time.Now()
			drawn := drawOne()
			taken := time.Since(begin)
			mutex.Lock()
			if taken > longest {
				longest = taken
			}
			calls++
			fmt.Println(drawn)
			mutex.Unlock()
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		command, count, _ := strings.Cut(lines.Text(), " ")
		switch command {
		case "next":
			fmt.Println(drawOne())
		case "draw":
			for i, _ := strconv.Atoi(count); i > 0; i-- {
				tasks.Add(1)
				go draw()
			}
		case "stop":
			close(stop)
			tasks.Wait()
			fmt.Printf("longest call %.1f ms of %d\n", float64(longest.Microseconds())/1000, calls)
		}
	}
}
