// What the page shows, as the backend sends it: a snapshot that replaces the one before. The page keeps nothing of its own.

export type Era = 'legacy' | 'modern'

export type ConnectionStatus = 'connecting' | 'needs-login' | 'ready' | 'lost' | 'failed' | 'closed'

/** The steps of connecting, in order. */
export const STEP_NAMES = ['resolve', 'reach', 'probe', 'negotiate', 'list'] as const
export type StepName = (typeof STEP_NAMES)[number]

export interface Step {
  readonly name: StepName
  readonly state: 'waiting' | 'running' | 'done' | 'skipped' | 'failed'
  readonly ms?: number
  /** What happened in it, in a few words. */
  readonly note?: string
}

/** A failure: what happened, and what to do. */
export interface Problem {
  readonly message: string
  readonly fix?: string
  readonly code?: number
  readonly data?: unknown
}

export const LIST_KINDS = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const
export type ListKind = (typeof LIST_KINDS)[number]

export interface ServerState {
  readonly name: string
  readonly title?: string
  readonly version: string
  readonly description?: string
  readonly websiteUrl?: string
}

export interface AuthState {
  readonly status: 'none' | 'logging-in' | 'logged-in' | 'expired' | 'step-up' | 'failed'
  /** The login page that the user has to visit. */
  readonly loginUrl?: string
  readonly token?: { readonly preview: string; readonly expiresAt?: number; readonly scopes: readonly string[] }
  readonly problem?: Problem
}

export interface TaskRow {
  readonly id: string
  readonly tool: string
  readonly status: string
  readonly statusMessage?: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Whether a call of ours waits for it. */
  readonly isWatched: boolean
  readonly call?: string
}

export interface ConnectionState {
  readonly id: string
  /** Without secrets. */
  readonly target: string
  /** The one word by which the user named a program, such as a file: commands take it too. */
  readonly word?: string
  readonly kind: 'url' | 'command'
  readonly mode: string
  readonly status: ConnectionStatus
  readonly steps: readonly Step[]
  readonly problem?: Problem
  /** Milliseconds since 1970, for a connection that reconnects by itself. */
  readonly retryAt?: number
  readonly server?: ServerState
  readonly era?: Era
  readonly protocolVersion?: string
  /** The revisions that the server offers, where it says. */
  readonly offeredVersions?: readonly string[]
  readonly instructions?: string
  readonly serverCapabilities?: Readonly<Record<string, unknown>>
  readonly clientCapabilities?: Readonly<Record<string, unknown>>
  /** How many items each list has; absent where the server does not have the list. */
  readonly counts: { readonly [Kind in ListKind]?: number }
  /** Grows with every announced change of the list. */
  readonly versions: { readonly [Kind in ListKind]: number }
  readonly latencyMs?: number
  readonly auth: AuthState
  readonly tasks: readonly TaskRow[]
  /** Subscribed resources, with the number of updates since. */
  readonly subscriptions: readonly { readonly uri: string; readonly updates: number }[]
  readonly faults: number
}

export type CallKind = 'tool' | 'read' | 'prompt'

export interface CallState {
  readonly id: string
  readonly connection: string
  readonly kind: CallKind
  /** The tool, the prompt or the URI. */
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly status: 'running' | 'waiting' | 'done' | 'failed' | 'cancelled'
  readonly startedAt: number
  readonly endedAt?: number
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string }
  /** A result of the tool that says that it failed. A protocol error is a `problem`. */
  readonly isToolError?: boolean
  readonly problem?: Problem
  readonly task?: string
  readonly resultBytes?: number
}

export type QuestionKind = 'form' | 'url' | 'sampling' | 'roots'

export interface QuestionState {
  readonly id: string
  readonly connection: string
  readonly call?: string
  readonly kind: QuestionKind
  readonly askedAt: number
  /** As the server sent them. */
  readonly params: Readonly<Record<string, unknown>>
  readonly status: 'waiting' | 'answered' | 'withdrawn'
  /** What was answered, in one word. */
  readonly answer?: string
}

/** What a view may ask for, by its name in the extension. */
export type ViewPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

/** A view of an app that is open. */
export interface ViewState {
  readonly id: string
  readonly connection: string
  readonly tool: string
  readonly status: 'loading' | 'ready' | 'closed'
  readonly url: string
  readonly allow: string
  readonly policy: string
  /** What the policy stopped, each once. */
  readonly blocked: readonly string[]
  /** Pages that the view wants to open. The user opens them. */
  readonly links: readonly string[]
  readonly height?: number
  readonly displayMode?: string
  readonly name?: string
}

export interface SavedCall {
  readonly id: string
  /** Of connections, without secrets. */
  readonly target: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** An answer that is given again whenever a server asks the same. */
export interface KeptAnswer {
  readonly id: string
  /** Of connections, without secrets. */
  readonly target: string
  readonly kind: QuestionKind
  /** The question in a few words. */
  readonly question: string
  readonly answer: string
}

export interface ConfiguredServer {
  readonly name: string
  readonly from: string
  readonly target: string
}

export interface InspectorState {
  readonly connections: readonly ConnectionState[]
  readonly calls: readonly CallState[]
  readonly questions: readonly QuestionState[]
  readonly views: readonly ViewState[]
  readonly saved: readonly SavedCall[]
  readonly answers: readonly KeptAnswer[]
  readonly recent: readonly string[]
  readonly configured: readonly ConfiguredServer[]
  /** Of the program. */
  readonly version: string
}
