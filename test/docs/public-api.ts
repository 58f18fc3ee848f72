// The public names that users write, entry point by entry point, with the members of what has some. Nothing here may vanish.

/** Each line: what the members belong to, or nothing where the names are exports themselves. */
type Names = Readonly<Record<string, string>>

const ERRORS = `MCPError UrlElicitationRequiredError UnsupportedProtocolVersionError NoBackChannelError
  UnexpectedClaimedResult InputRequiredRoundsExceededError ListenNotSupportedError SubscriptionLost InvalidResultError
  TransportError ConnectError LimitError ToolError OAuthError ErrorCode`

const CALLS = `callTool readResource getPrompt complete listTools listResources listResourceTemplates listPrompts`

const CONTEXT = `signal requestId meta protocolVersion clientInfo clientCapabilities auth http lifespan session log
  reportProgress readResource elicit elicitUrl sample listRoots step notifyResourceUpdated inputResponses requestState`

const MCP_SERVER = `tool resource prompt completion use run connect close ${CALLS}`

const SERVER_INFO = 'version title description instructions websiteUrl icons'

export const VALUES: Names = {
  mcpwire: `MCPServer Client tool resource prompt completable image audio ${ERRORS}`,
  'mcpwire/client': 'Client ClientSession ClientSessionGroup streamableHttp sse InMemoryResponseCacheStore advertise',
  'mcpwire/server': `MCPServer Server ServerSession Connection createHandler toFetch completable createRequestStateSeal
    createSubscriptionBus MemoryEventStore limitConcurrency limitRate limitResponseSize limitTime logRequests timeRequests`,
  'mcpwire/node': `stdio serveStdio toNodeHandler serveHttp defaultEnvironment fileResource directoryResources
    fileTokenStore openBrowser`,
  'mcpwire/types': `${ERRORS} PROTOCOL_VERSIONS LEGACY_VERSIONS MODERN_VERSIONS LATEST_LEGACY_VERSION
    LATEST_MODERN_VERSION LATEST_PROTOCOL_VERSION HANDSHAKE_VERSIONS LATEST_HANDSHAKE_VERSION isVersionAtLeast
    isCallToolResult isGetPromptResult isReadResourceResult isInputRequiredResult`,
  'mcpwire/dispatcher': 'JSONRPCDispatcher createDirectDispatcherPair createMemoryChannelPair',
  'mcpwire/schema': 'compileSchema',
  'mcpwire/telemetry': 'traceServer traceClient',
  'mcpwire/auth': 'oauth clientCredentials jwtVerifier introspectionVerifier requireBearer memoryTokenStore OAuthError',
  'mcpwire/testing': 'connect recordWire WireRecorder memoryTransport',
}

export const TYPES: Names = {
  mcpwire: 'ClientOptions MCPServerOptions Context Tool Resource ResourceTemplate Prompt CallToolResult ContentBlock',
  'mcpwire/client': `ClientOptions ClientSessionOptions ClientSessionGroupOptions ClientTarget CommandTarget CacheConfig
    GroupConnectOptions GroupServer ClientExtension ResultClaim NotificationBinding Subscription ListenOptions StreamableHttpOptions SseOptions`,
  'mcpwire/server': `MCPServerOptions ServerOptions ToolOptions ToolDefinition ToolHandle ResourceOptions PromptOptions
    PromptDefinition Context Middleware EventStore SubscriptionBus HandlerOptions HttpServing RunOptions`,
  'mcpwire/node': 'StdioOptions ServeStdioOptions ServeHttpOptions HttpServing',
  'mcpwire/types': 'AuthInfo ProtocolVersion LoggingLevel Tool CallToolRequest CallToolResult ServerCapabilities',
  'mcpwire/dispatcher': 'Dispatcher Channel Transport',
  'mcpwire/auth': 'AuthInfo AuthProvider TokenStore TokenVerifier',
  'mcpwire/testing': 'ConnectForTestOptions WireEntry',
}

