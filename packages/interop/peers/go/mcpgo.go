package main

import (
	"context"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func serveMCPGo(carriage string) {
	host := server.NewMCPServer("interop-mcp-go", "0.0.0", server.WithToolCapabilities(false))
	echo := mcp.NewTool("echo", mcp.WithDescription("Says back what it is given."), mcp.WithString("message", mcp.Required()))
	host.AddTool(echo, func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(request.GetString("message", "")), nil
	})
	if carriage == "stdio" {
		_ = server.ServeStdio(host)
		return
	}
	listen(server.NewStreamableHTTPServer(host, server.WithStateLess(carriage == "http-stateless")))
}

func connectMCPGo(job Job) (found Found, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), seconds(job.Timeout))
	defer cancel()
	var carrier transport.Interface
	if job.URL != "" {
		carrier, err = transport.NewStreamableHTTP(job.URL)
		if err != nil {
			return found, err
		}
	} else {
		carrier = transport.NewStdio(job.Command[0], nil, job.Command[1:]...)
	}
	options := []client.ClientOption{}
	if job.Mode == "legacy" {
		options = append(options, client.WithProtocolVersion("2025-11-25"))
	}
	if job.Probe > 0 {
		options = append(options, client.WithDiscoverTimeout(seconds(job.Probe)))
	}
	peer := client.NewClient(carrier, options...)
	if err = peer.Start(context.Background()); err != nil {
		return found, err
	}
	defer peer.Close()
	request := mcp.InitializeRequest{}
	request.Params.ClientInfo = mcp.Implementation{Name: "interop-mcp-go", Version: "0.0.0"}
	if job.Mode == "legacy" {
		request.Params.ProtocolVersion = "2025-11-25"
	}
	if _, err = peer.Initialize(ctx, request); err != nil {
		return found, err
	}
	found.Version = peer.ProtocolVersion()
	if !job.Calls {
		return found, nil
	}
	listed, err := peer.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return found, err
	}
	for _, tool := range listed.Tools {
		found.Tools = append(found.Tools, tool.Name)
	}
	call := mcp.CallToolRequest{}
	call.Params.Name = "echo"
	call.Params.Arguments = map[string]any{"message": "hello"}
	answer, err := peer.CallTool(ctx, call)
	if err != nil {
		return found, err
	}
	if len(answer.Content) > 0 {
		if text, ok := answer.Content[0].(mcp.TextContent); ok {
			found.Echo = text.Text
		}
	}
	return found, nil
}
