package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// start is the first line of the input; what follows are commands. See clients/driven.js.
type start struct {
	Target struct {
		Command, URL, Kind string
		Args               []string
		Env                map[string]string
	}
	Era, Revision string
	Answers       struct {
		Form, Visit mcp.ElicitResult
		Sample      mcp.CreateMessageResult
		Roots       mcp.ListRootsResult
	}
}

type command struct {
	ID     int
	Verb   string
	Args   []json.RawMessage
	Cancel *int
}

type driver struct {
	session *mcp.ClientSession
	isLater bool
	cancels sync.Map
	output  sync.Mutex
}

func (d *driver) tell(message map[string]any) {
	line, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	d.output.Lock()
	defer d.output.Unlock()
	fmt.Println(string(line))
}

func drive(ctx context.Context) error {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	line, err := input.ReadBytes('\n')
	if err != nil {
		return err
	}
	var first start
	if err := json.Unmarshal(line, &first); err != nil {
		return err
	}
	if first.Revision == "" {
		first.Revision = map[string]string{"legacy": lastLegacy, "modern": firstModern}[first.Era]
	}
	d := &driver{isLater: first.Revision >= firstModern}
	options := &mcp.ClientSessionOptions{ProtocolVersion: first.Revision}
	d.session, err = d.newClient(&first).Connect(ctx, openTarget(&first), options)
	if err != nil {
		d.tell(map[string]any{"id": 0, "error": err.Error()})
		return nil
	}
	d.tell(map[string]any{"id": 0, "result": d.session.InitializeResult().ProtocolVersion})
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return d.session.Close()
		}
		var next command
		if err := json.Unmarshal(line, &next); err != nil {
			return err
		}
		if next.Cancel == nil {
			go d.answer(ctx, next)
		} else if cancel, isThere := d.cancels.Load(*next.Cancel); isThere {
			cancel.(context.CancelFunc)()
		}
	}
}

func openTarget(first *start) mcp.Transport {
	target := first.Target
	if target.Command != "" {
		child := exec.Command(target.Command, target.Args...)
		child.Env = os.Environ()
		for name, value := range target.Env {
			child.Env = append(child.Env, name+"="+value)
		}
		return &mcp.CommandTransport{Command: child}
	}
	if target.Kind == "sse" {
		return &mcp.SSEClientTransport{Endpoint: target.URL}
	}
	return &mcp.StreamableClientTransport{Endpoint: target.URL}
}

func (d *driver) newClient(first *start) *mcp.Client {
	answers := first.Answers
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1.0.0"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{
			RootsV2: &mcp.RootCapabilities{ListChanged: true},
			Elicitation: &mcp.ElicitationCapabilities{
				Form: &mcp.FormElicitationCapabilities{},
				URL:  &mcp.URLElicitationCapabilities{},
			},
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &answers.Sample, nil
		},
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if req.Params.Mode == "url" {
				return &answers.Visit, nil
			}
			return &answers.Form, nil
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			d.tell(map[string]any{"event": "log", "params": req.Params})
		},
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			d.tell(map[string]any{"event": "updated", "uri": req.Params.URI})
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			d.tell(map[string]any{"event": "toolsChanged"})
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			d.tell(map[string]any{"event": "progress", "call": req.Params.ProgressToken, "params": req.Params})
		},
	})
	client.AddRoots(answers.Roots.Roots...)
	return client
}

func (d *driver) answer(ctx context.Context, next command) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.cancels.Store(next.ID, cancel)
	defer d.cancels.Delete(next.ID)
	result, err := d.perform(ctx, next)
	if err != nil {
		d.tell(map[string]any{"id": next.ID, "error": err.Error()})
		return
	}
	d.tell(map[string]any{"id": next.ID, "result": result})
}

func (d *driver) perform(ctx context.Context, next command) (any, error) {
	var name string
	if len(next.Args) > 0 {
		// The first argument is a name or a URI, except for `complete`.
		_ = json.Unmarshal(next.Args[0], &name)
	}
	switch next.Verb {
	case "listTools":
		return collect(d.session.Tools(ctx, nil))
	case "listResources":
		return collect(d.session.Resources(ctx, nil))
	case "listTemplates":
		return collect(d.session.ResourceTemplates(ctx, nil))
	case "listPrompts":
		return collect(d.session.Prompts(ctx, nil))
	case "callTool":
		params := &mcp.CallToolParams{Name: name, Arguments: next.Args[1]}
		params.SetProgressToken(next.ID)
		if d.isLater {
			params.Meta["io.modelcontextprotocol/logLevel"] = "info"
		}
		return d.session.CallTool(ctx, params)
	case "readResource":
		return d.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: name})
	case "getPrompt":
		params := &mcp.GetPromptParams{Name: name}
		if err := json.Unmarshal(next.Args[1], &params.Arguments); err != nil {
			return nil, err
		}
		return d.session.GetPrompt(ctx, params)
	case "complete":
		params := &mcp.CompleteParams{Ref: &mcp.CompleteReference{}}
		if err := errors.Join(json.Unmarshal(next.Args[0], params.Ref), json.Unmarshal(next.Args[1], &params.Argument)); err != nil {
			return nil, err
		}
		return d.session.Complete(ctx, params)
	case "askForLogs":
		if d.isLater {
			return nil, nil
		}
		return nil, d.session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"})
	case "watch":
		return nil, d.session.Subscribe(ctx, &mcp.SubscribeParams{URI: name})
	case "unwatch":
		return nil, d.session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: name})
	case "watchTools", "unwatchTools":
		// The handler was set when the client was created.
		return nil, nil
	}
	return nil, fmt.Errorf("unknown verb %s", next.Verb)
}

func collect[Item any](items func(func(*Item, error) bool)) (any, error) {
	all := []*Item{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}
