// The public names on the pages that document the Python SDK, for those who do not have the pages.

/** A class or function with its members, and in parentheses the parameters of its own or of a member. */
const WITH_MEMBERS = `
Client: __aenter__ __aexit__ call_tool call_tool(arguments) call_tool(meta) call_tool(progress_callback)
  call_tool(read_timeout_seconds) client_info complete complete(context_arguments) elicitation_callback get_prompt
  get_prompt(arguments) get_prompt(meta) initialize_result list_prompts list_prompts(cursor) list_prompts(meta)
  list_resource_templates list_resource_templates(cursor) list_resource_templates(meta) list_resources
  list_resources(cursor) list_resources(meta) list_roots_callback list_tools list_tools(cursor) list_tools(meta)
  logging_callback message_handler raise_exceptions read_resource read_resource(meta) read_timeout_seconds
  sampling_callback send_ping send_ping(meta) send_progress_notification send_progress_notification(message)
  send_progress_notification(total) send_roots_list_changed server session set_logging_level set_logging_level(meta)
  subscribe_resource subscribe_resource(meta) unsubscribe_resource unsubscribe_resource(meta)
ClientRequestContext: meta request_id session
ClientSession: (client_info) (dispatcher) (elicitation_callback) (extensions) (list_roots_callback)
  (logging_callback) (message_handler) (notification_bindings) (read_stream) (read_timeout_seconds) (result_claims)
  (sampling_callback) (sampling_capabilities) (write_stream) __aenter__ __aexit__ adopt call_tool
  call_tool(allow_claimed) call_tool(allow_input_required) call_tool(arguments) call_tool(input_responses)
  call_tool(meta) call_tool(progress_callback) call_tool(read_timeout_seconds) call_tool(request_state) complete
  complete(context_arguments) discover discover_result dispatch_input_request get_prompt
  get_prompt(allow_input_required) get_prompt(arguments) get_prompt(input_responses) get_prompt(meta)
  get_prompt(request_state) initialize initialize_result instructions list_prompts list_prompts(params)
  list_resource_templates list_resource_templates(params) list_resources list_resources(params) list_tools
  list_tools(params) protocol_version read_resource read_resource(allow_input_required)
  read_resource(input_responses) read_resource(meta) read_resource(request_state) send_discover send_notification
  send_ping send_ping(meta) send_progress_notification send_progress_notification(message)
  send_progress_notification(meta) send_progress_notification(total) send_request send_request(metadata)
  send_request(progress_callback) send_request(request_read_timeout_seconds) send_roots_list_changed
  server_capabilities server_info set_logging_level set_logging_level(meta) subscribe_resource
  subscribe_resource(meta) unsubscribe_resource unsubscribe_resource(meta) validate_tool_result
ClientSessionGroup: (component_name_hook) (exit_stack) __aenter__ __aexit__ call_tool call_tool(arguments)
  call_tool(meta) call_tool(progress_callback) call_tool(read_timeout_seconds) connect_to_server
  connect_to_server(session_params) connect_with_session disconnect_from_server prompts resources sessions tools
ServerSession: (connection) (dispatcher) (init_options) (read_stream) (request_outbound) (stateless) (write_stream)
  check_client_capability client_params create_message create_message(include_context) create_message(max_tokens)
  create_message(metadata) create_message(model_preferences) create_message(related_request_id)
  create_message(stop_sequences) create_message(system_prompt) create_message(temperature)
  create_message(tool_choice) create_message(tools) elicit elicit(related_request_id) elicit_form
  elicit_form(related_request_id) elicit_url elicit_url(related_request_id) experimental incoming_messages
  list_roots protocol_version send_elicit_complete send_elicit_complete(related_request_id) send_log_message
  send_log_message(logger) send_log_message(related_request_id) send_message send_notification
  send_notification(related_request_id) send_ping send_progress_notification send_progress_notification(message)
  send_progress_notification(related_request_id) send_progress_notification(total) send_prompt_list_changed
  send_request send_request(metadata) send_request(progress_callback) send_request(request_read_timeout_seconds)
  send_resource_list_changed send_resource_updated send_tool_list_changed
BaseSession: (read_stream) (read_timeout_seconds) (write_stream) __aenter__ __aexit__ add_response_router
  send_notification send_notification(related_request_id) send_progress_notification
  send_progress_notification(message) send_progress_notification(total) send_request send_request(metadata)
  send_request(progress_callback) send_request(request_read_timeout_seconds)
RequestResponder: (context) (message_metadata) (on_complete) (request) (request_id) (request_meta) (session)
  __enter__ __exit__ cancel cancelled in_flight respond
ResponseRouter: route_error route_response
MCPError: (code) (data) (message) code data error from_error_data from_jsonrpc_error message
UrlElicitationRequiredError: (elicitations) (message) elicitations from_error
StdioServerParameters: args command cwd encoding encoding_error_handler env
stdio_client: (errlog)
stdio_server: (stdin) (stdout)
ClientMessageMetadata: on_resumption_token_update resumption_token
ServerMessageMetadata: related_request_id
CallToolRequest: method params
ClientCapabilities: elicitation experimental roots sampling
CompleteRequest: method params
CreateMessageRequest: method params
CreateMessageResult: content model role stop_reason
CreateMessageResultWithTools: content content_as_list model role stop_reason
ErrorData: code data message
GetPromptRequest: method params
GetPromptResult: description messages
Implementation: description icons title version website_url
InitializeRequest: method params
InitializeResult: capabilities instructions protocol_version server_info
InitializedNotification: method params
JSONRPCError: error id jsonrpc
JSONRPCRequest: id jsonrpc method params
JSONRPCResponse: id jsonrpc result
ListPromptsRequest: method
ListPromptsResult: prompts
ListResourcesRequest: method
ListResourcesResult: resources
ListToolsResult: tools
LoggingMessageNotification: method params
Notification: method params
PingRequest: method params
ProgressNotification: method params
PromptsCapability: list_changed
ReadResourceRequest: method params
ReadResourceResult: contents
Request: name_param
Resource: annotations description icons meta mime_type size uri
ResourceUpdatedNotification: method params
ResourcesCapability: list_changed subscribe
RootsCapability: list_changed
SamplingCapability: context tools
SamplingMessage: content content_as_list meta role
ServerCapabilities: completions experimental logging prompts resources tools
SetLevelRequest: method params
SubscribeRequest: method params
Tool: annotations description icons input_schema meta output_schema
ToolChoice: mode
ToolResultContent: content is_error meta structured_content tool_use_id type
ToolUseContent: id input meta name type
ToolsCapability: list_changed
UnsubscribeRequest: method params
`

