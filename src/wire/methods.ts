// The method table: one row per method, and the only place that knows which revision has which.
import { lazily } from '../primitives/lazily.ts'
import { isVersionAtLeast, PROTOCOL_VERSIONS, type ProtocolVersion } from '../types/protocol/versions.ts'
import type { ShapeName } from './shapes/grammar.ts'

/** Which side of a connection sends a message. */
export type Sender = 'client' | 'server'

interface Row {
  readonly from: Sender | 'both'
  /** The first revision that has the method; without it, the oldest. */
  readonly since?: ProtocolVersion
  /** The first revision that no longer has it. */
  readonly until?: ProtocolVersion
  readonly params: ShapeName
}

/** A request. Facts that hold in some revisions only say so; the others hold wherever the method exists. */
export interface RequestRow extends Row {
  readonly result: ShapeName
  /** The capability that the receiver declares when it serves the method. */
  readonly capability?: string
  /** The first revision that has this capability; before it, the method needs none. */
  readonly capabilitySince?: ProtocolVersion
  /** One answer is a page, `nextCursor` leads to the next one. */
  readonly paged?: true
  /** From 2026-07-28 on a finished result says how long it stays good. */
  readonly cacheable?: true
  /** From 2026-07-28 on the answer may be an `InputRequiredResult`. */
  readonly mayAskForInput?: true
  /** From this revision on it is no request of its own but part of an `InputRequiredResult`. */
  readonly asInputSince?: ProtocolVersion
  /** At 2025-11-25 it may be called as a task, and is then answered with a `CreateTaskResult`. */
  readonly mayBeTask?: true
  /** The param that the HTTP header `Mcp-Name` repeats. */
  readonly nameParam?: 'name' | 'uri'
}

export interface NotificationRow extends Row {
  /** The first revision in which the client no longer sends it. */
  readonly fromClientUntil?: ProtocolVersion
}

