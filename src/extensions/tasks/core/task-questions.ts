// Sends the questions of a task to a client that waits for its result, and keeps the answers with the task.
import type { Task } from '../../../backend/task-store.ts'
import { checkQuestion } from '../../../server/asking/question-rules.ts'
import { toRefusedAnswer } from '../../../server/asking/refused-answer.ts'
import { connectionOfRequest, type ServerRequestContext, serverOfRequest } from '../../../server/context.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { isAnswer, MCPError } from '../../../types/errors/errors.ts'
import { InvalidResultError } from '../../../types/errors/failures.ts'
import type { InputRequest } from '../../../types/features/input-required.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { TaskRuntime } from '../server/runtime.ts'
import { withRelatedTask } from './related-task.ts'

/** The same limit as for a question during a plain call. A question that was not answered by then stays open. */
const ANSWER_TIMEOUT_MS = 600_000

/**
 * After this time another client that waits is asked instead. The first one may be gone: over HTTP a lost connection is no end of a
 * session, and a client that was started anew waits in a new one.
 */
const TAKE_OVER_MS = 10_000

/** How long an answer is kept while the engine of the store is away: nobody likes to be asked twice. */
const KEEP_ANSWER_MS = 60_000

/** A request that asks its client. */
interface Asker {
  /** The client that was asked. */
  readonly peer: object
  readonly since: number
  /** Takes the question back. */
  yield(): void
}

/** The questions that some client is being asked, so that no two are asked the same at once. */
export class QuestionsUnderWay {
  readonly #askers = new Map<string, Map<string, Asker>>()
  readonly #onFree: (taskId: string) => void

  /** `onFree` is called when a question is no longer under way, answered or not. */
  constructor(onFree: (taskId: string) => void) {
    this.#onFree = onFree
  }

  /** False where another request is asking this already, and may still get an answer. */
  begin(taskId: string, key: string, asker: Asker): boolean {
    const askers = this.#askers.get(taskId) ?? new Map<string, Asker>()
    const earlier = askers.get(key)
    if (earlier !== undefined) {
      if (earlier.peer === asker.peer || asker.since - earlier.since < TAKE_OVER_MS) return false
      earlier.yield()
    }
    this.#askers.set(taskId, askers.set(key, asker))
    return true
  }

  end(taskId: string, key: string, asker: Asker): void {
    const askers = this.#askers.get(taskId)
    if (askers?.get(key) === asker) askers.delete(key)
    if (askers?.size === 0) this.#askers.delete(taskId)
    this.#onFree(taskId)
  }
}

/** The questions that one request has sent. */
export class TaskQuestions {
  readonly #runtime: TaskRuntime
  readonly #underWay: QuestionsUnderWay
  readonly #ctx: ServerRequestContext
  readonly #onError: (error: unknown) => void
  /** Each is asked once by this request, even if nobody answers. */
  readonly #tried = new Set<string>()
  readonly #asking = new Map<string, AbortController>()

  constructor(
    runtime: TaskRuntime,
    underWay: QuestionsUnderWay,
    ctx: ServerRequestContext,
    onError: (error: unknown) => void,
  ) {
    this.#runtime = runtime
    this.#underWay = underWay
    this.#ctx = ctx
    this.#onError = onError
  }

  /** Sends what is open and nobody is being asked, and takes back what is no longer open. */
  ask(task: Task): void {
    for (const [key, asking] of this.#asking) {
      if (!Object.hasOwn(task.questions, key)) asking.abort(new Error('The question is no longer open.'))
    }
    if (!this.#ctx.session.canSendRequest) return
    for (const [key, text] of Object.entries(task.questions)) {
      if (this.#tried.has(key)) continue
      const request = JSON.parse(text) as InputRequest
      if (!this.#canAnswer(request)) continue
      const asking = new AbortController()
      const asker = this.#createAsker(asking)
      if (!this.#underWay.begin(task.id, key, asker)) continue
      this.#tried.add(key)
      this.#asking.set(key, asking)
      void this.#askOne(task, key, request, asking.signal).finally(() => {
        this.#asking.delete(key)
        this.#underWay.end(task.id, key, asker)
      })
    }
  }

  /** Takes back all questions. */
  stop(): void {
    for (const asking of this.#asking.values()) asking.abort(new Error('Nobody waits for the result any more.'))
  }

  /** The session that waits need not be the one that created the task. */
  #canAnswer(request: InputRequest): boolean {
    try {
      checkQuestion(request, this.#ctx.clientCapabilities, this.#ctx.protocolVersion)
      return true
    } catch {
      return false
    }
  }

  #createAsker(asking: AbortController): Asker {
    const { peer } = connectionOfRequest(this.#ctx)
    const since = serverOfRequest(this.#ctx).clock.monotonic()
    return { peer, since, yield: () => asking.abort(new Error('Another client is asked instead.')) }
  }

  async #askOne(task: Task, key: string, request: InputRequest, signal: AbortSignal): Promise<void> {
    try {
      const answer = await this.#send(task.id, request, signal)
      if (answer !== undefined) await this.#runtime.answer(task, { [key]: answer }, KEEP_ANSWER_MS)
    } catch (error) {
      this.#onError(error)
    }
  }

  /** Returns `undefined` if no answer came. An error of the client is an answer too: the handler gets it. */
  async #send(taskId: string, request: InputRequest, signal: AbortSignal): Promise<JSONObject | undefined> {
    try {
      const params = withRelatedTask(paramsOf(request), taskId)
      const limits = { signal, timeoutMs: ANSWER_TIMEOUT_MS }
      return await this.#ctx.session.sendRequest(request.method as string, params, limits)
    } catch (error) {
      if (isAnswer(error)) return toRefusedAnswer(error as MCPError)
      if (error instanceof InvalidResultError) return toRefusedAnswer(invalidAnswer(error))
      return undefined
    }
  }
}

/** A question with a URL has an id in this revision. */
function paramsOf({ method, params = {} }: InputRequest): JSONObject {
  const given = params as JSONObject
  const isUrl = method === 'elicitation/create' && given['mode'] === 'url'
  return isUrl ? { elicitationId: crypto.randomUUID(), ...given } : given
}

function invalidAnswer(error: InvalidResultError): MCPError {
  return new MCPError(ErrorCode.InvalidParams, error.message)
}
