// The method table: one row per method, with everything that is true of it. No other file lists methods to say that.
import type { SubscriptionFilter } from '../types/features/subscriptions.ts'
import type { ClientCapabilities, ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import type { ShapeName } from './shapes/grammar.ts'

/** Which side of a connection sends a message. */
export type Sender = 'client' | 'server'

export interface MethodRow {
  readonly from: Sender | 'both'
  /** The first revision that has the method; without it, the oldest. */
  readonly since?: ProtocolVersion
  /** The first revision that no longer has it. */
  readonly until?: ProtocolVersion
  readonly params: ShapeName
}

/** A request. Facts that hold in some revisions only say so; the others hold wherever the method exists. */
export interface RequestRow extends MethodRow {
  readonly result: ShapeName
  /** A server that has a handler for the method declares this capability, a client that has its callback. */
  readonly capability?: keyof ServerCapabilities | keyof ClientCapabilities
  /** The callback of a client that answers the request. */
  readonly callback?: 'onSampling' | 'onElicitation' | 'onListRoots'
  /** One result is a page, `nextCursor` leads to the next one. */
  readonly paged?: true
  /** From 2026-07-28 on a complete result has `ttlMs` and `cacheScope`. */
  readonly cacheable?: true
  /** Reads only, so that a request whose response was lost may be sent again. */
  readonly safe?: true
  /** From 2026-07-28 on the answer may be an `InputRequiredResult`. */
  readonly mayAskForInput?: true
  /** From this revision on it is no request of its own but part of an `InputRequiredResult`. */
  readonly asInputSince?: ProtocolVersion
  /** At 2025-11-25 it may be called as a task, and is then answered with a `CreateTaskResult`. */
  readonly mayBeTask?: true
  /** An extension may answer it with a result type of its own. */
  readonly claimable?: true
  /** The param that the HTTP header `Mcp-Name` repeats. */
  readonly nameParam?: 'name' | 'uri'
  /** A client may send it, and a server serves it, before the handshake is done. */
  readonly beforeHandshake?: true
  /** Done before anything that came after it is looked at. */
  readonly inline?: true
  /** Answered even while other requests wait for a place. */
  readonly urgent?: true
  /** May take long: a client waits 300 s instead of 60 s by default, and always asks for progress. */
  readonly longRunning?: true
  /** The response comes when the subscription ends: over HTTP it is always a stream. */
  readonly staysOpen?: true
  /** `limitTime()` sets no limit unless one is given for the method: it opens or keeps a connection, or is meant to stay open. */
  readonly untimed?: true
  /** Runs a handler of the server's author for one caller: `limitRate()` counts it by default. */
  readonly counted?: true
  /** The result goes to a model: `limitResponseSize()` measures it by default. */
  readonly content?: true
}

export interface NotificationRow extends MethodRow {
  /** The first revision in which the client no longer sends it. */
  readonly fromClientUntil?: ProtocolVersion
  /** The change that it announces. Changes belong to no request, so that they are sent on the connection's own stream. */
  readonly change?: Change
  /** The server capability that declares whether the change is announced. */
  readonly capability?: 'tools' | 'resources' | 'prompts'
  /** The requests whose results the change makes stale. A server announces it where it serves one of them. */
  readonly invalidates?: readonly RequestMethod[]
}

/** A change that a server announces; the words are those of `SubscriptionFilter` and of the events. */
export type Change = Exclude<keyof SubscriptionFilter, 'resourceSubscriptions'> | 'resourceUpdated'

// Order and grouping follow the specification: lifecycle, tools, resources, prompts, utilities, tasks, client features.
export const REQUESTS = {
  initialize: {
    from: 'client',
    until: '2026-07-28',
    params: 'InitializeRequestParams',
    result: 'InitializeResult',
    beforeHandshake: true,
    inline: true,
    untimed: true,
  },
  ping: {
    from: 'both',
    until: '2026-07-28',
    params: 'RequestParams',
    result: 'EmptyResult',
    safe: true,
    beforeHandshake: true,
    urgent: true,
    untimed: true,
  },
  'server/discover': {
    from: 'client',
    since: '2026-07-28',
    params: 'RequestParams',
    result: 'DiscoverResult',
    cacheable: true,
    safe: true,
    untimed: true,
  },

  'tools/list': {
    from: 'client',
    params: 'PaginatedRequestParams',
    result: 'ListToolsResult',
    capability: 'tools',
    paged: true,
    cacheable: true,
    safe: true,
  },
  'tools/call': {
    from: 'client',
    params: 'CallToolRequestParams',
    result: 'CallToolResult',
    mayAskForInput: true,
    mayBeTask: true,
    nameParam: 'name',
    claimable: true,
    longRunning: true,
    counted: true,
    content: true,
  },

  'resources/list': {
    from: 'client',
    params: 'PaginatedRequestParams',
    result: 'ListResourcesResult',
    capability: 'resources',
    paged: true,
    cacheable: true,
    safe: true,
  },
  'resources/templates/list': {
    from: 'client',
    params: 'PaginatedRequestParams',
    result: 'ListResourceTemplatesResult',
    capability: 'resources',
    paged: true,
    cacheable: true,
    safe: true,
  },
  'resources/read': {
    from: 'client',
    params: 'ReadResourceRequestParams',
    result: 'ReadResourceResult',
    capability: 'resources',
    cacheable: true,
    mayAskForInput: true,
    nameParam: 'uri',
    safe: true,
    counted: true,
    content: true,
  },
  'resources/subscribe': {
    from: 'client',
    until: '2026-07-28',
    params: 'SubscribeRequestParams',
    result: 'EmptyResult',
  },
  'resources/unsubscribe': {
    from: 'client',
    until: '2026-07-28',
    params: 'UnsubscribeRequestParams',
    result: 'EmptyResult',
  },
  'subscriptions/listen': {
    from: 'client',
    since: '2026-07-28',
    params: 'SubscriptionsListenRequestParams',
    result: 'SubscriptionsListenResult',
    staysOpen: true,
    untimed: true,
  },

  'prompts/list': {
    from: 'client',
    params: 'PaginatedRequestParams',
    result: 'ListPromptsResult',
    capability: 'prompts',
    paged: true,
    cacheable: true,
    safe: true,
  },
  'prompts/get': {
    from: 'client',
    params: 'GetPromptRequestParams',
    result: 'GetPromptResult',
    mayAskForInput: true,
    nameParam: 'name',
    counted: true,
    content: true,
  },

  'completion/complete': {
    from: 'client',
    params: 'CompleteRequestParams',
    result: 'CompleteResult',
    capability: 'completions',
    counted: true,
  },
  'logging/setLevel': {
    from: 'client',
    until: '2026-07-28',
    params: 'SetLevelRequestParams',
    result: 'EmptyResult',
    capability: 'logging',
  },

  'tasks/get': {
    from: 'both',
    since: '2025-11-25',
    until: '2026-07-28',
    params: 'TaskRequestParams',
    result: 'GetTaskResult',
  },
  'tasks/result': {
    from: 'both',
    since: '2025-11-25',
    until: '2026-07-28',
    params: 'TaskRequestParams',
    result: 'GetTaskPayloadResult',
    untimed: true,
    content: true,
  },
  'tasks/cancel': {
    from: 'both',
    since: '2025-11-25',
    until: '2026-07-28',
    params: 'TaskRequestParams',
    result: 'CancelTaskResult',
  },
  'tasks/list': {
    from: 'both',
    since: '2025-11-25',
    until: '2026-07-28',
    params: 'PaginatedRequestParams',
    result: 'ListTasksResult',
    paged: true,
  },

  'sampling/createMessage': {
    from: 'server',
    until: '2026-07-28',
    asInputSince: '2026-07-28',
    params: 'CreateMessageRequestParams',
    result: 'CreateMessageResult',
    capability: 'sampling',
    mayBeTask: true,
    callback: 'onSampling',
  },
  'roots/list': {
    from: 'server',
    until: '2026-07-28',
    asInputSince: '2026-07-28',
    params: 'RequestParams',
    result: 'ListRootsResult',
    capability: 'roots',
    callback: 'onListRoots',
  },
  'elicitation/create': {
    from: 'server',
    since: '2025-06-18',
    until: '2026-07-28',
    asInputSince: '2026-07-28',
    params: 'ElicitRequestParams',
    result: 'ElicitResult',
    capability: 'elicitation',
    mayBeTask: true,
    callback: 'onElicitation',
  },
} as const satisfies Record<string, RequestRow>

export const NOTIFICATIONS = {
  'notifications/initialized': { from: 'client', until: '2026-07-28', params: 'NotificationParams' },
  'notifications/cancelled': { from: 'both', params: 'CancelledNotificationParams' },
  'notifications/progress': {
    from: 'both',
    fromClientUntil: '2026-07-28',
    params: 'ProgressNotificationParams',
  },
  'notifications/message': { from: 'server', params: 'LoggingMessageNotificationParams' },
  'notifications/tools/list_changed': {
    from: 'server',
    params: 'NotificationParams',
    change: 'toolsListChanged',
    capability: 'tools',
    invalidates: ['tools/list'],
  },
  'notifications/prompts/list_changed': {
    from: 'server',
    params: 'NotificationParams',
    change: 'promptsListChanged',
    capability: 'prompts',
    invalidates: ['prompts/list'],
  },
  'notifications/resources/list_changed': {
    from: 'server',
    params: 'NotificationParams',
    change: 'resourcesListChanged',
    capability: 'resources',
    invalidates: ['resources/list', 'resources/templates/list'],
  },
  'notifications/resources/updated': {
    from: 'server',
    params: 'ResourceUpdatedNotificationParams',
    change: 'resourceUpdated',
    capability: 'resources',
    invalidates: ['resources/read'],
  },
  'notifications/roots/list_changed': { from: 'client', until: '2026-07-28', params: 'NotificationParams' },
  'notifications/elicitation/complete': {
    from: 'server',
    since: '2025-11-25',
    until: '2026-07-28',
    params: 'ElicitationCompleteNotificationParams',
  },
  'notifications/tasks/status': {
    from: 'both',
    since: '2025-11-25',
    until: '2026-07-28',
    params: 'TaskStatusNotificationParams',
  },
  'notifications/subscriptions/acknowledged': {
    from: 'server',
    since: '2026-07-28',
    params: 'SubscriptionsAcknowledgedNotificationParams',
  },
} as const satisfies Record<string, NotificationRow>

export type RequestMethod = keyof typeof REQUESTS
export type NotificationMethod = keyof typeof NOTIFICATIONS

/** The requests that have this fact in their row. */
export type RequestMethodsWith<Fact extends keyof RequestRow> = {
  [Method in RequestMethod]: (typeof REQUESTS)[Method] extends { readonly [key in Fact]: unknown } ? Method : never
}[RequestMethod]

/** Methods whose results say how long they stay good; since 2026-07-28. */
export type CacheableMethod = RequestMethodsWith<'cacheable'>

/** Methods that the other side may answer with an `InputRequiredResult`; since 2026-07-28. */
export type InputRequiredMethod = RequestMethodsWith<'mayAskForInput'>

/** Methods whose results come in pages. */
export type PagedMethod = RequestMethodsWith<'paged'>
