package firn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	minBackoff    = 100 * time.Millisecond
	maxBackoff    = 2 * time.Second
	maxRetryAfter = time.Minute
)

// server is a server, and how it answered last.
type server struct {
	address  string
	last     failure
	failures int // since it issued IDs
	retryAt  time.Time
}

// failure is an answer without IDs.
type failure struct {
	text       string
	refused    bool
	retryAfter time.Duration
}

// fetch requests a batch.
func (s *server) fetch(client *http.Client, set Config) ([]int64, *failure) {
	route := fmt.Sprintf("/v1/ids/%s?count=%d", url.PathEscape(set.Namespace), set.Batch)
	request, err := http.NewRequest(http.MethodGet, s.address+route, nil)
	if err != nil {
		return nil, &failure{text: err.Error()}
	}
	request.Header.Set("Accept", "text/plain")
	if set.Token != "" {
		request.Header.Set("Authorization", "Bearer "+set.Token)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, &failure{text: errors.Unwrap(err).Error()} // without the address
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, &failure{text: err.Error()}
	}
	if answer.StatusCode != http.StatusOK {
		return nil, failureOf(answer, body)
	}
	var ids []int64
	for _, line := range strings.SplitAfter(string(body), "\n") {
		if id, err := strconv.ParseInt(strings.TrimSuffix(line, "\n"), 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	if len(ids) != set.Batch || !strings.HasSuffix(string(body), "\n") {
		return nil, &failure{text: fmt.Sprintf("%.40q (expected: %d IDs, one a line)", body, set.Batch)}
	}
	return ids, nil
}

func failureOf(answer *http.Response, body []byte) *failure {
	problem := struct{ Detail string }{string(body)}
	_ = json.Unmarshal(body, &problem) // else the body says it
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	if longest := int(maxRetryAfter.Seconds()); seconds > longest {
		seconds = longest
	}
	status := answer.StatusCode
	return &failure{
		text:       fmt.Sprintf("%d %.200s", status, problem.Detail),
		refused:    status >= 400 && status < 500 && status != 408 && status != 429,
		retryAfter: time.Duration(seconds) * time.Second,
	}
}

// answered notes how the server answered. After a failure the client backs off from it, twice as
// long each time, and at least as long as it asked for.
func (s *server) answered(failed *failure, now time.Time) {
	if failed == nil {
		s.last, s.failures = failure{text: "no answer yet"}, 0
		return
	}
	backoff := maxBackoff
	if s.failures < 5 {
		backoff = minBackoff << s.failures
	}
	s.failures++
	backoff = backoff/2 + time.Duration(now.UnixNano())%(backoff/2)
	if failed.retryAfter > backoff {
		backoff = failed.retryAfter
	}
	s.last, s.retryAt = *failed, now.Add(backoff)
}
