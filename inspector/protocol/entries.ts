// What happened, in order: numbered entries that the page gets as events, once each.

/** What a message is for in a call. The same words in both eras. */
export type MessageRole =
  | 'call'
  | 'question'
  | 'answer'
  | 'progress'
  | 'result'
  | 'error'
  | 'tool-error'
  | 'cancel'
  | 'log'
  | 'change'
  | 'other'

interface EntryBase {
  readonly n: number
  /** Milliseconds since 1970. */
  readonly time: number
  readonly connection: string
}

export interface MessageEntry extends EntryBase {
  readonly type: 'message'
  readonly direction: 'sent' | 'received'
  readonly kind: 'request' | 'response' | 'error' | 'notification' | 'batch' | 'other'
  readonly role: MessageRole
  /** For an answer: that of its request. */
  readonly method?: string
  readonly id?: string | number
  /** The number of the request that it answers. */
  readonly answers?: number
  /** What the request is about: the tool, the prompt, the URI. */
  readonly subject?: string
  readonly call?: string
  /** Of a call that goes back and forth in several requests: 1 for the first. */
  readonly round?: number
  readonly bytes: number
  /** As JSON. Cut off where it is longer than the stream carries. */
  readonly body: string
  readonly isCut?: true
}

export interface HttpEntry extends EntryBase {
  readonly type: 'http'
  readonly method: string
  /** Without secrets. */
  readonly url: string
  readonly status?: number
  readonly ms: number
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly problem?: string
}

export interface LogEntry extends EntryBase {
  readonly type: 'log'
  readonly source: 'server' | 'stderr' | 'client' | 'reload'
  readonly level: string
  readonly logger?: string
  readonly text: string
}

export interface AuthEntry extends EntryBase {
  readonly type: 'auth'
  readonly step: string
  readonly url?: string
  readonly status?: number
  readonly note: string
  readonly isFailure?: true
}

/** A message between a view and the backend. */
export interface ViewEntry extends EntryBase {
  readonly type: 'view'
  readonly view: string
  readonly direction: 'to-view' | 'from-view'
  readonly body: string
}

export type Entry = MessageEntry | HttpEntry | LogEntry | AuthEntry | ViewEntry
export type NewEntry = Entry extends infer One ? (One extends Entry ? Omit<One, 'n' | 'time'> : never) : never
