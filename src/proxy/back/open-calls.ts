// The calls that are under way over one connection to a source, and which of them a message of the source belongs to.
import { PROGRESS } from '../../dispatcher/context.ts'
import type { DispatchContext } from '../../dispatcher/dispatcher.ts'
import { correlationKey } from '../../dispatcher/request-id.ts'
import { LazyMap, LazySet } from '../../primitives/lazy-collections.ts'
import { connectionOfRequest } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProgressToken, RequestId } from '../../types/protocol/jsonrpc.ts'
import { requestFacts } from '../../wire/method-rows.ts'
import { type BackCall, callerKeyOf, type FrontLink, frontLinkOf, passProgress } from './back-call.ts'

const MAX_TASK_TOKENS = 1_024

interface TaskToken {
  readonly key: RequestId
  readonly call: BackCall
  readonly token: ProgressToken
  readonly front: FrontLink
}

export class OpenCalls {
  readonly #calls = new Map<RequestId, BackCall>()
  /** Progress of tasks goes on when their call has been answered. */
  readonly #taskTokens = new LazyMap<RequestId, TaskToken>()
  /** Calls whose callers wait while the source runs them as tasks. */
  readonly #followed = new LazySet<BackCall>()

  get size(): number {
    return this.#calls.size
  }

  add(key: RequestId, call: BackCall): void {
    this.#calls.set(key, call)
  }

  get(key: RequestId): BackCall | undefined {
    return this.#calls.get(key)
  }

  delete(key: RequestId): void {
    this.#calls.delete(key)
  }

  /** A message that names a call which is over belongs to no other call. */
  of({ relatedRequestId: id }: DispatchContext, guess: () => BackCall | undefined): BackCall | undefined {
    return id === undefined ? guess() : this.#calls.get(correlationKey(id))
  }

  /** With several clients in front, only where all calls are those of one caller. */
  newest(hasSeveralFronts: boolean): BackCall | undefined {
    return hasSeveralFronts ? this.only() : [...this.#calls.values()].at(-1)
  }

  /** What names no request belongs to the newest call, where all calls are those of one caller. */
  only(): BackCall | undefined {
    const calls = [...this.#calls.values()].filter(({ request }) => requestFacts(request.method)?.staysOpen !== true)
    const last = calls.at(-1)
    if (last === undefined) return undefined
    const caller = callerKeyOf(last.request)
    return calls.every(({ request }) => callerKeyOf(request) === caller) ? last : undefined
  }

  /** Progress of the task of this call goes to its caller, until the function in return is called. */
  follow(call: BackCall): () => void {
    this.#followed.add(call)
    return () => {
      this.#followed.delete(call)
      for (const kept of [...this.#taskTokens.values()]) if (kept.call === call) this.#taskTokens.delete(kept.key)
    }
  }

  /** The call has become a task of the source: its caller goes on to hear of its progress. */
  keepToken(key: RequestId, call: BackCall): void {
    const { token, request } = call
    if (token === undefined || this.#taskTokens.size >= MAX_TASK_TOKENS) return
    this.#taskTokens.set(key, { key, call, token, front: frontLinkOf(connectionOfRequest(request)) })
  }

  progress(key: RequestId, params: JSONObject): Promise<void> | undefined {
    const call = this.#calls.get(key)
    if (call !== undefined) return passProgress(call, params)
    const task = this.#taskTokens.get(key)
    if (task === undefined) return undefined
    if (this.#followed.has(task.call)) return passProgress(task.call, params)
    return task.front.notify(PROGRESS, { ...params, progressToken: task.token })
  }
}