/** By entry point and owner. */
export const MEMBERS: Names = {
  'mcpwire Client': `connect open close session protocolVersion serverInfo serverCapabilities instructions tools
    resources resourceTemplates prompts ${CALLS} listen subscribeResource unsubscribeResource sendPing setLoggingLevel
    sendProgressNotification sendRootsListChanged`,
  'mcpwire ClientOptions': `mode headers auth connectTimeoutMs priorDiscover clientInfo timeoutMs onSampling onElicitation
    onListRoots onLog onMessage onFault samplingCapabilities logLevel inputRequiredMaxRounds extensions cache
    probeTimeoutMs middleware raiseExceptions`,
  'mcpwire/client ClientCallOptions': 'signal timeoutMs maxTotalMs onProgress meta',
  'mcpwire/client ClientCallbackContext': 'session requestId signal meta',
  'mcpwire/client ClientSession': `start close initialize discover sendDiscover adopt initializeResult discoverResult
    protocolVersion serverInfo serverCapabilities instructions sendRequest sendNotification ${CALLS}
    validateToolResult dispatchInputRequest`,
  'mcpwire/client CallToolOptions': 'inputResponses requestState allowInputRequired allowClaimed',
  'mcpwire/client ClientSessionOptions': 'resultClaims notificationBindings extensions',
  'mcpwire/client ClientSessionGroup': `open connectToServer connectWithSession disconnectFromServer callTool readResource
    getPrompt tools resources resourceTemplates prompts sessions close`,
  'mcpwire/client GroupConnectOptions': 'name',
  'mcpwire/client GroupServer': 'label serverInfo',
  'mcpwire/client ClientSessionGroupOptions': 'componentName',
  'mcpwire/client StreamableHttpOptions': 'fetch headers auth reconnect maxEventBytes terminateOnClose',
  'mcpwire/client CommandTarget': 'command args env cwd',
  'mcpwire/client ListenOptions': 'signal',
  'mcpwire/node StdioOptions': 'command args env cwd stderr encodingErrors maxLineBytes shutdown',
  'mcpwire/node ServeStdioOptions': 'input output',
  'mcpwire/node ServeHttpOptions': 'port host',
  'mcpwire/node HttpServing': 'url close',
  'mcpwire MCPServer': MCP_SERVER,
  'mcpwire MCPServerOptions': `${SERVER_INFO} lifespan middleware extensions cacheHints requestState subscriptions
    onDuplicate pageSize exposeErrors strict tools resources prompts`,
  'mcpwire/server RequestStateSettings': 'keys ttlMs audience store',
  'mcpwire/server ToolOptions': `title description input output annotations icons meta visible scopes timeoutMs
    requires`,
  'mcpwire/server ToolHandle': 'update disable enable remove',
  'mcpwire/server ResourceHandle': 'update disable enable remove',
  'mcpwire/server PromptHandle': 'update disable enable remove',
  'mcpwire Context': CONTEXT,
  'mcpwire/server Server': 'setRequestHandler setNotificationHandler use connect close',
  'mcpwire/server ServerOptions': 'version handlers notifications middleware lifespan capabilities',
  'mcpwire/server ServerSession': `sendRequest sendNotification createMessage listRoots elicitForm elicitUrl elicit
    sendPing sendLogMessage sendProgressNotification sendResourceUpdated sendResourceListChanged sendToolListChanged
    sendPromptListChanged sendElicitComplete clientParams clientCapabilities protocolVersion canSendRequest
    checkClientCapability`,
  'mcpwire/server SessionCallOptions': 'timeoutMs onProgress signal related',
  'mcpwire/server Connection': 'protocolVersion clientInfo clientCapabilities canSendRequest state defer sendRaw',
  'mcpwire/server HandlerOptions': `path sessions eventStore maxBodyBytes allowedHosts allowedOrigins cors keepAliveMs`,
  'mcpwire/types MCPError': 'code message data toErrorData from local',
  'mcpwire/types UrlElicitationRequiredError': 'elicitations from',
  'mcpwire/types InvalidResultError': 'path',
  'mcpwire/types TransportError': 'status cause exitCode stderr',
  'mcpwire/types ConnectError': 'target phase cause exitCode signal stderr',
  'mcpwire/types LimitError': 'limit max',
  'mcpwire/types SubscriptionFilter': `toolsListChanged promptsListChanged resourcesListChanged
    resourceSubscriptions`,
  'mcpwire/dispatcher Channel': 'start send close',
  'mcpwire/testing ConnectForTestOptions': 'mode wire raiseExceptions',
}

export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
