// The state of a call between its rounds: small ones travel in `requestState`, larger ones go to a store.
import { findBreach, isPlainlyHarmless, type StructureLimits } from '../../primitives/json/json-scan.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import { DEFAULT_TTL_MS } from '../../server/state/request-state.ts'
import type { CallJournal } from '../../server/task-run.ts'
import { LimitError } from '../../types/errors/failures.ts'
import { invalidState, Journal, journalFrom, parseState, readJournal } from './journal.ts'
import { DEFAULT_MAX_QUESTIONS, DEFAULT_MAX_STATE_BYTES, type InteractionOptions } from './options.ts'

const utf8 = new TextEncoder()

/** Deeper than any message or step may be, and shallow enough that `JSON.stringify` does not overflow the stack. */
const STRUCTURE: StructureLimits = { maxDepth: 512, maxElements: Number.POSITIVE_INFINITY }

/** What a call knows of its earlier rounds. */
export interface CallState {
  readonly journal: CallJournal
  /** The journal of a call that is no task. */
  readonly own?: Journal
  /** The `requestState` for the next round. `LimitError` if it is too large and there is no store. */
  save(openKeys: ReadonlySet<string>): Promise<string>
  /** Deletes what the store has for this round. Called when the next round is saved, or when the call is over. */
  discard(): void
}

/** Reads the state that came with the request; an empty one in the first round. `MCPError` -32602 for a state not written here. */
export async function openState(ctx: ServerRequestContext, options: InteractionOptions): Promise<CallState> {
  const { maxQuestions = DEFAULT_MAX_QUESTIONS, maxStateBytes = DEFAULT_MAX_STATE_BYTES } = options
  const { requestState, inputResponses } = ctx
  if (requestState === undefined) return createState(ctx, options, new Journal(maxQuestions))
  if (!isWithin(maxStateBytes, requestState) || isTooDeep(requestState)) throw invalidState()
  const state = parseState(requestState)
  const storeId = ownMember(state, 'ref')
  if (storeId === undefined) {
    return createState(ctx, options, journalFrom(state, requestState, inputResponses, maxQuestions))
  }
  if (!isStoreId(storeId)) throw invalidState()
  const stored = await options.store?.get(storeId)
  if (stored === undefined) throw invalidState()
  const journal = readJournal(stored, inputResponses, maxQuestions)
  return createState(ctx, options, journal, { id: storeId, text: stored, requestState })
}

/** Most texts are so short that their bytes need not be counted: UTF-8 has at most three for a character. */
function isWithin(maxBytes: number, text: string): boolean {
  return text.length * 3 <= maxBytes || utf8.encode(text).length <= maxBytes
}

function isTooDeep(text: string): boolean {
  return !isPlainlyHarmless(text, STRUCTURE) && findBreach(utf8.encode(text), STRUCTURE) !== undefined
}

/** The state of a task, which is kept as it comes. */
export function stateOfRun(journal: CallJournal): CallState {
  return { journal, save: () => Promise.reject(new Error('The state of a task has no requestState')), discard() {} }
}

/** Only ids of the form made here are looked up: a store may hold other things as well. */
function isStoreId(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value)
}

function createState(
  ctx: ServerRequestContext,
  options: InteractionOptions,
  journal: Journal,
  stored?: StoredState,
): CallState {
  let isUnchanged = false
  return {
    journal,
    own: journal,
    save: async (openKeys) => {
      const text = journal.toText(openKeys)
      isUnchanged = stored?.text === text
      return stored !== undefined && isUnchanged ? stored.requestState : saveText(text, options)
    },
    discard: () => {
      if (stored !== undefined && !isUnchanged) void deleteStored(ctx, options, stored.id)
    },
  }
}

/** What the store has for the call, and the `requestState` that refers to it. */
/** A state is sealed after it was stored, and expires that much later. */
const SEALED_LATER_MS = 60_000

interface StoredState {
  readonly id: string
  readonly text: string
  readonly requestState: string
}

async function saveText(text: string, options: InteractionOptions): Promise<string> {
  const { maxStateBytes = DEFAULT_MAX_STATE_BYTES, store } = options
  if (isWithin(maxStateBytes, text)) return text
  if (store === undefined) throw stateTooLarge(maxStateBytes)
  const storeId = crypto.randomUUID()
  await store.set(storeId, text, Date.now() + (options.ttlMs ?? DEFAULT_TTL_MS) + SEALED_LATER_MS)
  return JSON.stringify({ ref: storeId })
}

async function deleteStored(request: ServerRequestContext, { store }: InteractionOptions, storeId: string) {
  try {
    await store?.delete(storeId)
  } catch (error) {
    const message = 'The store could not delete the state of an earlier round of a call'
    const { method } = request
    serverOfRequest(request).faults.report({ kind: 'callback-failed', message, method, error })
  }
}

function stateTooLarge(maxStateBytes: number): LimitError {
  const message =
    `The answers and steps of a call are larger than ${maxStateBytes} bytes, the limit for requestState. ` +
    'Return less from steps, raise requestState.maxStateBytes, or set requestState.store.'
  return new LimitError('maxStateBytes', maxStateBytes, message)
}
