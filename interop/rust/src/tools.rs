//! The tools of the catalogue. Those that ask the client do so in the way of the request's own era.
use std::{sync::atomic::Ordering::SeqCst, time::Duration};

use rmcp::{model::*, service::RequestContext, ErrorData, RoleServer};
use serde_json::{json, Value};

use crate::server::{model, Catalogue, PROGRESS_PAUSE};

/// The names and the types of the arguments.
fn arguments_of(name: &str) -> Value {
    match name {
        "add" => json!({ "a": { "type": "number" }, "b": { "type": "number" } }),
        "big" => json!({ "bytes": { "type": "number" } }),
        "count" => json!({ "to": { "type": "number" } }),
        "echo" => json!({ "text": { "type": "string" } }),
        "slow" => json!({ "ms": { "type": "number" } }),
        _ => json!({}),
    }
}

fn schema(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().map(|members| members.keys().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": properties, "required": required })
}

pub fn list(catalogue: &Catalogue) -> Vec<Value> {
    let mut names: Vec<String> = serde_json::from_value(catalogue.content["TOOLS"].clone()).unwrap_or_default();
    if catalogue.has_grown.load(SeqCst) {
        names.push("grown".into());
    }
    let describe = |name: String| {
        let mut tool = json!({ "name": name, "inputSchema": schema(arguments_of(&name)) });
        if name == "add" {
            tool["outputSchema"] = schema(json!({ "sum": { "type": "number" } }));
        }
        tool
    };
    names.into_iter().map(describe).collect()
}

fn check(name: &str, given: &Value) -> Result<(), ErrorData> {
    for (member, schema) in arguments_of(name).as_object().into_iter().flatten() {
        let is_fit = if schema["type"] == "string" { given[member].is_string() } else { given[member].is_number() };
        if !is_fit {
            return Err(ErrorData::invalid_params(format!("{member} must be a {}", schema["type"]), None));
        }
    }
    Ok(())
}

fn text(value: impl Into<Value>) -> Value {
    json!({ "content": [{ "type": "text", "text": value.into() }] })
}

pub async fn call(
    catalogue: &Catalogue,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let given = json!(request.arguments);
    check(&request.name, &given)?;
    let content = &catalogue.content;
    let result = match request.name.as_ref() {
        "echo" => text(given["text"].clone()),
        "add" => {
            let sum = json!({ "sum": given["a"].as_f64().unwrap_or(0.0) + given["b"].as_f64().unwrap_or(0.0) });
            let mut result = text(sum.to_string());
            result["structuredContent"] = sum;
            result
        }
        "picture" => json!({ "content": [{ "type": "image", "data": content["PNG"], "mimeType": "image/png" }] }),
        "sound" => json!({ "content": [{ "type": "audio", "data": content["WAV"], "mimeType": "audio/wav" }] }),
        "embedded" => json!({ "content": [{ "type": "resource", "resource": content["EMBEDDED"] }] }),
        "fail" => {
            let mut result = text("It failed on purpose.");
            result["isError"] = json!(true);
            result
        }
        "big" => text("é".repeat(given["bytes"].as_f64().unwrap_or(0.0) as usize / 2)),
        "count" => count(given["to"].as_f64().unwrap_or(0.0), &context).await?,
        "slow" => {
            tokio::time::sleep(Duration::from_millis(given["ms"].as_f64().unwrap_or(0.0) as u64)).await;
            text("slept")
        }
        "wait" => {
            context.ct.cancelled().await;
            catalogue.stopped.fetch_add(1, SeqCst);
            text("stopped")
        }
        "stopped" => text(catalogue.stopped.load(SeqCst).to_string()),
        "ask" | "visit" | "think" | "where" => return ask(catalogue, request, context).await,
        "shout" => {
            let message = model(json!({ "level": "info", "data": "A message from the server" }))?;
            context.peer.notify_logging_message(message).await.map_err(internal)?;
            text("shouted")
        }
        "touch" => {
            touch(catalogue, &context).await?;
            text("touched")
        }
        "grow" => {
            grow(catalogue, &context).await?;
            text("more")
        }
        "grown" => text("grown"),
        name => return Err(ErrorData::invalid_params(format!("no such tool: {name}"), None)),
    };
    Ok(model::<CallToolResult>(result)?.into())
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

async fn count(to: f64, context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    let token = context.meta.get_progress_token();
    let mut step = 0.0;
    while step < to && token.is_some() {
        step += 1.0;
        let progress = model(json!({ "progressToken": token, "progress": step, "total": to }))?;
        context.peer.notify_progress(progress).await.map_err(internal)?;
        tokio::time::sleep(PROGRESS_PAUSE).await;
    }
    Ok(text("counted"))
}

async fn touch(catalogue: &Catalogue, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let uri = "note://watched";
    if !is_modern(context) {
        if catalogue.subscribed.lock().unwrap().contains(uri) {
            context.peer.notify_resource_updated(model(json!({ "uri": uri }))?).await.map_err(internal)?;
        }
        return Ok(());
    }
    let listeners = catalogue.listeners.lock().unwrap().clone();
    for sink in listeners {
        // A subscription without this kind of notification rejects it.
        let _ = sink.notify_resource_updated(uri).await;
    }
    Ok(())
}

async fn grow(catalogue: &Catalogue, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    catalogue.has_grown.store(true, SeqCst);
    if !is_modern(context) {
        return context.peer.notify_tool_list_changed().await.map_err(internal);
    }
    let listeners = catalogue.listeners.lock().unwrap().clone();
    for sink in listeners {
        let _ = sink.notify_tool_list_changed().await;
    }
    Ok(())
}

async fn ask(
    catalogue: &Catalogue,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let content = &catalogue.content;
    let mut question = match request.name.as_ref() {
        "ask" => json!({
            "method": "elicitation/create",
            "params": { "mode": "form", "message": "Your name?", "requestedSchema": content["NAME_FORM"] },
        }),
        "visit" => json!({
            "method": "elicitation/create",
            "params": { "mode": "url", "message": "Please visit", "url": content["PAGE"] },
        }),
        "think" => json!({ "method": "sampling/createMessage", "params": content["QUESTION"] }),
        _ => json!({ "method": "roots/list" }),
    };
    let answer = if !is_modern(&context) {
        let params = &mut question["params"];
        match request.name.as_ref() {
            "think" => json!(context.peer.create_message(model(params.take())?).await.map_err(internal)?),
            "where" => json!(context.peer.list_roots().await.map_err(internal)?),
            name => {
                if name == "visit" {
                    params["elicitationId"] = json!("visit-1");
                }
                json!(context.peer.create_elicitation(model(params.take())?).await.map_err(internal)?)
            }
        }
    } else if let Some(answer) = request.input_responses.and_then(|mut answers| answers.remove("question")) {
        answer
    } else {
        let mut requests = InputRequests::new();
        requests.insert("question".into(), model(question)?);
        return Ok(InputRequiredResult::new(Some(requests), None).into());
    };
    let plain = |value: &Value| value.as_str().unwrap_or("nothing").to_string();
    let said = match request.name.as_ref() {
        "ask" => format!("{} {}", plain(&answer["action"]), plain(&answer["content"]["name"])),
        "visit" => plain(&answer["action"]),
        "think" => plain(&answer["content"]["text"]),
        _ => plain(&answer["roots"][0]["uri"]),
    };
    Ok(model::<CallToolResult>(text(said))?.into())
}
