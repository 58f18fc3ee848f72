//! The tools of tasks/checks.js, served by the Rust SDK as tasks of 2026-07-28.
use std::{
    sync::{
        atomic::{AtomicUsize, Ordering::SeqCst},
        Arc,
    },
    time::Duration,
};

use rmcp::{
    model::*,
    service::RequestContext,
    task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions},
    transport::{
        stdio, streamable_http_server::session::local::LocalSessionManager, StreamableHttpServerConfig,
        StreamableHttpService,
    },
    ErrorData, RoleServer, ServerHandler, ServiceExt,
};
use serde_json::{json, Value};

use crate::{server::model, Failure};

const WORK: Duration = Duration::from_millis(200);
const POLL_MS: u64 = 100;

#[derive(Clone, Default)]
struct Tasks {
    manager: TaskManager,
    stopped: Arc<AtomicUsize>,
}

pub async fn serve(transport: &str) -> Result<(), Failure> {
    let tasks = Tasks::default();
    if transport == "stdio" {
        tasks.serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let mut config = StreamableHttpServerConfig::default();
    config.json_response = transport == "http-json";
    config.legacy_session_mode = transport != "http-json";
    let service =
        StreamableHttpService::new(move || Ok(tasks.clone()), Arc::new(LocalSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

fn text(text: String) -> Result<CallToolResult, ErrorData> {
    model(json!({ "content": [{ "type": "text", "text": text }] }))
}

/// What a tool does as a task.
async fn work(
    name: &str,
    arguments: Value,
    context: TaskContext,
    stopped: &AtomicUsize,
) -> Result<CallToolResult, TaskExit> {
    match name {
        "report" => {
            tokio::time::sleep(WORK).await;
            let report = json!({ "pages": arguments["pages"] });
            let content = json!([{ "type": "text", "text": report.to_string() }]);
            Ok(model(json!({ "content": content, "structuredContent": report }))?)
        }
        "failing" => {
            let content = json!([{ "type": "text", "text": "It failed on purpose." }]);
            Ok(model(json!({ "content": content, "isError": true }))?)
        }
        "broken" => Err(ErrorData::internal_error("Broken on purpose", None).into()),
        "approve" => {
            let schema =
                json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
            let params = json!({ "mode": "form", "message": "Your name?", "requestedSchema": schema });
            let question = model(json!({ "method": "elicitation/create", "params": params }))?;
            let answer = context.request_input("name", question).await?;
            let action = answer["action"].as_str().unwrap_or_default();
            Ok(text(format!("{action} {}", answer["content"]["name"].as_str().unwrap_or_default()))?)
        }
        _ => {
            context.cancelled().await;
            stopped.fetch_add(1, SeqCst);
            Err(TaskExit::Cancelled)
        }
    }
}

impl ServerHandler for Tasks {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build());
        info.server_info = Implementation::new("rust-tasks", "1.0.0");
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let names = ["greet", "stopped", "report", "failing", "broken", "approve", "wait"];
        let tools: Vec<Value> =
            names.iter().map(|name| json!({ "name": name, "inputSchema": { "type": "object" } })).collect();
        model(json!({ "tools": tools }))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = json!(request.arguments);
        let name = request.name.to_string();
        match name.as_str() {
            "greet" => Ok(text(format!("Hello, {}!", arguments["name"].as_str().unwrap_or_default()))?.into()),
            "stopped" => Ok(text(self.stopped.load(SeqCst).to_string())?.into()),
            _ => {
                let stopped = self.stopped.clone();
                let options = TaskOptions::new().with_poll_interval_ms(POLL_MS);
                let task = self.manager.spawn(options, move |context| {
                    Box::pin(async move { work(&name, arguments, context, &stopped).await })
                });
                Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
            }
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.manager.get_task(&request.task_id)?))
    }

    async fn update_task(&self, request: UpdateTaskParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.manager.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.manager.cancel_task(&request.task_id)
    }
}
