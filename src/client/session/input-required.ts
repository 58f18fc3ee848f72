// Drives a multi-round-trip request (2026-07-28): answer what the server asks, call again, until there is a result.
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

/** What a leg carries beyond the params of the call itself. Each leg carries what the latest round gave, nothing more. */
export interface LegInput {
  inputResponses?: InputResponses
  requestState?: string
}

export interface RoundTrips<R> {
  maxRounds: number
  signal?: AbortSignal | undefined
  /** Sends the call once more, as a request with an id of its own. */
  send(input: LegInput): Promise<R | InputRequiredResult>
  /** Answers one question. The signal aborts when another one was refused, or the whole call is given up. */
  answer(key: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse>
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 250

export function isInputRequired(result: object): result is InputRequiredResult {
  return Object.hasOwn(result, 'resultType') && (result as { resultType: unknown }).resultType === 'input_required'
}

/** Takes up a call whose first answer was `asked`, and sees it through to its result. */
export async function finishRounds<R extends object>(asked: InputRequiredResult, trips: RoundTrips<R>): Promise<R> {
  let question = asked
  let pauseMs = FIRST_PAUSE_MS
  for (let round = 1; round <= trips.maxRounds; round += 1) {
    const inputRequests = questionsOf(question)
    if (Object.keys(inputRequests).length > 0) {
      pauseMs = FIRST_PAUSE_MS
    } else {
      // A state alone is how a server sheds load: asking again at once would be the opposite of what it wants.
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
function nextInput({ requestState }: InputRequiredResult, inputResponses: InputResponses): LegInput {
  return requestState === undefined ? { inputResponses } : { inputResponses, requestState }
}

function questionsOf({ inputRequests, requestState }: InputRequiredResult): InputRequests {
  if (inputRequests === undefined && requestState === undefined) {
    throw new InvalidResultError('The server asked for input, but sent neither inputRequests nor requestState')
  }
  return inputRequests ?? {}
}

/** All answers, asked for at the same time. The first failure is everybody's: the rest is told to stop. */
async function answerAll<R>(requests: InputRequests, { signal, answer }: RoundTrips<R>): Promise<InputResponses> {
  if (signal?.aborted) throw signal.reason
  const controller = new AbortController()
  const givenUp = createDeferred<never>()
  const giveUp = () => givenUp.reject(signal?.reason)
  if (signal !== undefined) listenForAbort(signal, giveUp)
  try {
    const answering = Object.entries(requests).map(async ([key, request]) => {
      return [key, await answer(key, request, controller.signal)] as const
    })
    // `fromEntries` defines members, so that a key such as `__proto__` is one like any other.
    return Object.fromEntries(await Promise.race([Promise.all(answering), givenUp.promise]))
  } catch (error) {
    controller.abort(error)
    throw error
  } finally {
    if (signal !== undefined) forgetAbort(signal, giveUp)
  }
}
