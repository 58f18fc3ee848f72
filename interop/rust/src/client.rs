//! The Rust SDK's client, driven from outside by the commands that clients/driven.js describes.
use std::{
    collections::HashMap,
    sync::{
        atomic::{AtomicI64, Ordering::SeqCst},
        Arc, Mutex,
    },
};

use rmcp::{
    model::*,
    service::{NotificationContext, RequestContext, RunningService},
    transport::{ConfigureCommandExt, StreamableHttpClientTransport, TokioChildProcess},
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient,
};
use serde_json::{json, Value};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
    task::JoinHandle,
};

use crate::{server::model, Failure};

fn tell(message: Value) {
    println!("{message}");
}

#[derive(Clone)]
struct Driver {
    start: Arc<Value>,
    /// Whether it declares tasks, and sees them through.
    has_tasks: bool,
    /// The SDK chooses the progress tokens itself; progress belongs to the last call.
    last_call: Arc<AtomicI64>,
}

impl Driver {
    fn is_modern(&self) -> bool {
        self.start["era"] == "modern"
    }

    fn revision(&self) -> String {
        let latest = if self.is_modern() { "2026-07-28" } else { "2025-11-25" };
        self.start["revision"].as_str().unwrap_or(latest).to_string()
    }
}

impl ClientHandler for Driver {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities =
            json!({ "sampling": {}, "elicitation": { "form": {}, "url": {} }, "roots": { "listChanged": true } });
        if self.has_tasks {
            capabilities["extensions"] = json!({ "io.modelcontextprotocol/tasks": {} });
        }
        let mut info = ClientConfig::new(
            serde_json::from_value(capabilities).expect("capabilities"),
            Implementation::new("rust", "1.0.0"),
        );
        info.protocol_version = serde_json::from_value(json!(self.revision())).expect("a version");
        info
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        model(self.start["answers"]["sample"].clone())
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        model(self.start["answers"]["roots"].clone())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let kind = if json!(request)["mode"] == "url" { "visit" } else { "form" };
        model(self.start["answers"][kind].clone())
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        tell(json!({ "event": "progress", "call": self.last_call.load(SeqCst), "params": params }));
    }

    async fn on_logging_message(&self, params: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        tell(json!({ "event": "log", "params": params }));
    }

    async fn on_resource_updated(&self, params: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        tell(json!({ "event": "updated", "uri": params.uri }));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        tell(json!({ "event": "toolsChanged" }));
    }
}

type Running = RunningService<RoleClient, Driver>;

async fn connect(driver: Driver) -> Result<Running, Failure> {
    let version: ProtocolVersion = serde_json::from_value(json!(driver.revision()))?;
    let lifecycle = if driver.is_modern() {
        ClientLifecycleMode::Discover { preferred_versions: vec![version] }
    } else {
        ClientLifecycleMode::Initialize
    };
    let target = driver.start["target"].clone();
    let Some(program) = target["command"].as_str() else {
        let transport = StreamableHttpClientTransport::from_uri(target["url"].as_str().unwrap_or_default());
        return Ok(driver.serve_with_lifecycle(transport, lifecycle).await?);
    };
    let arguments: Vec<String> = serde_json::from_value(target["args"].clone())?;
    let environment: HashMap<String, String> = serde_json::from_value(target["env"].clone())?;
    let transport = TokioChildProcess::new(Command::new(program).configure(|command| {
        command.args(arguments).envs(environment);
    }))?;
    Ok(driver.serve_with_lifecycle(transport, lifecycle).await?)
}

pub async fn drive(has_tasks: bool) -> Result<(), Failure> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let start = lines.next_line().await?.ok_or("no first line")?;
    let driver = Driver { start: Arc::new(serde_json::from_str(&start)?), has_tasks, last_call: Arc::default() };
    let running = match connect(driver.clone()).await {
        Ok(running) => Arc::new(running),
        Err(error) => {
            tell(json!({ "id": 0, "error": error.to_string() }));
            return Ok(());
        }
    };
    let version = running.peer_info().map(|info| info.protocol_version.to_string());
    tell(json!({ "id": 0, "result": version }));
    let tasks: Arc<Mutex<HashMap<i64, JoinHandle<()>>>> = Arc::default();
    let watches: Watches = Arc::default();
    while let Some(line) = lines.next_line().await? {
        let command: Value = serde_json::from_str(&line)?;
        if let Some(id) = command["cancel"].as_i64() {
            // A request whose future is dropped is cancelled.
            if let Some(task) = tasks.lock().unwrap().remove(&id) {
                task.abort();
                tell(json!({ "id": id, "error": "cancelled" }));
            }
            continue;
        }
        let id = command["id"].as_i64().unwrap_or_default();
        let (driver, running, watches, finished) = (driver.clone(), running.clone(), watches.clone(), tasks.clone());
        let task = tokio::spawn(async move {
            let outcome = perform(&driver, &running, &watches, id, &command).await;
            finished.lock().unwrap().remove(&id);
            tell(match outcome {
                Ok(result) => json!({ "id": id, "result": result }),
                Err(error) => json!({ "id": id, "error": error.to_string() }),
            });
        });
        tasks.lock().unwrap().insert(id, task);
    }
    watches.lock().unwrap().clear();
    if let Ok(running) = Arc::try_unwrap(running) {
        running.cancel().await?;
    }
    Ok(())
}