/** Names that the pages use without describing their members. */
const ALONE = `
Annotations AudioContent BaseMetadata BlobResourceContents CLIENT_CAPABILITIES_META_KEY CLIENT_INFO_META_KEY
CONNECTION_CLOSED CallOptions CallToolRequestParams CallToolResult CancelledNotification ClientNotification
ClientRequest ClientResult ClientSessionParameters CompleteRequestParams CompleteResult CompletionArgument
CompletionContext CompletionsCapability Connection ContentBlock CreateMessageRequestParams DEFAULT_CLIENT_INFO
DISCOVER_TIMEOUT_SECONDS DirectDispatcher DiscoverRequest DiscoverResult DispatchContext Dispatcher ElicitCompleteNotification
ElicitCompleteNotificationParams ElicitRequest ElicitRequestFormParams ElicitRequestURLParams ElicitRequestedSchema
ElicitResult ElicitationCapability ElicitationFnT EmptyResult ExperimentalServerSessionFeatures
FormElicitationCapability GetPromptRequestParams HANDSHAKE_PROTOCOL_VERSIONS INTERNAL_ERROR INVALID_PARAMS Icon
ImageContent InMemoryTransport IncludeContext InitializationOptions InitializationState InitializeRequestParams InputRequest
InputRequiredResult InputResponse InputResponses JSONRPCDispatcher JSONRPCNotification LATEST_HANDSHAKE_VERSION
LATEST_MODERN_VERSION LATEST_PROTOCOL_VERSION ListResourceTemplatesRequest ListResourceTemplatesResult ListRootsFnT
ListRootsRequest ListRootsResult ListToolsRequest LoggingCapability LoggingFnT LoggingLevel
LoggingMessageNotificationParams MCPDeprecationWarning MCPModel MCPServer MCP_METHOD_HEADER MCP_NAME_HEADER
MCP_PROTOCOL_VERSION_HEADER METHOD_NOT_FOUND MODERN_PROTOCOL_VERSIONS MessageHandlerFnT MessageMetadata Meta
ModelPreferences NAME_BEARING_METHODS NoBackChannelError NotificationBinding NotificationParams Outbound
PROTOCOL_VERSION_META_KEY PaginatedRequest PaginatedRequestParams PaginatedResult ProgressFnT
ProgressNotificationParams ProgressToken Prompt PromptListChangedNotification PromptMessage PromptReference
RELATED_TASK_METADATA_KEY REQUEST_TIMEOUT ReadResourceRequestParams ReadStream RelatedTaskMetadata RequestContext RequestId
RequestParams RequestParamsMeta ResourceListChangedNotification ResourceTemplateReference
ResourceUpdatedNotificationParams Result ResultClaim Role RootsListChangedNotification SUPPORTED_PROTOCOL_VERSIONS
SamplingContent SamplingContextCapability SamplingFnT SamplingMessageContentBlock SamplingToolsCapability Server
ServerNotification ServerParameters ServerRequest ServerRequestResponder ServerResult SessionMessage
SetLevelRequestParams SseServerParameters StatelessModeNotSupported StopReason SubscribeRequestParams TaskMetadata
TextContent TextResourceContents ToolAnnotations ToolListChangedNotification Transport TransportContext TransportStreams
UNSUPPORTED_PROTOCOL_VERSION URL_ELICITATION_REQUIRED UnexpectedClaimedResult UnsubscribeRequestParams
UnsupportedProtocolVersionErrorData UrlElicitationCapability ValidationError WriteStream client_notification_adapter
client_request_adapter create_mcp_http_client get_default_environment inject_trace_context jsonrpc_message_adapter otel_span sse_client
streamable_http_client
`

