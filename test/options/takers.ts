// Everything exported that is told options when it is made, registered or connected, each called with one option more.

import { devAuthorizationServer } from '../../src/exports/auth/dev.ts'
import * as auth from '../../src/exports/auth.ts'
import { memory, sealed } from '../../src/exports/backend.ts'
import { bullmqExecutor } from '../../src/exports/bullmq.ts'
import * as client from '../../src/exports/client.ts'
import * as dispatcher from '../../src/exports/dispatcher.ts'
import * as apps from '../../src/exports/extensions/apps.ts'
import { skills } from '../../src/exports/extensions/skills.ts'
import { tasks } from '../../src/exports/extensions/tasks.ts'
import { nats } from '../../src/exports/nats.ts'
import * as node from '../../src/exports/node.ts'
import * as openapi from '../../src/exports/openapi.ts'
import { postgres } from '../../src/exports/postgres.ts'
import * as proxy from '../../src/exports/proxy.ts'
import { redis } from '../../src/exports/redis.ts'
import * as schema from '../../src/exports/schema.ts'
import * as server from '../../src/exports/server.ts'
import { sqlite } from '../../src/exports/sqlite.ts'
import * as telemetry from '../../src/exports/telemetry.ts'
import * as testing from '../../src/exports/testing.ts'
import * as transforms from '../../src/exports/transforms.ts'
import type { OPTION_LISTS } from './option-lists.ts'

export interface TakesOptions {
  /** The exported name. */
  readonly of: string
  /** Whose keys they are: the type of these options, then those that only stand in it. */
  readonly lists: readonly [keyof typeof OPTION_LISTS, ...(keyof typeof OPTION_LISTS)[]]
  /** Calls it with the options given, besides what it needs. */
  readonly call: (options: object) => unknown
}

const { MCPServer, Server } = server
const newServer = () => new MCPServer('optional')
const run = () => 'done'
const skillServer = () => new MCPServer('skilled', { extensions: [skills()] })
const SKILL = { 'SKILL.md': '---\nname: x\ndescription: X\n---\n' }
const URL_OF_SERVER = 'http://127.0.0.1:9/mcp'
const ISSUER = 'https://issuer.example'
const handler = () => {}
const verifier = { verify: async () => undefined }
const bearer = { resource: 'https://mcp.example/', issuer: ISSUER, verifier }

const API = {
  openapi: '3.1.0',
  info: { title: 'x', version: '1' },
  servers: [{ url: 'https://api.example' }],
  paths: {},
}

const channelOf = () => dispatcher.createMemoryChannelPair()[0]
const frame = { contentWindow: { postMessage: handler }, setAttribute: handler }
const own = { origin: 'https://host.example', addEventListener: handler, removeEventListener: handler }
const view = { uri: 'ui://a/b', html: '<!doctype html>', csp: {}, permissions: {} }

