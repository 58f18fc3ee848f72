// Brings what a call remembers to the client and back: within a limit as `requestState` itself, beyond it by way of a store.
import { findBreach, type StructureLimits } from '../../primitives/json/json-scan.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import { LimitError } from '../../types/errors/failures.ts'
import { invalidState, Journal, readJournal } from './journal.ts'
import { DEFAULT_MAX_QUESTIONS, DEFAULT_MAX_STATE_BYTES, type InteractionOptions } from './options.ts'

const utf8 = new TextEncoder()

/** Deeper than any message or step may be. What is written here once more must not exhaust the stack. */
const STRUCTURE: StructureLimits = { maxDepth: 512, maxElements: Number.POSITIVE_INFINITY }

/** The memory of a call, in one of its rounds. */
export interface CallState {
  readonly journal: Journal
  /** The `requestState` for the next round. `LimitError` when there is too much and no store for it. */
  save(openKeys: ReadonlySet<string>): Promise<string>
  /** The call has gone on or is over: what was kept for this round is not needed any more. */
  discard(): void
}

/** What the call remembers of its earlier rounds; nothing in its first. A state that is not ours is `MCPError` -32602. */
export async function openState(ctx: ServerRequestContext, options: InteractionOptions): Promise<CallState> {
  const { maxQuestions = DEFAULT_MAX_QUESTIONS, maxStateBytes = DEFAULT_MAX_STATE_BYTES } = options
  const { requestState, inputResponses } = ctx
  if (requestState === undefined) return createState(ctx, options, new Journal(maxQuestions))
  const bytes = utf8.encode(requestState)
  if (bytes.length > maxStateBytes || findBreach(bytes, STRUCTURE) !== undefined) throw invalidState()
  const state = parse(requestState)
  const storeId = ownMember(state, 'ref')
  if (storeId === undefined) return createState(ctx, options, readJournal(state, inputResponses, maxQuestions))
  if (!isStoreId(storeId)) throw invalidState()
  const stored = await options.store?.get(storeId)
  if (stored === undefined) throw invalidState()
  const journal = readJournal(parse(stored), inputResponses, maxQuestions)
  return createState(ctx, options, journal, { id: storeId, text: stored, requestState })
}

/** Only what we made ourselves is looked up: a store may hold other things as well. */
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
    save: async (openKeys) => {
      const text = journal.toText(openKeys)
      isUnchanged = stored?.text === text
      return stored !== undefined && isUnchanged ? stored.requestState : keep(text, options)
    },
    discard: () => {
      if (stored !== undefined && !isUnchanged) void remove(ctx, options, stored.id)
    },
  }
}

/** What a store had for the call, and the state that names it. */
interface StoredState {
  readonly id: string
  readonly text: string
  readonly requestState: string
}

async function keep(text: string, options: InteractionOptions): Promise<string> {
  const { maxStateBytes = DEFAULT_MAX_STATE_BYTES, store } = options
  if (utf8.encode(text).length <= maxStateBytes) return text
  if (store === undefined) throw tooLarge(maxStateBytes)
  const storeId = crypto.randomUUID()
  await store.set(storeId, text)
  return JSON.stringify({ ref: storeId })
}

async function remove(request: ServerRequestContext, { store }: InteractionOptions, storeId: string) {
  try {
    await store?.delete(storeId)
  } catch (error) {
    const message = 'The store could not delete the state of a call that has gone on'
    const { method } = request
    serverOfRequest(request).faults.report({ kind: 'callback-failed', message, method, error })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidState()
  }
}

function tooLarge(maxStateBytes: number): LimitError {
  const message =
    `The answers and steps of a call exceed ${maxStateBytes} bytes, the limit of its requestState; ` +
    'return less from steps, raise maxStateBytes, or give a store for larger states'
  return new LimitError('maxStateBytes', maxStateBytes, message)
}