type Watches = Arc<Mutex<HashMap<String, JoinHandle<()>>>>;

async fn perform(
    driver: &Driver,
    running: &Running,
    watches: &Watches,
    id: i64,
    command: &Value,
) -> Result<Value, Failure> {
    let arguments = &command["args"];
    let name = arguments[0].as_str().unwrap_or_default().to_string();
    Ok(match command["verb"].as_str().unwrap_or_default() {
        "listTools" => json!(running.list_all_tools().await?),
        "listResources" => json!(running.list_all_resources().await?),
        "listTemplates" => json!(running.list_all_resource_templates().await?),
        "listPrompts" => json!(running.list_all_prompts().await?),
        "callTool" if driver.has_tasks => match start_call(running, &name, &arguments[1]).await? {
            CallToolResponse::Task(created) => see_through(driver, running, &created.task.task_id).await?,
            CallToolResponse::Complete(result) => json!(result),
            _ => return Err("the call asked for input".into()),
        },
        "startTask" => match start_call(running, &name, &arguments[1]).await? {
            CallToolResponse::Task(created) => json!(created.task),
            _ => return Err("the call was no task".into()),
        },
        "taskState" => json!(running.get_task(serde_json::from_value(json!({ "taskId": name }))?).await?),
        "cancelTask" => json!(running.cancel_task(serde_json::from_value(json!({ "taskId": name }))?).await?),
        "callTool" => {
            driver.last_call.store(id, SeqCst);
            let mut params = json!({ "name": name, "arguments": arguments[1] });
            if driver.is_modern() {
                params["_meta"] = json!({ "io.modelcontextprotocol/logLevel": "info" });
            }
            json!(running.call_tool(serde_json::from_value(params)?).await?)
        }
        "readResource" => json!(running.read_resource(serde_json::from_value(json!({ "uri": name }))?).await?),
        "getPrompt" => {
            let params = json!({ "name": name, "arguments": arguments[1] });
            json!(running.get_prompt(serde_json::from_value(params)?).await?)
        }
        "complete" => {
            let params = json!({ "ref": arguments[0], "argument": arguments[1] });
            json!(running.complete(serde_json::from_value(params)?).await?)
        }
        "askForLogs" if driver.is_modern() => Value::Null,
        "askForLogs" => {
            running.set_level(serde_json::from_value(json!({ "level": "info" }))?).await?;
            Value::Null
        }
        "watch" if driver.is_modern() => {
            listen(running, watches, name.clone(), json!({ "resourceSubscriptions": [name] })).await?
        }
        "watch" => {
            running.subscribe(serde_json::from_value(json!({ "uri": name }))?).await?;
            Value::Null
        }
        "unwatch" if !driver.is_modern() => {
            running.unsubscribe(serde_json::from_value(json!({ "uri": name }))?).await?;
            Value::Null
        }
        "watchTools" if driver.is_modern() => {
            listen(running, watches, "tools".into(), json!({ "toolsListChanged": true })).await?
        }
        "unwatch" | "unwatchTools" => {
            let key = if name.is_empty() { "tools" } else { &name };
            if let Some(watch) = watches.lock().unwrap().remove(key) {
                watch.abort();
            }
            Value::Null
        }
        "watchTools" => Value::Null,
        verb => return Err(format!("unknown verb {verb}").into()),
    })
}

async fn start_call(running: &Running, name: &str, arguments: &Value) -> Result<CallToolResponse, Failure> {
    let params = json!({ "name": name, "arguments": arguments });
    Ok(running.call_tool_once(serde_json::from_value(params)?).await?)
}

/// The SDK has the requests of tasks, and leaves the polling to its users.
async fn see_through(driver: &Driver, running: &Running, task_id: &str) -> Result<Value, Failure> {
    let mut answered: Vec<String> = vec![];
    loop {
        let task = json!(running.get_task(serde_json::from_value(json!({ "taskId": task_id }))?).await?);
        match task["status"].as_str().unwrap_or_default() {
            "completed" => return Ok(task["result"].clone()),
            "failed" | "cancelled" => return Err(task["error"]["message"].as_str().unwrap_or("cancelled").into()),
            _ => {}
        }
        for (key, _) in task["inputRequests"].as_object().cloned().unwrap_or_default() {
            if answered.contains(&key) {
                continue;
            }
            let answer = driver.start["answers"]["form"].clone();
            let params = json!({ "taskId": task_id, "inputResponses": { key.clone(): answer } });
            running.update_task(serde_json::from_value(params)?).await?;
            answered.push(key);
        }
        let pause = task["pollIntervalMs"].as_u64().unwrap_or(500);
        tokio::time::sleep(std::time::Duration::from_millis(pause)).await;
    }
}

async fn listen(running: &Running, watches: &Watches, key: String, filter: Value) -> Result<Value, Failure> {
    let mut subscription = running.listen(serde_json::from_value(filter)?).await?;
    let watch = tokio::spawn(async move {
        while let Ok(Some(notification)) = subscription.next().await {
            match notification {
                ServerNotification::ResourceUpdatedNotification(updated) => {
                    tell(json!({ "event": "updated", "uri": updated.params.uri }))
                }
                ServerNotification::ToolListChangedNotification(_) => tell(json!({ "event": "toolsChanged" })),
                _ => {}
            }
        }
    });
    watches.lock().unwrap().insert(key, watch);
    Ok(Value::Null)
}