export const TAKES_OPTIONS: Readonly<Record<string, TakesOptions>> = {
  // Composition
  'createProxy()': { of: 'createProxy', lists: ['ProxyOptions'], call: (o) => proxy.createProxy(URL_OF_SERVER, o) },
  'createProxy(): client': {
    of: 'createProxy',
    lists: ['ProxyClientOptions'],
    call: (o) => proxy.createProxy(URL_OF_SERVER, { client: o }),
  },
  'createGateway()': {
    of: 'createGateway',
    lists: ['GatewayOptions'],
    call: (o) => proxy.createGateway({ a: URL_OF_SERVER }, o),
  },
  'createGateway(): naming': {
    of: 'createGateway',
    lists: ['NamingOptions'],
    call: (o) => proxy.createGateway({ a: URL_OF_SERVER }, { naming: o }),
  },
  'server.mount()': {
    of: 'MCPServer',
    lists: ['ServerMountOptions'],
    call: (o) => newServer().mount(newServer(), o as never),
  },
  'rename()': { of: 'rename', lists: ['RenameOptions'], call: (o) => transforms.rename({}, o) },
  'version()': { of: 'version', lists: ['VersionOptions'], call: (o) => transforms.version(o) },
  'searchTools()': { of: 'searchTools', lists: ['SearchToolsOptions'], call: (o) => transforms.searchTools(o) },
  'codeMode()': { of: 'codeMode', lists: ['CodeModeOptions'], call: (o) => transforms.codeMode(o) },
  'codeMode(): limits': {
    of: 'codeMode',
    lists: ['SandboxLimits'],
    call: (o) => transforms.codeMode({ limits: o }),
  },
  'openAPIServer()': {
    of: 'openAPIServer',
    lists: ['OpenAPIServerOptions'],
    call: (o) => openapi.openAPIServer(API, o),
  },
  'openAPITools()': { of: 'openAPITools', lists: ['OpenAPIToolsOptions'], call: (o) => openapi.openAPITools(API, o) },
  responses: {
    of: 'openAPITools',
    lists: ['OpenAPIResponseOptions'],
    call: (o) => openapi.openAPITools(API, { responses: o }),
  },
  'fetchTools()': {
    of: 'fetchTools',
    lists: ['FetchToolsOptions'],
    call: (o) => openapi.fetchTools({}, { baseUrl: 'https://api.example', ...o }),
  },
  // Apps
  'new AppHost()': { of: 'AppHost', lists: ['AppHostOptions'], call: (o) => new apps.AppHost(channelOf(), o) },
  'server.app()': {
    of: 'MCPServer',
    lists: ['AppOptions'],
    call: (o) => new MCPServer('x', { extensions: [apps.apps()] }).app('ui://a/b', { html: '<!doctype html>', ...o }),
  },
  'mountView()': {
    of: 'mountView',
    lists: ['MountOptions'],
    call: (o) => apps.mountView(frame, { view, sandboxUrl: 'https://sandbox.example/', self: own, ...o }),
  },
  'readView()': {
    of: 'readView',
    lists: ['ReadViewOptions'],
    call: (o) => apps.readView({ readResource: async () => ({ contents: [] }) }, {}, o),
  },
  'sandboxPage()': {
    of: 'sandboxPage',
    lists: ['SandboxPageOptions'],
    call: (o) => apps.sandboxPage('/', { hostOrigin: 'https://host.example', ...o }),
  },
  'windowChannel()': {
    of: 'windowChannel',
    lists: ['WindowChannelOptions'],
    call: (o) => apps.windowChannel(frame.contentWindow, { origin: 'https://sandbox.example', self: own, ...o }),
  },
  // Servers
  'new MCPServer()': { of: 'MCPServer', lists: ['MCPServerOptions'], call: (o) => new MCPServer('x', o) },
  'new MCPServer(): requestState': {
    of: 'MCPServer',
    lists: ['RequestStateSettings'],
    call: (o) => new MCPServer('x', { requestState: o }),
  },
  'new MCPServer(): cacheHints': {
    of: 'MCPServer',
    lists: ['CacheHint'],
    call: (o) => new MCPServer('x', { cacheHints: { 'tools/list': { ttlMs: 1, ...o } } }),
  },
  'server.tool()': { of: 'MCPServer', lists: ['ToolOptions'], call: (o) => newServer().tool('x', o, run) },
  'server.prompt()': { of: 'MCPServer', lists: ['PromptOptions'], call: (o) => newServer().prompt('x', o, run) },
  'server.resource()': {
    of: 'MCPServer',
    lists: ['ResourceOptions'],
    call: (o) => newServer().resource('x://y', o, run),
  },
  'server.resource() with a value': {
    of: 'MCPServer',
    lists: ['ResourceOptions'],
    call: (o) => newServer().resource({ uri: 'x://y', meta: o, read: run }),
  },
  'tools of new MCPServer()': {
    of: 'MCPServer',
    lists: ['ToolOptions'],
    call: (o) => new MCPServer('x', { tools: [{ name: 'y', options: o, run }] }),
  },
  'update() of a tool': {
    of: 'MCPServer',
    lists: ['ToolOptions'],
    call: (o) => newServer().tool('x', {}, run).update(o),
  },
  'update() of a prompt': {
    of: 'MCPServer',
    lists: ['PromptOptions'],
    call: (o) => newServer().prompt('x', {}, run).update(o),
  },
  'update() of a resource': {
    of: 'MCPServer',
    lists: ['ResourceOptions'],
    call: (o) => newServer().resource('x://y', {}, run).update(o),
  },
  'tasks()': { of: 'tasks', lists: ['TasksOptions'], call: (o) => tasks(o) },
  'tasks(): limits': { of: 'tasks', lists: ['TaskLimits'], call: (o) => tasks({ limits: o }) },
  'task of a tool': {
    of: 'MCPServer',
    lists: ['TaskOptions'],
    call: (o) => new MCPServer('tasked', { extensions: [tasks()] }).tool('work', { task: o }, () => 'done'),
  },
  'skills()': { of: 'skills', lists: ['SkillsOptions'], call: (o) => skills(o) },
  'server.skill()': { of: 'MCPServer', lists: ['SkillOptions'], call: (o) => skillServer().skill(SKILL, o) },
  'server.skill() with a name': {
    of: 'MCPServer',
    lists: ['DynamicSkillOptions'],
    call: (o) => skillServer().skill('x', { description: 'X', body: run, ...o }),
  },
  'skillFolder()': { of: 'skillFolder', lists: ['SkillFolderOptions'], call: (o) => node.skillFolder('x', o) },
  'skillFolders()': { of: 'skillFolders', lists: ['SkillFolderOptions'], call: (o) => node.skillFolders('x', o) },
  'server.run()': { of: 'MCPServer', lists: ['RunStdioOptions'], call: (o) => newServer().run(o) },
  "server.run({ transport: 'http' })": {
    of: 'MCPServer',
    lists: ['RunHttpOptions'],
    call: (o) => newServer().run({ transport: 'http', ...o }),
  },
  // Only a server knows which options its extensions have.
  'tool()': {
    of: 'tool',
    lists: ['ToolOptions'],
    call: (o) => new MCPServer('x', { tools: [server.tool('x', o, run)] }),
  },
  'prompt()': { of: 'prompt', lists: ['PromptOptions'], call: (o) => server.prompt('x', o, run) },
  'resource()': { of: 'resource', lists: ['ResourceOptions'], call: (o) => server.resource('x://y', o, run) },
  'new Server()': { of: 'Server', lists: ['ServerOptions'], call: (o) => new Server('x', o) },
  'connectInProcess()': { of: 'Server', lists: ['ConnectOptions'], call: (o) => new Server('x').connectInProcess(o) },
  'createHandler()': {
    of: 'createHandler',
    lists: ['HandlerOptions'],
    call: (o) => server.createHandler(newServer(), o),
  },
  'createHandler(): sessions': {
    of: 'createHandler',
    lists: ['SessionOptions'],
    call: (o) => server.createHandler(newServer(), { sessions: o }),
  },
  'createHandler(): cors': {
    of: 'createHandler',
    lists: ['CorsOptions'],
    call: (o) => server.createHandler(newServer(), { cors: o }),
  },
  'createHandler(): experimentalServerCard': {
    of: 'createHandler',
    lists: ['ServerCardOptions'],
    call: (o) => server.createHandler(newServer(), { experimentalServerCard: o }),
  },
  'createHandler(): legacySse': {
    of: 'createHandler',
    lists: ['LegacySsePaths'],
    call: (o) => server.createHandler(newServer(), { legacySse: o }),
  },
  'toFetch()': { of: 'toFetch', lists: ['ToFetchOptions'], call: (o) => server.toFetch(handler, o) },
  'new MemoryEventStore()': {
    of: 'MemoryEventStore',
    lists: ['MemoryEventStoreOptions'],
    call: (o) => new server.MemoryEventStore(o),
  },
  'createRequestStateSeal()': {
    of: 'createRequestStateSeal',
    lists: ['RequestStateOptions'],
    call: (o) => server.createRequestStateSeal({ audience: 'x', ...o }),
  },
  'createSubscriptionBus()': {
    of: 'createSubscriptionBus',
    lists: ['SubscriptionBusOptions'],
    call: (o) => server.createSubscriptionBus(o),
  },
  // Middleware
  'limitConcurrency()': {
    of: 'limitConcurrency',
    lists: ['LimitConcurrencyOptions'],
    call: (o) => server.limitConcurrency({ max: 1, ...o }),
  },
  'limitRate()': {
    of: 'limitRate',
    lists: ['LimitRateOptions'],
    call: (o) => server.limitRate({ perSecond: 1, ...o }),
  },
  'limitResponseSize()': {
    of: 'limitResponseSize',
    lists: ['LimitResponseSizeOptions'],
    call: (o) => server.limitResponseSize({ maxBytes: 1, ...o }),
  },
  'limitTime()': { of: 'limitTime', lists: ['LimitTimeOptions'], call: (o) => server.limitTime(o) },
  'logRequests()': { of: 'logRequests', lists: ['LogRequestsOptions'], call: (o) => server.logRequests(handler, o) },
  'traceServer()': {
    of: 'traceServer',
    lists: ['TraceServerOptions'],
    call: (o) => telemetry.traceServer({ api: {} as never, ...o }),
  },
  'sharedKeys()': {
    of: 'sharedKeys',
    lists: ['SharedKeysOptions'],
    call: (o) => server.sharedKeys(memory(), { master: 'm'.repeat(32), ...o }),
  },
  'tokenStoreOn()': {
    of: 'tokenStoreOn',
    lists: ['TokenStoreOnOptions'],
    call: (o) => auth.tokenStoreOn(memory(), o),
  },
  'measureBackend()': {
    of: 'measureBackend',
    lists: ['MeasureBackendOptions'],
    call: (o) => telemetry.measureBackend(memory(), { api: {} as never, ...o }),
  },
  'traceClient()': {
    of: 'traceClient',
    lists: ['TraceClientOptions'],
    call: (o) => telemetry.traceClient({ api: {} as never, ...o }),
  },
  // Node
  'bullmqExecutor()': {
    of: 'bullmqExecutor',
    lists: ['BullMQExecutorOptions'],
    call: (o) => bullmqExecutor({ add: async () => {}, remove: async () => {} }, o),
  },
  'serveTasks()': { of: 'serveTasks', lists: ['ServeTasksOptions'], call: (o) => node.serveTasks(newServer(), o) },
  'serveHttp()': { of: 'serveHttp', lists: ['ServeHttpOptions'], call: (o) => node.serveHttp(newServer(), o) },
  'serveStdio()': { of: 'serveStdio', lists: ['ServeStdioOptions'], call: (o) => node.serveStdio(newServer(), o) },
  'stdio()': { of: 'stdio', lists: ['StdioOptions'], call: (o) => node.stdio({ command: 'node', ...o }) },
  'stdio(): shutdown': {
    of: 'stdio',
    lists: ['ShutdownTimes'],
    call: (o) => node.stdio({ command: 'node', shutdown: o }),
  },
  'launchStdioServer()': { of: 'launchStdioServer', lists: ['LaunchOptions'], call: (o) => node.launchStdioServer(o) },
  'fileResource()': { of: 'fileResource', lists: ['FileResourceOptions'], call: (o) => node.fileResource('/x', o) },
  'directoryResources()': {
    of: 'directoryResources',
    lists: ['DirectoryResourcesOptions'],
    call: (o) => node.directoryResources('/x', o),
  },
  'fileTokenStore()': { of: 'fileTokenStore', lists: ['FileTokenStoreOptions'], call: (o) => node.fileTokenStore(o) },
  // Clients
  'new Client()': { of: 'Client', lists: ['ClientOptions'], call: (o) => new client.Client(URL_OF_SERVER, o) },
  'Client.connect()': { of: 'Client', lists: ['ClientOptions'], call: (o) => client.Client.connect(URL_OF_SERVER, o) },
  'Client.connect({ command })': {
    of: 'Client',
    lists: ['CommandTarget'],
    call: (o) => client.Client.connect({ command: 'node', ...o }),
  },
  'new Client(): cache': {
    of: 'Client',
    lists: ['CacheConfig'],
    call: (o) => new client.Client(URL_OF_SERVER, { cache: o }),
  },
  'new ClientSession()': {
    of: 'ClientSession',
    lists: ['ClientSessionOptions'],
    call: (o) => new client.ClientSession(dispatcher.createMemoryChannelPair()[0], o),
  },
  'new ClientSessionGroup()': {
    of: 'ClientSessionGroup',
    lists: ['ClientSessionGroupOptions'],
    call: (o) => new client.ClientSessionGroup(o),
  },
  'connectToServer()': {
    of: 'ClientSessionGroup',
    lists: ['GroupConnectOptions'],
    call: (o) => new client.ClientSessionGroup().connectToServer(URL_OF_SERVER, o),
  },
  'ClientSessionGroup.open()': {
    of: 'ClientSessionGroup',
    lists: ['GroupOpenOptions'],
    call: (o) => client.ClientSessionGroup.open({}, o),
  },
  'streamableHttp()': {
    of: 'streamableHttp',
    lists: ['StreamableHttpOptions'],
    call: (o) => client.streamableHttp(URL_OF_SERVER, o),
  },
  'streamableHttp(): reconnect': {
    of: 'streamableHttp',
    lists: ['ReconnectOptions'],
    call: (o) => client.streamableHttp(URL_OF_SERVER, { reconnect: o }),
  },
  'sse()': { of: 'sse', lists: ['SseOptions'], call: (o) => client.sse(URL_OF_SERVER, o) },
  'connect() of mcpwire/testing': {
    of: 'connect',
    lists: ['ConnectForTestOptions'],
    call: (o) => testing.connect(newServer(), o),
  },
  'withTasks()': {
    of: 'withTasks',
    lists: ['WithTasksOptions'],
    call: (o) => testing.withTasks(newServer(), o as never),
  },
  'new JSONRPCDispatcher()': {
    of: 'JSONRPCDispatcher',
    lists: ['DispatcherOptions'],
    call: (o) => new dispatcher.JSONRPCDispatcher(dispatcher.createMemoryChannelPair()[0], o),
  },
  'createDirectDispatcherPair()': {
    of: 'createDirectDispatcherPair',
    lists: ['DirectDispatcherOptions'],
    call: (o) => dispatcher.createDirectDispatcherPair({}, o),
  },
  'createMemoryChannelPair()': {
    of: 'createMemoryChannelPair',
    lists: ['MemoryChannelOptions'],
    call: (o) => dispatcher.createMemoryChannelPair(o),
  },
  'sqlite()': { of: 'sqlite', lists: ['SQLiteOptions'], call: (o) => sqlite(':memory:', o) },
  'memory()': { of: 'memory', lists: ['MemoryBackendOptions'], call: (o) => memory(o) },
  'sealed()': { of: 'sealed', lists: ['SealedOptions'], call: (o) => sealed(memory(), ['x'.repeat(32)], o) },
  'devAuthorizationServer()': {
    of: 'devAuthorizationServer',
    lists: ['DevAuthorizationServerOptions'],
    call: (o) => devAuthorizationServer(o),
  },
  'nats()': { of: 'nats', lists: ['NatsOptions'], call: (o) => nats('nats://127.0.0.1', o) },
  'postgres()': { of: 'postgres', lists: ['PostgresOptions'], call: (o) => postgres('postgres://127.0.0.1', o) },
  'redis()': { of: 'redis', lists: ['RedisBackendOptions'], call: (o) => redis('redis://127.0.0.1', o) },
  'memoryTransport()': {
    of: 'memoryTransport',
    lists: ['MemoryChannelOptions'],
    call: (o) => testing.memoryTransport(newServer(), o),
  },
  // Authorization
  'oauth()': { of: 'oauth', lists: ['OAuthOptions'], call: (o) => auth.oauth(o) },
  'oauth(): client': {
    of: 'oauth',
    lists: ['PreRegisteredClient'],
    call: (o) => auth.oauth({ client: { id: 'x', ...o } }),
  },
  'clientCredentials()': {
    of: 'clientCredentials',
    lists: ['ClientCredentialsOptions'],
    call: (o) => auth.clientCredentials({ clientId: 'x', clientSecret: 'y', issuer: ISSUER, ...o }),
  },
  'enterpriseManaged()': {
    of: 'enterpriseManaged',
    lists: ['EnterpriseManagedOptions'],
    call: (o) => auth.enterpriseManaged({ clientId: 'x', issuer: ISSUER, assertion: 'y', ...o }),
  },
  'enterpriseManaged(): idp': {
    of: 'enterpriseManaged',
    lists: ['IdentityProvider'],
    call: (o) =>
      auth.enterpriseManaged({
        clientId: 'x',
        issuer: ISSUER,
        idp: { tokenEndpoint: `${ISSUER}/token`, clientId: 'x', idToken: 'y', ...o },
      }),
  },
  'workloadIdentity()': {
    of: 'workloadIdentity',
    lists: ['WorkloadIdentityOptions'],
    call: (o) => auth.workloadIdentity({ assertion: 'x', issuer: ISSUER, ...o }),
  },
  'perUser()': {
    of: 'perUser',
    lists: ['PerUserOptions'],
    call: (o) => proxy.perUser({ store: () => auth.memoryTokenStore(), callbackUrl: `${ISSUER}/connect`, ...o }),
  },
  'tokenExchange()': {
    of: 'tokenExchange',
    lists: ['TokenExchangeOptions'],
    call: (o) => auth.tokenExchange({ tokenEndpoint: `${ISSUER}/token`, client: { id: 'x' }, ...o }),
  },
  'tokenExchange(): client': {
    of: 'tokenExchange',
    lists: ['PreRegisteredClient'],
    call: (o) => auth.tokenExchange({ tokenEndpoint: `${ISSUER}/token`, client: { id: 'x', ...o } }),
  },
  'privateKeyJwt()': {
    of: 'privateKeyJwt',
    lists: ['PrivateKeyJwtOptions'],
    call: (o) => auth.privateKeyJwt({ key: {}, ...o }),
  },
  'requireBearer()': {
    of: 'requireBearer',
    lists: ['BearerOptions'],
    call: (o) => auth.requireBearer(handler, { ...bearer, ...o } as auth.BearerOptions),
  },
  'requireBearer(): dpop': {
    of: 'requireBearer',
    lists: ['DpopOptions'],
    call: (o) => auth.requireBearer(handler, { ...bearer, dpop: o }),
  },
  'requireBearer(): metadata': {
    of: 'requireBearer',
    lists: ['ResourceDetails'],
    call: (o) => auth.requireBearer(handler, { ...bearer, metadata: o }),
  },
  'jwtVerifier()': {
    of: 'jwtVerifier',
    lists: ['JwtVerifierOptions'],
    call: (o) => auth.jwtVerifier({ issuer: ISSUER, ...o }),
  },
  'introspectionVerifier()': {
    of: 'introspectionVerifier',
    lists: ['IntrospectionVerifierOptions'],
    call: (o) =>
      auth.introspectionVerifier({ issuer: ISSUER, endpoint: `${ISSUER}/i`, clientId: 'x', clientSecret: 'y', ...o }),
  },
  // Schemas
  'compileSchema()': { of: 'compileSchema', lists: ['CompileOptions'], call: (o) => schema.compileSchema({}, o) },
  'compileSchema(): limits': {
    of: 'compileSchema',
    lists: ['SchemaLimits'],
    call: (o) => schema.compileSchema({}, { limits: o }),
  },
  'createSchemaEngine()': {
    of: 'createSchemaEngine',
    lists: ['CompileOptions'],
    call: (o) => schema.createSchemaEngine(o),
  },
  'resolveSchema()': {
    of: 'resolveSchema',
    lists: ['ResolveSchemaOptions'],
    call: (o) => schema.resolveSchema({}, { direction: 'input', engine: schema.createSchemaEngine(), ...o }),
  },
}