// Order and grouping follow the specification: lifecycle, tools, resources, prompts, utilities, tasks, client features.
export const REQUESTS = {
  initialize: {
    from: 'client',
    until: '2026-07-28',
    params: 'InitializeRequestParams',
    result: 'InitializeResult',
  },
  ping: { from: 'both', until: '2026-07-28', params: 'RequestParams', result: 'EmptyResult' },
  'server/discover': {
    from: 'client',
    since: '2026-07-28',
    params: 'RequestParams',
    result: 'DiscoverResult',
    cacheable: true,
  },

  'tools/list': {
    from: 'client',
    params: 'PaginatedRequestParams',
    result: 'ListToolsResult',
    capability: 'tools',
    paged: true,
    cacheable: true,
  },
  'tools/call': {
    from: 'client',
    params: 'CallToolRequestParams',
    result: 'CallToolResult',
    capability: 'tools',
    mayAskForInput: true,
    mayBeTask: true,
    nameParam: 'name',
  },

  'resources/list': {
    from: 'client',
    params: 'PaginatedRequestParams',
    result: 'ListResourcesResult',
    capability: 'resources',
    paged: true,
    cacheable: true,
  },
  'resources/templates/list': {
    from: 'client',
    params: 'PaginatedRequestParams',
    result: 'ListResourceTemplatesResult',
    capability: 'resources',
    paged: true,
    cacheable: true,
  },
  'resources/read': {
    from: 'client',
    params: 'ReadResourceRequestParams',
    result: 'ReadResourceResult',
    capability: 'resources',
    cacheable: true,
    mayAskForInput: true,
    nameParam: 'uri',
  },
  'resources/subscribe': {
    from: 'client',
    until: '2026-07-28',
    params: 'SubscribeRequestParams',
    result: 'EmptyResult',
    capability: 'resources',
  },
  'resources/unsubscribe': {
    from: 'client',
    until: '2026-07-28',
    params: 'UnsubscribeRequestParams',
    result: 'EmptyResult',
    capability: 'resources',
  },
  'subscriptions/listen': {
    from: 'client',
    since: '2026-07-28',
    params: 'SubscriptionsListenRequestParams',
    result: 'SubscriptionsListenResult',
  },

  'prompts/list': {
    from: 'client',
    params: 'PaginatedRequestParams',
    result: 'ListPromptsResult',
    capability: 'prompts',
    paged: true,
    cacheable: true,
  },
  'prompts/get': {
    from: 'client',
    params: 'GetPromptRequestParams',
    result: 'GetPromptResult',
    capability: 'prompts',
    mayAskForInput: true,
    nameParam: 'name',
  },

  'completion/complete': {
    from: 'client',
    params: 'CompleteRequestParams',
    result: 'CompleteResult',
    capability: 'completions',
    capabilitySince: '2025-03-26',
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
    capability: 'tasks',
  },
  'tasks/result': {
    from: 'both',
    since: '2025-11-25',
    until: '2026-07-28',
    params: 'TaskRequestParams',
    result: 'GetTaskPayloadResult',
    capability: 'tasks',
  },
  'tasks/cancel': {
    from: 'both',
    since: '2025-11-25',
    until: '2026-07-28',
    params: 'TaskRequestParams',
    result: 'CancelTaskResult',
    capability: 'tasks',
  },
  'tasks/list': {
    from: 'both',
    since: '2025-11-25',
    until: '2026-07-28',
    params: 'PaginatedRequestParams',
    result: 'ListTasksResult',
    capability: 'tasks',
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
  },
  'roots/list': {
    from: 'server',
    until: '2026-07-28',
    asInputSince: '2026-07-28',
    params: 'RequestParams',
    result: 'ListRootsResult',
    capability: 'roots',
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
  'notifications/tools/list_changed': { from: 'server', params: 'NotificationParams' },
  'notifications/prompts/list_changed': { from: 'server', params: 'NotificationParams' },
  'notifications/resources/list_changed': { from: 'server', params: 'NotificationParams' },
  'notifications/resources/updated': { from: 'server', params: 'ResourceUpdatedNotificationParams' },
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

const SPEC_METHODS: ReadonlySet<string> = new Set([...Object.keys(REQUESTS), ...Object.keys(NOTIFICATIONS)])

/** Whether any revision defines this method. All others are somebody's extension. */
export function isSpecMethod(method: string): method is RequestMethod | NotificationMethod {
  return SPEC_METHODS.has(method)
}

/** The rows of one kind, by sender and then by revision: each call looks here several times, so this is worked out once. */
type Rows<R> = Readonly<Record<Sender, () => ReadonlyMap<string, ReadonlyMap<string, R>>>>

const REQUEST_ROWS: Rows<RequestRow> = sortOut<RequestRow>(REQUESTS, exists)
const NOTIFICATION_ROWS: Rows<NotificationRow> = sortOut<NotificationRow>(NOTIFICATIONS, isSentAt)

function sortOut<R extends Row>(
  table: Readonly<Record<string, R>>,
  isIn: (row: R, version: ProtocolVersion, from: Sender) => boolean,
): Rows<R> {
  const rows = Object.entries(table)
  const of = (version: ProtocolVersion, from: Sender) =>
    new Map(rows.filter(([, row]) => isSentBy(row, from) && isIn(row, version, from)))
  const by = (from: Sender) => new Map(PROTOCOL_VERSIONS.map((version) => [version as string, of(version, from)]))
  return { client: lazily(() => by('client')), server: lazily(() => by('server')) }
}

/** The row of a request; `undefined` where the revision does not have it, or not from this side. */
export function requestRow(method: string, version: ProtocolVersion, from: Sender): RequestRow | undefined {
  return REQUEST_ROWS[from]().get(version)?.get(method)
}

/** The row of a notification; `undefined` where the revision does not have it, or not from this side. */
export function notificationRow(method: string, version: ProtocolVersion, from: Sender): NotificationRow | undefined {
  return NOTIFICATION_ROWS[from]().get(version)?.get(method)
}

/** The row of a request that may stand in an `InputRequiredResult` of this revision. */
export function inputRequestRow(method: string, version: ProtocolVersion): RequestRow | undefined {
  // Own rows only: a method named `constructor` is not in the table.
  const row: RequestRow | undefined = Object.hasOwn(REQUESTS, method) ? REQUESTS[method as RequestMethod] : undefined
  const since = row?.asInputSince
  return since !== undefined && isVersionAtLeast(version, since) ? row : undefined
}

/** The capability that the receiver has to have declared, where the method needs one in this revision. */
export function neededCapability(row: RequestRow, version: ProtocolVersion): string | undefined {
  const { capability, capabilitySince } = row
  return capabilitySince === undefined || isVersionAtLeast(version, capabilitySince) ? capability : undefined
}

export const CACHEABLE_METHODS: readonly RequestMethod[] = requestsWith('cacheable')
export const INPUT_REQUIRED_METHODS: readonly RequestMethod[] = requestsWith('mayAskForInput')

function requestsWith(fact: keyof RequestRow): RequestMethod[] {
  const rows = Object.entries(REQUESTS) as [RequestMethod, RequestRow][]
  return rows.filter(([, row]) => row[fact] !== undefined).map(([method]) => method)
}

function exists({ since, until }: Row, version: ProtocolVersion): boolean {
  if (since !== undefined && !isVersionAtLeast(version, since)) return false
  return until === undefined || !isVersionAtLeast(version, until)
}

function isSentAt(row: NotificationRow, version: ProtocolVersion, from: Sender): boolean {
  const { fromClientUntil } = row
  const isOver = from === 'client' && fromClientUntil !== undefined && isVersionAtLeast(version, fromClientUntil)
  return exists(row, version) && !isOver
}

function isSentBy(row: Row, from: Sender): boolean {
  return row.from === 'both' || row.from === from
}
