// The result of a task whose state does not contain it (2025-11-25): a request of its own, which waits for the end.
import { settlesWithin } from '../../../primitives/async/timer.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { TaskState } from '../../../types/extensions/tasks.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'
import { isRetryable } from '../client/pace.ts'
import type { TaskResultSource } from '../client/port.ts'

type Fetched = { readonly result: CallToolResult } | { readonly error: MCPError }

/** Asks with `tasks/result`, which stays open until the task has ended. Once it `hasEnded`, a time limit applies. */
type AskForResult = (signal: AbortSignal, hasEnded: boolean) => Promise<CallToolResult>

/** How long an early request may take to be answered after the end of the task, before another one is sent. */
const LATE_MS = 5_000

export class TaskResult implements TaskResultSource {
  readonly #ask: AskForResult
  readonly #onFetched: (result: CallToolResult | undefined) => void
  #fetched: Fetched | undefined
  #fetching: Promise<void> | undefined
  #early: AbortController | undefined

  /** `onFetched` is called when an early request was answered, with the result where it was no error. */
  constructor(ask: AskForResult, onFetched: (result: CallToolResult | undefined) => void) {
    this.#ask = ask
    this.#onFetched = onFetched
  }

  /** Asks for the result before the end: the server may send its questions only meanwhile. */
  fetchEarly(signal: AbortSignal): void {
    if (this.#fetched !== undefined || this.#fetching !== undefined) return
    this.#early = new AbortController()
    this.#fetching = this.#fetchBesidePolls(AbortSignal.any([signal, this.#early.signal]))
  }

  async #fetchBesidePolls(signal: AbortSignal): Promise<void> {
    try {
      await this.#fetch(signal, false)
    } catch {
      // The next poll says whether it is worth another request.
    }
    this.#fetching = undefined
    const fetched = this.#fetched as Fetched | undefined
    if (fetched !== undefined && !signal.aborted) this.#onFetched('result' in fetched ? fetched.result : undefined)
  }

  /** The final state with its result or error. Rejects where the request failed on its way. */
  async complete(state: TaskState, signal: AbortSignal): Promise<TaskState> {
    if (state.status === 'cancelled') return state
    if (this.#fetching !== undefined && !(await settlesWithin(this.#fetching, LATE_MS))) {
      this.#early?.abort(new Error('The task has ended, and its result did not come.'))
    }
    if (this.#fetched === undefined) await this.#fetch(signal, true)
    const fetched = this.#fetched as Fetched | undefined
    if (fetched === undefined) return state
    return 'result' in fetched ? { ...state, result: fetched.result } : { ...state, error: fetched.error.toErrorData() }
  }

  async #fetch(signal: AbortSignal, hasEnded: boolean): Promise<void> {
    try {
      this.#fetched = { result: await this.#ask(signal, hasEnded) }
    } catch (error) {
      const isAnswer = error instanceof MCPError && !error.local && !isRetryable(error)
      if (!isAnswer) throw error
      this.#fetched = { error }
    }
  }
}
