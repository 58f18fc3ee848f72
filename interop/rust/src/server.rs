//! The catalogue, served by the Rust SDK. It comes as JSON in INTEROP_CATALOGUE.
use std::{
    collections::HashSet,
    sync::{
        atomic::{AtomicBool, AtomicUsize},
        Arc, Mutex,
    },
    time::Duration,
};

use rmcp::{
    model::*,
    service::{RequestContext, SubscriptionContext, SubscriptionSink},
    transport::{
        stdio, streamable_http_server::session::local::LocalSessionManager, StreamableHttpServerConfig,
        StreamableHttpService,
    },
    ErrorData, RoleServer, ServerHandler, ServiceExt,
};
use serde_json::{json, Value};

use crate::{tools, Failure};

const PAGE_SIZE: usize = 5;

/// The state that all sessions share, and the state of one.
#[derive(Clone)]
pub struct Catalogue {
    pub content: Arc<Value>,
    pub stopped: Arc<AtomicUsize>,
    pub has_grown: Arc<AtomicBool>,
    pub listeners: Arc<Mutex<Vec<SubscriptionSink>>>,
    pub subscribed: Arc<Mutex<HashSet<String>>>,
}

pub async fn serve(transport: &str) -> Result<(), Failure> {
    let catalogue = Catalogue {
        content: Arc::new(serde_json::from_str(&std::env::var("INTEROP_CATALOGUE")?)?),
        stopped: Arc::default(),
        has_grown: Arc::default(),
        listeners: Arc::default(),
        subscribed: Arc::default(),
    };
    if transport == "stdio" {
        catalogue.serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let mut config = StreamableHttpServerConfig::default();
    // JSON responses exist only without sessions.
    config.json_response = transport == "http-json";
    config.legacy_session_mode = transport != "http-json";
    let service =
        StreamableHttpService::new(move || Ok(catalogue.clone()), Arc::new(LocalSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

/// A value of the model from its JSON, which is the same in every language.
pub fn model<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl ServerHandler for Catalogue {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("rust", "1.0.0");
        info
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::list(self);
        let start: usize = request.and_then(|page| page.cursor).and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        let end = (start + PAGE_SIZE).min(tools.len());
        let mut page = json!({ "tools": tools.get(start..end).unwrap_or_default() });
        if end < tools.len() {
            page["nextCursor"] = json!(end.to_string());
        }
        model(page)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tools::call(self, request, context).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let uris = self.content["RESOURCES"].as_array().cloned().unwrap_or_default();
        let resources: Vec<Value> = uris.iter().map(|uri| json!({ "uri": uri, "name": uri })).collect();
        model(json!({ "resources": resources }))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        model(json!({ "resourceTemplates": [{ "name": "item", "uriTemplate": self.content["TEMPLATE"] }] }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let text = |text: &Value| json!({ "uri": uri, "mimeType": "text/plain", "text": text });
        let contents = match uri.as_str() {
            "note://plain" => text(&self.content["PLAIN"]),
            "note://watched" => text(&json!("watched")),
            "note://bytes" => json!({ "uri": uri, "blob": self.content["BYTES"] }),
            _ => match uri.strip_prefix("note://item/") {
                Some(id) => text(&json!(format!("Item {id}"))),
                None => return Err(ErrorData::resource_not_found(format!("no such note: {uri}"), None)),
            },
        };
        Ok(model::<ReadResourceResult>(json!({ "contents": [contents] }))?.into())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.subscribed.lock().unwrap().insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribed.lock().unwrap().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.listeners.lock().unwrap().push(context.sink().clone());
        context.cancelled().await;
        self.listeners.lock().unwrap().retain(|sink| sink.id() != context.sink().id());
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        model(json!({ "prompts": [{ "name": "greet", "arguments": [{ "name": "name", "required": true }] }] }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = json!(request.arguments);
        let name = arguments["name"].as_str().ok_or_else(|| ErrorData::invalid_params("name is missing", None))?;
        let content = json!({ "type": "text", "text": format!("Please greet {name}.") });
        Ok(model::<GetPromptResult>(json!({ "messages": [{ "role": "user", "content": content }] }))?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let names: Vec<String> = model(self.content["NAMES"].clone())?;
        let values: Vec<String> = names.into_iter().filter(|name| name.starts_with(&request.argument.value)).collect();
        model(json!({ "completion": { "values": values } }))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }
}

/// Clients may lose progress that arrives in one chunk with the result, so there is a pause between them.
pub const PROGRESS_PAUSE: Duration = Duration::from_millis(20);
