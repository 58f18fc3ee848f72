// Turns the messages of a connection into entries: paired with their requests, and put into the calls that they belong to.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { WireMessage } from 'mcpwire/dispatcher'
import type { MessageEntry, MessageRole, NewEntry } from '../../protocol/entries.ts'

/** The call on whose behalf code runs. Both eras send from within it, however many rounds a call has. */
export const currentCall = new AsyncLocalStorage<string>()

type Members = Readonly<Record<string, unknown>>

interface Asked {
  readonly n: number
  readonly method: string
  readonly subject: string | undefined
  readonly call: string | undefined
  readonly round: number | undefined
  readonly at: number
}

const MAX_OPEN = 10_000

export interface MessageTapOptions {
  readonly connection: string
  readonly add: (entry: NewEntry) => number
  /** The only call under way, where there is exactly one. */
  readonly onlyCall: () => string | undefined
  readonly onSent: (method: string, params: Members) => void
  readonly onAnswered: (method: string, ms: number) => void
}

export class MessageTap {
  readonly #options: MessageTapOptions
  /** Requests that wait for their answers, by who sent them and their id. */
  readonly #open = new Map<string, Asked>()
  readonly #rounds = new Map<string, number>()
  readonly #tokens = new Map<unknown, string>()

  constructor(options: MessageTapOptions) {
    this.#options = options
  }

  /** Never throws: the connection must not suffer from being watched. */
  readonly take = (wire: WireMessage): void => {
    const { direction, message, relatedRequestId } = wire
    const all = Array.isArray(message) ? message : [message]
    for (const one of all as unknown[]) {
      if (!isMembers(one)) continue
      this.#takeOne(direction, one, relatedRequestId)
    }
  }

  /** The call to which a request of the server belongs, for its question. */
  callOf(id: unknown): string | undefined {
    return this.#open.get(keyOf('received', id))?.call
  }

  #takeOne(direction: 'sent' | 'received', message: Members, relatedId: unknown): void {
    const { id, method } = message
    const body = stringify(message)
    const base = {
      type: 'message',
      connection: this.#options.connection,
      direction,
      body,
      bytes: Buffer.byteLength(body),
      ...((typeof id === 'string' || typeof id === 'number') && { id }),
    } as const
    if (typeof method === 'string') {
      const params = isMembers(message['params']) ? message['params'] : {}
      if (id === undefined) this.#takeNotification(base, method, params, relatedId)
      else this.#takeRequest(base, id, method, params, relatedId)
    } else this.#takeAnswer(base, message)
  }

  #takeRequest(base: Base, id: unknown, method: string, params: Members, relatedId: unknown): void {
    const isOurs = base.direction === 'sent'
    const call = isOurs ? currentCall.getStore() : this.#callOfRelated(relatedId)
    const round = isOurs && call !== undefined && ROUND_METHODS.has(method) ? this.#nextRound(call) : undefined
    const subject = subjectOf(params)
    const role: MessageRole = isOurs
      ? params['inputResponses'] === undefined
        ? 'call'
        : 'answer'
      : method === 'ping'
        ? 'other'
        : 'question'
    const about = { method, subject, call, round }
    const n = this.#options.add({ ...base, kind: 'request', role, ...defined(about) })
    this.#remember(keyOf(base.direction, id), { n, ...about, at: performance.now() })
    const token = isMembers(params['_meta']) ? params['_meta']['progressToken'] : undefined
    if (token !== undefined && call !== undefined) this.#tokens.set(token, call)
    if (this.#tokens.size > MAX_OPEN) this.#tokens.clear()
    if (isOurs) this.#options.onSent(method, params)
  }

  #takeNotification(base: Base, method: string, params: Members, relatedId: unknown): void {
    const byToken = this.#tokens.get(params['progressToken'])
    const cancelled = this.#open.get(keyOf(base.direction, params['requestId']))?.call
    const call = byToken ?? cancelled ?? this.#callOfRelated(relatedId, false)
    this.#options.add({ ...base, kind: 'notification', role: roleOfNotification(method), method, ...defined({ call }) })
    if (base.direction === 'sent') this.#options.onSent(method, params)
  }

  #takeAnswer(base: Base, message: Members): void {
    const key = keyOf(base.direction === 'sent' ? 'received' : 'sent', message['id'])
    const asked = this.#open.get(key)
    this.#open.delete(key)
    const isError = message['error'] !== undefined
    const { result } = message
    const isQuestion = isMembers(result) && result['resultType'] === 'input_required'
    const role: MessageRole = isError
      ? 'error'
      : base.direction === 'sent'
        ? 'answer'
        : isQuestion
          ? 'question'
          : isMembers(result) && result['isError'] === true
            ? 'tool-error'
            : 'result'
    const { method, subject, call, round } = asked ?? {}
    this.#options.add({
      ...base,
      kind: isError ? 'error' : message['result'] === undefined ? 'other' : 'response',
      role,
      ...defined({ method, subject, call, round, answers: asked?.n }),
    })
    if (asked !== undefined && base.direction === 'received') {
      this.#options.onAnswered(asked.method, performance.now() - asked.at)
    }
  }

  /** A server that asks over stdio does not say in which call. With one call under way there is no doubt. */
  #callOfRelated(relatedId: unknown, guesses = true): string | undefined {
    const related = relatedId === undefined ? undefined : this.#open.get(keyOf('sent', relatedId))
    return related?.call ?? (guesses ? this.#options.onlyCall() : undefined)
  }

  #nextRound(call: string): number {
    const round = (this.#rounds.get(call) ?? 0) + 1
    if (this.#rounds.size > MAX_OPEN) this.#rounds.clear()
    this.#rounds.set(call, round)
    return round
  }

  #remember(key: string, asked: Asked): void {
    this.#open.set(key, asked)
    if (this.#open.size <= MAX_OPEN) return
    for (const oldest of this.#open.keys()) {
      this.#open.delete(oldest)
      break
    }
  }
}

type Base = Pick<MessageEntry, 'type' | 'connection' | 'direction' | 'body' | 'bytes'>

/** The requests that a server may answer with questions. */
const ROUND_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

function roleOfNotification(method: string): MessageRole {
  if (method === 'notifications/progress') return 'progress'
  if (method === 'notifications/message') return 'log'
  if (method === 'notifications/cancelled') return 'cancel'
  return /list_changed$|updated$|notifications\/tasks/.test(method) ? 'change' : 'other'
}

function subjectOf(params: Members): string | undefined {
  const subject = params['name'] ?? params['uri'] ?? params['taskId']
  return typeof subject === 'string' ? subject.slice(0, 200) : undefined
}

function keyOf(direction: 'sent' | 'received', id: unknown): string {
  return `${direction} ${typeof id} ${String(id)}`
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return '"This message can not be shown as JSON."'
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Without the members that are `undefined`. */
function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}
