package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	lastLegacy  = "2025-11-25"
	firstModern = "2026-07-28"
)

// Clients may lose progress that arrives in one chunk with the result, so there is a pause between them.
const progressPause = 20 * time.Millisecond

var stopped atomic.Int64

type none struct{}

func text(value string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: value}}}
}

func add[In any](server *mcp.Server, name string, run func(context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, error)) {
	tool := &mcp.Tool{Name: name, Description: "The tool " + name + "."}
	mcp.AddTool(server, tool, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		result, err := run(ctx, req, in)
		return result, nil, err
	})
}

func addFixed(server *mcp.Server, name string, content mcp.Content) {
	add(server, name, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{content}}, nil
	})
}

func addTools(server *mcp.Server) {
	type echoed struct {
		Text string `json:"text"`
	}
	type summands struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	type sum struct {
		Sum float64 `json:"sum"`
	}
	add(server, "echo", func(_ context.Context, _ *mcp.CallToolRequest, in echoed) (*mcp.CallToolResult, error) {
		return text(in.Text), nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.CallToolRequest, in summands) (*mcp.CallToolResult, sum, error) {
		return nil, sum{in.A + in.B}, nil
	})
	addFixed(server, "picture", &mcp.ImageContent{Data: decode(catalogue.PNG), MIMEType: "image/png"})
	addFixed(server, "sound", &mcp.AudioContent{Data: decode(catalogue.WAV), MIMEType: "audio/wav"})
	addFixed(server, "embedded", &mcp.EmbeddedResource{Resource: &catalogue.EMBEDDED})
	add(server, "fail", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		return nil, errors.New("It failed on purpose.")
	})
	addTimed(server)
	addAsking(server)
	add(server, "shout", func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "A message from the server"})
		return text("shouted"), err
	})
	add(server, "touch", func(ctx context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		err := server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "note://watched"})
		return text("touched"), err
	})
	add(server, "grow", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		addFixed(server, "grown", &mcp.TextContent{Text: "grown"})
		return text("more"), nil
	})
}

func addTimed(server *mcp.Server) {
	type size struct {
		Bytes int `json:"bytes"`
	}
	type limit struct {
		To int `json:"to"`
	}
	type duration struct {
		Ms int `json:"ms"`
	}
	add(server, "big", func(_ context.Context, _ *mcp.CallToolRequest, in size) (*mcp.CallToolResult, error) {
		return text(strings.Repeat("é", in.Bytes/2)), nil
	})
	add(server, "count", func(ctx context.Context, req *mcp.CallToolRequest, in limit) (*mcp.CallToolResult, error) {
		token := req.Params.GetProgressToken()
		for step := 1; step <= in.To && token != nil; step++ {
			progress := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(step), Total: float64(in.To)}
			// If it can't be delivered, the check fails.
			_ = req.Session.NotifyProgress(ctx, progress)
			time.Sleep(progressPause)
		}
		return text("counted"), nil
	})
	add(server, "slow", func(_ context.Context, _ *mcp.CallToolRequest, in duration) (*mcp.CallToolResult, error) {
		time.Sleep(time.Duration(in.Ms) * time.Millisecond)
		return text("slept"), nil
	})
	add(server, "wait", func(ctx context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		stopped.Add(1)
		return nil, ctx.Err()
	})
	add(server, "stopped", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		return text(strconv.FormatInt(stopped.Load(), 10)), nil
	})
}

// addAsking adds the tools that ask the client: by a request of their own in the legacy era, by a result in the modern one.
func addAsking(server *mcp.Server) {
	form := func() *mcp.ElicitParams {
		return &mcp.ElicitParams{Mode: "form", Message: "Your name?", RequestedSchema: catalogue.NAMEFORM}
	}
	page := func(isModern bool) *mcp.ElicitParams {
		params := &mcp.ElicitParams{Mode: "url", Message: "Please visit", URL: catalogue.PAGE}
		if !isModern {
			params.ElicitationID = "visit-1"
		}
		return params
	}
	add(server, "ask", func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		return elicit(ctx, req, form(), func(answer *mcp.ElicitResult) string {
			return fmt.Sprintf("%s %v", answer.Action, answer.Content["name"])
		})
	})
	add(server, "visit", func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		return elicit(ctx, req, page(req.ProtocolVersion() >= firstModern), func(answer *mcp.ElicitResult) string {
			return answer.Action
		})
	})
	add(server, "think", func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		question := catalogue.QUESTION
		answer, asked, err := ask(req, &question, func() (*mcp.CreateMessageResult, error) {
			return req.Session.CreateMessage(ctx, &question)
		})
		if answer == nil || err != nil {
			return asked, err
		}
		return text(answer.Content.(*mcp.TextContent).Text), nil
	})
	add(server, "where", func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		answer, asked, err := ask(req, &mcp.ListRootsParams{}, func() (*mcp.ListRootsResult, error) {
			return req.Session.ListRoots(ctx, &mcp.ListRootsParams{})
		})
		if answer == nil || err != nil {
			return asked, err
		}
		uris := []string{}
		for _, root := range answer.Roots {
			uris = append(uris, root.URI)
		}
		return text(strings.Join(uris, " ")), nil
	})
}

func elicit(ctx context.Context, req *mcp.CallToolRequest, params *mcp.ElicitParams, done func(*mcp.ElicitResult) string) (*mcp.CallToolResult, error) {
	answer, asked, err := ask(req, params, func() (*mcp.ElicitResult, error) { return req.Session.Elicit(ctx, params) })
	if answer == nil || err != nil {
		return asked, err
	}
	return text(done(answer)), nil
}

// ask returns the answer, or the input_required result.
func ask[Result any](req *mcp.CallToolRequest, question mcp.InputRequest, now func() (*Result, error)) (*Result, *mcp.CallToolResult, error) {
	if req.ProtocolVersion() < firstModern {
		answer, err := now()
		return answer, nil, err
	}
	if given, isThere := req.Params.InputResponses["question"]; isThere {
		if sampled, isSampled := given.(*mcp.CreateMessageWithToolsResult); isSampled && len(sampled.Content) == 1 {
			given = &mcp.CreateMessageResult{Content: sampled.Content[0], Model: sampled.Model, Role: sampled.Role}
		}
		answer, isFit := any(given).(*Result)
		if !isFit {
			return nil, nil, fmt.Errorf("an answer of the wrong kind: %T", given)
		}
		return answer, nil, nil
	}
	return nil, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"question": question}}, nil
}

func decode(value string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		panic(err)
	}
	return bytes
}
