package main

import (
	"context"
	"net/http"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoInput struct {
	Message string `json:"message" jsonschema:"what to say"`
}

func serveSDK(transport string) {
	server := mcp.NewServer(&mcp.Implementation{Name: "interop-go-sdk", Version: "0.0.0"}, nil)
	echo := func(_ context.Context, _ *mcp.CallToolRequest, in echoInput) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Message}}}, nil, nil
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Says back what it is given."}, echo)
	if transport == "stdio" {
		_ = server.Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	options := &mcp.StreamableHTTPOptions{Stateless: transport == "http-stateless"}
	listen(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options))
}

func connectSDK(job Job) (found Found, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), seconds(job.Timeout))
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "interop-go-sdk", Version: "0.0.0"}, nil)
	var transport mcp.Transport
	if job.URL != "" {
		transport = &mcp.StreamableClientTransport{Endpoint: job.URL}
	} else {
		transport = &mcp.CommandTransport{Command: exec.Command(job.Command[0], job.Command[1:]...)}
	}
	options := &mcp.ClientSessionOptions{}
	if job.Mode == "legacy" {
		options.ProtocolVersion = "2025-11-25"
	}
	session, err := client.Connect(ctx, transport, options)
	if err != nil {
		return found, err
	}
	defer session.Close()
	found.Version = session.InitializeResult().ProtocolVersion
	if !job.Calls {
		return found, nil
	}
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return found, err
	}
	for _, tool := range listed.Tools {
		found.Tools = append(found.Tools, tool.Name)
	}
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "hello"}})
	if err != nil {
		return found, err
	}
	if len(answer.Content) > 0 {
		if text, ok := answer.Content[0].(*mcp.TextContent); ok {
			found.Echo = text.Text
		}
	}
	return found, nil
}
