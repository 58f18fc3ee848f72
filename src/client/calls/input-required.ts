// Continues a multi-round-trip request (2026-07-28): answers the questions and repeats the request until it has a result.
import { forgetAbort, listenForAbort, pause } from '../../primitives/async/abort.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { InputRequiredRoundsExceededError, InvalidResultError } from '../../types/errors/failures.ts'
import type {
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponses,
} from '../../types/features/input-required.ts'

/** What a further round adds to the params of the call: the answers and state of the latest round only. */
export interface RoundInput {
  inputResponses?: InputResponses
  requestState?: string
}

export interface RoundTrips<R> {
  maxRounds: number
  signal?: AbortSignal | undefined
  /** Repeats the call as a request with a new id. */
  send(input: RoundInput): Promise<R | InputRequiredResult>
  /** Answers one question. The signal aborts when another question was rejected, or the call is cancelled. */
  answer(key: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse>
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 250

export function isInputRequired(result: object): result is InputRequiredResult {
  return Object.hasOwn(result, 'resultType') && (result as { resultType: unknown }).resultType === 'input_required'
}

/** Continues a call whose first result was `asked`, until its final result. */
export async function finishRounds<R extends object>(asked: InputRequiredResult, trips: RoundTrips<R>): Promise<R> {
  let question = asked
  let pauseMs = FIRST_PAUSE_MS
  for (let round = 1; round <= trips.maxRounds; round += 1) {
    const inputRequests = questionsOf(question)
    if (Object.keys(inputRequests).length > 0) {
      pauseMs = FIRST_PAUSE_MS
    } else {
      // A server sends a state without questions to shed load, so the client waits before the next round.
      await pause(pauseMs, { signal: trips.signal })
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
    const inputResponses = await answerAll(inputRequests, trips)
    const result = await trips.send(nextInput(question, inputResponses))
    if (!isInputRequired(result)) return result
    question = result
  }
  throw new InputRequiredRoundsExceededError(trips.maxRounds)
}

/** Spec, MRTR: the state goes back unchanged, an empty one too, and none goes where none came. */
function nextInput({ requestState }: InputRequiredResult, inputResponses: InputResponses): RoundInput {
  return requestState === undefined ? { inputResponses } : { inputResponses, requestState }
}

function questionsOf({ inputRequests, requestState }: InputRequiredResult): InputRequests {
  if (inputRequests === undefined && requestState === undefined) {
    throw new InvalidResultError('The server sent an input_required result without inputRequests and requestState.')
  }
  return inputRequests ?? {}
}

/** Answers all questions at the same time. The first failure aborts the others. */
async function answerAll<R>(requests: InputRequests, { signal, answer }: RoundTrips<R>): Promise<InputResponses> {
  if (signal?.aborted) throw signal.reason
  const controller = new AbortController()
  const aborted = createDeferred<never>()
  const onAbort = () => aborted.reject(signal?.reason)
  if (signal !== undefined) listenForAbort(signal, onAbort)
  try {
    const answering = Object.entries(requests).map(async ([key, request]) => {
      return [key, await answer(key, request, controller.signal)] as const
    })
    // From entries, because a server may name a key `__proto__`.
    return Object.fromEntries(await Promise.race([Promise.all(answering), aborted.promise]))
  } catch (error) {
    controller.abort(error)
    throw error
  } finally {
    if (signal !== undefined) forgetAbort(signal, onAbort)
  }
}