/** The protocol types that the index of the package exports. */
export const INDEX_TYPES: readonly string[] = words(`
CallToolRequest ClientCapabilities ClientNotification ClientRequest ClientResult CompleteRequest CreateMessageRequest
CreateMessageResult CreateMessageResultWithTools ErrorData GetPromptRequest GetPromptResult Implementation IncludeContext
InitializeRequest InitializeResult InitializedNotification JSONRPCError JSONRPCRequest JSONRPCResponse ListPromptsRequest
ListPromptsResult ListResourcesRequest ListResourcesResult ListToolsResult LoggingLevel LoggingMessageNotification
Notification PingRequest ProgressNotification PromptsCapability ReadResourceRequest ReadResourceResult Resource
ResourceUpdatedNotification ResourcesCapability RootsCapability SamplingCapability SamplingContent
SamplingContextCapability SamplingMessage SamplingMessageContentBlock SamplingRole SamplingToolsCapability
ServerCapabilities ServerNotification ServerRequest ServerResult SetLevelRequest StopReason SubscribeRequest Tool
ToolChoice ToolResultContent ToolUseContent ToolsCapability UnsubscribeRequest
`)

/** As `Tool`, `Tool.input_schema`, `MCPError(code)` and `Client.list_tools(cursor)`. */
export const PYTHON_NAMES: readonly string[] = [
  ...WITH_MEMBERS.trim()
    .split(/\n(?=\w)/)
    .flatMap(expand),
  ...words(ALONE),
]

function expand(entry: string): string[] {
  const [owner = '', members = ''] = entry.split(':')
  return [owner, ...words(members).map((member) => owner + (member.startsWith('(') ? '' : '.') + member)]
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
