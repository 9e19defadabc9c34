// Package firn draws 64-bit IDs of Firn servers, fetched ahead.
//
// Each batch of IDs comes from one server. While a server is down, the next one is asked; a call
// waits only when no ID is in the buffer.
package firn

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"sync"
	"time"
)

// ErrClosed is returned by a client that is closed.
var ErrClosed = errors.New("client: closed (expected: open)")

// UnavailableError is returned when no server issued an ID in time.
type UnavailableError struct {
	Failures map[string]string // the last failure, by address of the server
	message  string
}

func (e *UnavailableError) Error() string { return e.message }

// Config has the settings of a client. What is zero has its default.
type Config struct {
	Servers   []string          // such as http://firn-1:7608; asked in an order of the client's own
	Namespace string            // that IDs are drawn from
	Token     string            // the bearer token, if the servers ask for one
	Batch     int               // how many IDs a request fetches, 1..10000; 1000
	Timeout   time.Duration     // how long a server may take to answer; 1 s
	MaxWait   time.Duration     // how long a call waits when the buffer is empty; 5 s
	MaxAge    time.Duration     // when IDs in the buffer are dropped, at least twice the timeout; 10 s
	Transport http.RoundTripper // sends the requests; a copy of http.DefaultTransport
}

// Client draws the IDs of a namespace. It is safe for concurrent use.
type Client struct {
	config    Config
	http      http.Client
	mutex     sync.Mutex
	servers   []*server
	current   int
	buffer    []batch
	changed   chan struct{} // closed when a server answers or fails, and by Close
	waiting   int
	lastCall  time.Time
	refilling bool
	closed    bool
}

type batch struct {
	ids  []int64
	born time.Time
}

