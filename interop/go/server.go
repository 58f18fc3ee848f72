package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// catalogue is what every server of the matrix offers; it comes as JSON in INTEROP_CATALOGUE.
var catalogue struct {
	PNG, WAV, PLAIN, BYTES, TEMPLATE, PAGE string
	NAMES                                  []string
	EMBEDDED                               mcp.ResourceContents
	NAMEFORM                               map[string]any `json:"NAME_FORM"`
	QUESTION                               mcp.CreateMessageParams
}

const pageSize = 5

func serve(ctx context.Context, transport, era string) error {
	if err := json.Unmarshal([]byte(os.Getenv("INTEROP_CATALOGUE")), &catalogue); err != nil {
		return err
	}
	server := createServer()
	if transport == "stdio" {
		return server.Run(ctx, &mcp.StdioTransport{})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	path := "mcp"
	getServer := func(*http.Request) *mcp.Server { return server }
	// The modern revision is served only by a handler without sessions.
	var handler http.Handler = mcp.NewStreamableHTTPHandler(getServer, &mcp.StreamableHTTPOptions{
		Stateless:                    era == "modern",
		JSONResponse:                 transport == "http-json",
		PropagateRequestCancellation: true,
	})
	if transport == "sse" {
		path, handler = "sse", mcp.NewSSEHandler(getServer, nil)
	}
	fmt.Printf("http://%s/%s\n", listener.Addr(), path)
	return http.Serve(listener, handler)
}

func createServer() *mcp.Server {
	accept := func(context.Context, *mcp.SubscribeRequest) error { return nil }
	leave := func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1.0.0"}, &mcp.ServerOptions{
		PageSize:           pageSize,
		SubscribeHandler:   accept,
		UnsubscribeHandler: leave,
		CompletionHandler:  complete,
	})
	addTools(server)
	addContents(server)
	return server
}

func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	for _, name := range catalogue.NAMES {
		if strings.HasPrefix(name, req.Params.Argument.Value) {
			values = append(values, name)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}

func addContents(server *mcp.Server) {
	text := func(value func(uri string) string) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := req.Params.URI
			contents := &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: value(uri)}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
		}
	}
	server.AddResource(&mcp.Resource{Name: "plain", URI: "note://plain", MIMEType: "text/plain"},
		text(func(string) string { return catalogue.PLAIN }))
	server.AddResource(&mcp.Resource{Name: "watched", URI: "note://watched", MIMEType: "text/plain"},
		text(func(string) string { return "watched" }))
	server.AddResource(&mcp.Resource{Name: "bytes", URI: "note://bytes"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			blob, err := base64.StdEncoding.DecodeString(catalogue.BYTES)
			contents := &mcp.ResourceContents{URI: req.Params.URI, Blob: blob}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, err
		})
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "item", URITemplate: catalogue.TEMPLATE, MIMEType: "text/plain"},
		text(func(uri string) string { return "Item " + strings.TrimPrefix(uri, "note://item/") }))
	server.AddPrompt(&mcp.Prompt{
		Name:        "greet",
		Description: "Greets somebody.",
		Arguments:   []*mcp.PromptArgument{{Name: "name", Required: true}},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		name, isThere := req.Params.Arguments["name"]
		if !isThere {
			return nil, errors.New("name is missing")
		}
		content := &mcp.TextContent{Text: fmt.Sprintf("Please greet %s.", name)}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: content}}}, nil
	})
}
