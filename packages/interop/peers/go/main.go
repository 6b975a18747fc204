// A small MCP server and a client under orders, on either Go library. The contracts are those of ../python.
//
//	peer server sdk|mcp-go stdio|http|http-stateless
//	peer client sdk|mcp-go
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Job is what a client is asked to do once. Times are in seconds.
type Job struct {
	ID      int      `json:"id"`
	Mode    string   `json:"mode"`
	URL     string   `json:"url"`
	Command []string `json:"command"`
	Timeout float64  `json:"timeout"`
	Probe   float64  `json:"probe"`
	Calls   bool     `json:"calls"`
}

// Found is what a client that connected has to tell.
type Found struct {
	Version string
	Tools   []string
	Echo    string
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "peer server|client sdk|mcp-go [TRANSPORT]")
		os.Exit(2)
	}
	role, library := os.Args[1], os.Args[2]
	switch {
	case role == "server" && library == "sdk":
		serveSDK(os.Args[3])
	case role == "server":
		serveMCPGo(os.Args[3])
	case library == "sdk":
		obey(connectSDK)
	default:
		obey(connectMCPGo)
	}
}

// listen serves a handler on a free loopback port, announces it, and ends with standard input.
func listen(handler http.Handler) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	fmt.Printf("{\"url\":\"http://%s/mcp\"}\n", listener.Addr())
	panic(http.Serve(listener, mux))
}

func obey(connect func(Job) (Found, error)) {
	var all sync.WaitGroup
	var out sync.Mutex
	room := make(chan struct{}, 8)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var job Job
		if json.Unmarshal(lines.Bytes(), &job) != nil {
			continue
		}
		all.Add(1)
		go func() {
			defer all.Done()
			room <- struct{}{}
			defer func() { <-room }()
			found, err := connect(job)
			end := map[string]any{"id": job.ID, "outcome": "established", "version": found.Version}
			if err != nil {
				end = map[string]any{"id": job.ID, "outcome": "failed", "error": nameOf(err)}
			} else if job.Calls {
				end["tools"], end["echo"] = found.Tools, found.Echo
			} else {
				// To close at once would take back what the handshake still has to say.
				time.Sleep(300 * time.Millisecond)
			}
			text, _ := json.Marshal(end)
			out.Lock()
			defer out.Unlock()
			fmt.Printf("%s\n", text)
		}()
	}
	all.Wait()
}

// nameOf gives the kind of the innermost error.
func nameOf(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return fmt.Sprintf("%T", err)
		}
		err = inner
	}
}

func seconds(value float64) time.Duration { return time.Duration(value * float64(time.Second)) }