// New returns a client, which fetches its first batches in the background.
func New(config Config) (*Client, error) {
	orDefault(&config.Batch, 1000)
	orDefault(&config.Timeout, time.Second)
	orDefault(&config.MaxWait, 5*time.Second)
	orDefault(&config.MaxAge, 10*time.Second)
	switch {
	case len(config.Servers) == 0:
		return nil, errors.New("Servers: none (expected: a list of addresses)")
	case config.Namespace == "":
		return nil, errors.New("Namespace: none (expected: a name)")
	case strings.IndexFunc(config.Token, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0:
		return nil, errors.New("Token: not shown (expected: visible ASCII characters)")
	case config.Batch < 0 || config.Batch > 10000:
		return nil, fmt.Errorf("Batch: %d (expected: 1..10000)", config.Batch)
	case config.Timeout < 0 || config.MaxWait < 0:
		return nil, fmt.Errorf("Timeout, MaxWait: %v, %v (expected: over 0)", config.Timeout, config.MaxWait)
	case config.MaxAge < 2*config.Timeout:
		return nil, fmt.Errorf("MaxAge: %v (expected: at least twice the timeout)", config.MaxAge)
	case config.Transport == nil:
		config.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	c := &Client{config: config, changed: make(chan struct{}), lastCall: time.Now(), refilling: true,
		http: http.Client{Transport: config.Transport, Timeout: config.Timeout}}
	for _, address := range config.Servers {
		u, err := url.Parse(address)
		if err != nil || !strings.HasPrefix(u.Scheme, "http") || u.Host == "" || u.RawQuery != "" {
			return nil, fmt.Errorf(
				"Servers: %s (expected: http://HOST:PORT or https://HOST:PORT)", address)
		}
		c.servers = append(c.servers, &server{
			address: strings.TrimRight(address, "/"), last: failure{text: "no answer yet"}})
	}
	rand.New(rand.NewSource(time.Now().UnixNano())).Shuffle(len(c.servers), func(i, j int) {
		c.servers[i], c.servers[j] = c.servers[j], c.servers[i]
	})
	go c.refill()
	return c, nil
}

func orDefault[T int | time.Duration](setting *T, value T) {
	if *setting == 0 {
		*setting = value
	}
}

// NextID returns the next ID. It returns an *UnavailableError if no server issued one within
// MaxWait, or if each one refuses to, and the error of the context if that ends first.
func (c *Client) NextID(ctx context.Context) (int64, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	begin := time.Now()
	for now := begin; ; now = time.Now() {
		if c.closed {
			return 0, ErrClosed
		}
		c.lastCall = now
		id, found := c.take(now)
		if !c.refilling && c.isLacking(now) {
			c.refilling = true
			go c.refill()
		}
		if found {
			return id, nil
		}
		left := begin.Add(c.config.MaxWait).Sub(now)
		if err, refused := c.unavailable(now.Sub(begin)); refused || left <= 0 {
			return 0, err
		}
		c.waiting++
		c.await(ctx.Done(), time.After(left))
		c.waiting--
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
}

// await waits, without the mutex, until something has changed or the time is over.
func (c *Client) await(canceled <-chan struct{}, over <-chan time.Time) {
	changed := c.changed
	c.mutex.Unlock()
	defer c.mutex.Lock()
	select {
	case <-changed:
	case <-canceled:
	case <-over:
	}
}

// Close ends this client. IDs in the buffer are lost; no other client is given them.
func (c *Client) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.closed, c.buffer = true, nil
	c.notify()
	c.http.CloseIdleConnections()
}

func (c *Client) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Client) take(now time.Time) (int64, bool) {
	for len(c.buffer) > 0 {
		oldest := &c.buffer[0]
		if len(oldest.ids) > 0 && now.Sub(oldest.born) < c.config.MaxAge {
			id := oldest.ids[0]
			oldest.ids = oldest.ids[1:]
			return id, true
		}
		c.buffer = c.buffer[1:]
	}
	return 0, false
}

// isLacking leaves out batches of half the age: they are replaced before they are dropped.
func (c *Client) isLacking(now time.Time) bool {
	left := 0
	for _, b := range c.buffer {
		if now.Sub(b.born) < c.config.MaxAge/2 {
			left += len(b.ids)
		}
	}
	return left <= c.config.Batch
}

// refill fetches until the buffer is full, and ends when no call waits or came within MaxAge.
func (c *Client) refill() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	defer func() { c.refilling = false }()
	for now := time.Now(); !c.closed && c.isLacking(now); now = time.Now() {
		if c.waiting == 0 && now.Sub(c.lastCall) > c.config.MaxAge {
			return
		}
		next, pause := c.nextServer(now)
		if next == nil {
			c.await(nil, time.After(pause))
			continue
		}
		c.mutex.Unlock()
		ids, failed := next.fetch(&c.http, c.config)
		c.mutex.Lock()
		next.answered(failed, time.Now())
		if failed == nil {
			c.buffer = append(c.buffer, batch{ids, now})
		}
		c.notify()
	}
}

// nextServer returns the server that answered last, or the next one that may be asked. If
// none may, it returns for how long.
func (c *Client) nextServer(now time.Time) (*server, time.Duration) {
	shortest := maxRetryAfter
	for range c.servers {
		s := c.servers[c.current]
		pause := s.retryAt.Sub(now)
		if pause <= 0 {
			return s, 0
		}
		if pause < shortest {
			shortest = pause
		}
		c.current = (c.current + 1) % len(c.servers)
	}
	return nil, shortest
}

// unavailable returns the last failures, and whether each server refuses to issue these IDs.
func (c *Client) unavailable(waited time.Duration) (*UnavailableError, bool) {
	failures, refused := map[string]string{}, true
	var listed []string
	for _, s := range c.servers {
		failures[s.address] = s.last.text
		listed = append(listed, s.address+": "+s.last.text)
		refused = refused && s.last.refused
	}
	sort.Strings(listed)
	return &UnavailableError{failures, fmt.Sprintf("Namespace %s has no ID after %d ms: %s",
		c.config.Namespace, waited.Milliseconds(), strings.Join(listed, "; "))}, refused
}
