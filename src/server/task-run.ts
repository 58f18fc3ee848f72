// A run of a tool that belongs to no request any more, as that of a task: what handlers see of it, and how it is started.
import type { TransportContext } from '../dispatcher/channel.ts'
import type { AbortListener, DispatchContext } from '../dispatcher/dispatcher.ts'
import { listenForAbort } from '../primitives/async/abort.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { NoBackChannelError } from '../types/errors/errors.ts'
import type { InputRequests } from '../types/features/input-required.ts'
import type { AuthInfo } from '../types/protocol/auth.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { Envelope } from '../wire/envelope.ts'
import { extrasOf } from './context.ts'
import type { ServerCore } from './core.ts'
import { cleanupReporter, openRequest, serveRequest } from './era-drivers.ts'
import { keepTraceOf } from './kept-trace.ts'

/** The task that a handler runs for. */
export interface TaskContext {
  /** The id of the task, as the client knows it. */
  readonly id: string
  /** Grows with every run of the handler, from 1. */
  readonly attempt: number
  /** Whether an earlier run of this task has left answers or steps. */
  readonly isResumed: boolean
  /** Sets the text that clients show while they wait. At most one in 500 ms is written, and the last one always. */
  setStatus(message: string): void
  /** Keeps the task at least this long, in milliseconds from its creation; `null` for `limits.maxTtlMs` of `tasks()`. It never becomes shorter. */
  extend(ttlMs: number | null): Promise<void>
  /** How often clients should ask, in milliseconds (default: rarer with the age of the task). */
  setPollInterval(ms: number): Promise<void>
}

/** A question that a call asks, and its answer where there is one. */
export interface JournalEntry {
  /** Its key among the `inputRequests`; never given to another question of the call. */
  readonly key: string
  readonly digest: string
  /** As the client sent it; `undefined` until there is one. */
  readonly answer?: unknown
}

/** The questions, answers and steps of a call, over all its runs. */
export interface CallJournal {
  readonly isEmpty: boolean
  /** Whether there are answers that the handler has not asked for in this run. */
  readonly hasUnusedAnswers: boolean
  /** The entry of a question that an earlier run has asked. Each entry is returned once. */
  take(digest: string): JournalEntry | undefined
  /** An entry for a question that no earlier run has asked. */
  add(digest: string): JournalEntry
  hasStep(name: string): boolean
  /** A copy, which the handler may change. */
  stepValue(name: string): unknown
  /** Resolves when the value is kept; stays pending where the run has lost its task. */
  saveStep(name: string, value: unknown): MaybePromise<void>
}

/** Waits for answers while the run stays in memory. Resolves to false when the wait is over and the run is to be given up. */
export type HoldQuestions = (
  requests: InputRequests,
  onAnswer: (key: string, answer: unknown) => void,
) => Promise<boolean>

/** A run without a request. */
export interface TaskRun {
  readonly task: TaskContext
  readonly signal: AbortSignal
  readonly journal: CallJournal
  /** Absent where a run that asks is given up at once. */
  readonly hold?: HoldQuestions | undefined
  /** What is left of the time for this run in milliseconds; `undefined` without a limit. */
  readonly remainingMs: number | undefined
  reportProgress(progress: number, total?: number, message?: string): void
}

/** What is known of the request that a run began with. */
export interface RunFacts {
  readonly envelope: Envelope
  readonly auth?: AuthInfo | undefined
  /** Only what the author asked to keep. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** The trace context of its span, where it was traced. */
  readonly trace?: JSONObject | undefined
}

/** A change of a task that this process created. */
export interface TaskChange {
  readonly tool: string
  /** `undefined` for a new task. */
  readonly from: string | undefined
  readonly to: string
  /** Whether its time was over: nobody answered it or ran it. */
  readonly isExpired: boolean
}

/** The context of a run: its own signal and progress, and no way back to a client. */
export class RunDispatch implements DispatchContext {
  readonly requestId = undefined
  readonly canSendRequest = false
  readonly transport: TransportContext
  readonly #run: TaskRun

  constructor(run: TaskRun, { auth, headers }: RunFacts) {
    this.#run = run
    this.transport = {
      kind: 'task',
      canSendRequest: false,
      ...(auth !== undefined && { auth }),
      ...(headers !== undefined && { headers }),
    }
  }

  get signal(): AbortSignal {
    return this.#run.signal
  }

  onAbort(listener: AbortListener): void {
    const { signal } = this
    if (signal.aborted) listener(signal.reason)
    else listenForAbort(signal, () => listener(signal.reason))
  }

  sendRawRequest(method: string): Promise<JSONObject> {
    return Promise.reject(new NoBackChannelError(method))
  }

  async notify(): Promise<void> {}

  async reportProgress(progress: number, total?: number, message?: string): Promise<void> {
    this.#run.reportProgress(progress, total, message)
  }
}

/**
 * Calls a method without a request: through the middleware, to its handler and back. Throws what a client would get, or what
 * must not be disclosed to it.
 */
export async function serveRun(
  server: ServerCore,
  run: TaskRun,
  facts: RunFacts,
  method: string,
  params: JSONObject,
): Promise<JSONObject> {
  const options = { onCleanupError: cleanupReporter(server) }
  const request = openRequest(server, facts.envelope, new RunDispatch(run, facts), method, params, options)
  extrasOf(request).run = run
  if (facts.trace !== undefined) keepTraceOf(request, facts.trace)
  return serveRequest(request)
}
