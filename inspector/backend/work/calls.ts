// Calls of the page: they run here, and go on whatever the page does.
import { TaskPendingError } from 'mcpwire/extensions/tasks'
import type { CallKind, CallState } from '../../protocol/state.ts'
import type { Connection } from '../connection/connection.ts'
import { currentCall } from '../connection/message-tap.ts'
import { BadRequest } from '../log/bad-request.ts'
import { toProblem } from '../log/problem.ts'

const MAX_RUNNING = 64
const MAX_KEPT = 100
const MAX_MESSAGE = 4_096
const MAX_RESULT_BYTES = 32 * 1024 * 1024

export interface NewCall {
  readonly kind: CallKind
  readonly name: string
  readonly args: Record<string, unknown>
  /** Returns when the server has answered with a task, and leaves the task alone. */
  readonly asTask?: boolean
}

type Change = { -readonly [Key in keyof CallState]?: CallState[Key] }

export class Calls {
  readonly #states = new Map<string, CallState>()
  readonly #aborts = new Map<string, AbortController>()
  /** As JSON: what is kept has no other references, and its size is known. */
  readonly #results = new Map<string, string>()
  readonly #onChange: () => void
  readonly #isWaiting: (call: string) => boolean
  #count = 0

  constructor(onChange: () => void, isWaiting: (call: string) => boolean) {
    this.#onChange = onChange
    this.#isWaiting = isWaiting
  }

  get states(): CallState[] {
    return [...this.#states.values()].map((state) =>
      state.status === 'running' && this.#isWaiting(state.id) ? { ...state, status: 'waiting' } : state,
    )
  }

  /** The call under way on a connection, where there is exactly one. */
  onlyOf(connection: string): string | undefined {
    const running = [...this.#aborts.keys()].filter((id) => this.#states.get(id)?.connection === connection)
    return running.length === 1 ? running[0] : undefined
  }

  resultOf(id: string): string | undefined {
    return this.#results.get(id)
  }

  /** Returns at once. */
  start(connection: Connection, call: NewCall): string {
    return this.run(connection, call, (signal, id) => send(connection, call, id, signal, this.#progress(id)))
  }

  run(
    connection: Connection,
    { kind, name, args }: NewCall,
    work: (signal: AbortSignal, id: string) => Promise<unknown>,
  ): string {
    if (this.#aborts.size >= MAX_RUNNING) {
      throw new BadRequest(`${MAX_RUNNING} calls are running.`, { status: 409, fix: 'Wait for one, or cancel one.' })
    }
    // Throws where the connection is not open.
    void connection.client
    this.#count += 1
    const id = `call${this.#count}`
    const abort = new AbortController()
    this.#aborts.set(id, abort)
    this.#states.set(id, { id, connection: connection.id, kind, name, args, status: 'running', startedAt: Date.now() })
    this.#forgetOld()
    this.#onChange()
    void currentCall
      .run(id, () => work(abort.signal, id))
      .then((result) => this.#finish(id, result))
      .catch((error: unknown) => {
        if (!abort.signal.aborted) connection.noteLogin(error)
        this.#fail(id, error, abort.signal)
      })
      .finally(() => {
        this.#aborts.delete(id)
        connection.tasks.leave(id)
        this.#onChange()
      })
    return id
  }

  cancel(id: string): void {
    const abort = this.#aborts.get(id)
    if (abort === undefined) throw new BadRequest('The call is not running.', { status: 409 })
    abort.abort(new Error('Cancelled by the user.'))
  }

  cancelAllOf(connection: string): void {
    for (const [id, abort] of this.#aborts) {
      if (this.#states.get(id)?.connection === connection) abort.abort(new Error('The connection was closed.'))
    }
  }

  #progress(id: string) {
    // It is sent with every change of the state.
    return ({ message, ...rest }: { progress: number; total?: number; message?: string }) =>
      this.#set(id, { progress: { ...rest, ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE) }) } })
  }

  #finish(id: string, result: unknown): void {
    const text = JSON.stringify(result) ?? 'null'
    this.#results.set(id, text)
    const isToolError = (result as { isError?: unknown } | null)?.isError === true
    this.#set(id, {
      status: isToolError ? 'failed' : 'done',
      endedAt: Date.now(),
      resultBytes: Buffer.byteLength(text),
      ...(isToolError && { isToolError }),
    })
    let total = 0
    for (const one of this.#results.values()) total += one.length
    for (const [oldest, one] of this.#results) {
      if (total <= MAX_RESULT_BYTES || oldest === id) break
      this.#results.delete(oldest)
      total -= one.length
    }
  }

  #fail(id: string, error: unknown, signal: AbortSignal): void {
    if (error instanceof TaskPendingError) {
      this.#set(id, { status: 'done', endedAt: Date.now() })
      return
    }
    const isCancelled = signal.aborted
    this.#set(id, {
      status: isCancelled ? 'cancelled' : 'failed',
      endedAt: Date.now(),
      ...(!isCancelled && { problem: toProblem(error) }),
    })
  }

  #set(id: string, change: Change): void {
    const before = this.#states.get(id)
    if (before === undefined) return
    this.#states.set(id, { ...before, ...change })
    this.#onChange()
  }

  #forgetOld(): void {
    for (const id of this.#states.keys()) {
      if (this.#states.size <= MAX_KEPT) break
      if (this.#aborts.has(id)) continue
      this.#states.delete(id)
      this.#results.delete(id)
    }
  }
}

async function send(
  connection: Connection,
  { kind, name, args, asTask = false }: NewCall,
  id: string,
  signal: AbortSignal,
  onProgress: (progress: { progress: number; total?: number; message?: string }) => void,
): Promise<unknown> {
  const { client, tasks } = connection
  if (kind === 'read') return client.readResource(name, { signal, onProgress })
  if (kind === 'prompt') return client.getPrompt(name, args as Record<string, string>, { signal, onProgress })
  if (!asTask) {
    return client.callTool(name, args, {
      signal,
      onProgress,
      // A legacy call becomes a task only where it is started as one: the option would do nothing but warn.
      ...(connection.state.era === 'modern' && {
        onStatus: (state) => tasks.update(state, { tool: name, call: id, isWatched: true }),
      }),
    })
  }
  const job = await client.tasks.start(name, args, { signal })
  const { taskId, state } = job
  if (taskId === undefined) return job.result({ signal })
  tasks.update({ ...state, taskId }, { tool: name, call: id })
  return { task: { taskId, status: state.status } }
}