/** Functions and classes that are told nothing of the kind, by why. */
export const WITHOUT_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'no options at all': [
    'changeArguments',
    'describe',
    'hide',
    'namespace',
    'only',
    'promptsAsTools',
    'resourcesAsTools',
    'schemaProfile',
    'transform',
    'unlisted',
    'advertise',
    'ajvEngine',
    'allowOf',
    'apps',
    'backendContract',
    'clientExtension',
    'combine',
    'completable',
    'correlationKey',
    'defaultEnvironment',
    'encodeMessage',
    'encodePieces',
    'fileTaskReferences',
    'InMemoryResponseCacheStore',
    'isRequestId',
    'isSafeLink',
    'mayCall',
    'migrate',
    'memoryTokenStore',
    'modelTools',
    'observed',
    'openBrowser',
    'policyOf',
    'principalKey',
    'principalOf',
    'subjectTokenOf',
    'fakeClock',
    'recordWire',
    'registerBackend',
    'requestStateBoundary',
    'requireClientExtension',
    'runTask',
    'safeJoin',
    'sandboxUrl',
    'tapChannel',
    'tapTransport',
    'timeRequests',
    'toNodeHandler',
    'typeboxEngine',
    'uiOf',
    'update',
    'WireRecorder',
    'verifyStaticTokens',
  ],
  'called for each message or result': ['audio', 'decodeMessage', 'image', 'isSafeIcon', 'resourceLink'],
  'made by the package itself': [
    'GatewayServer',
    'ProxyServer',
    'Connection',
    'Context',
    'ServerRequestContext',
    'ServerSession',
  ],
}
