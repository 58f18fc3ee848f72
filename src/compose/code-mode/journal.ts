// The calls that a script has made, kept between the rounds of a call that asks the user.
import { estimateBytes } from '../../dispatcher/backpressure.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

interface Entry {
  readonly call: string
  readonly result: JSONObject
}

/** A tool asks: the script ends here and runs again when the answer has come. */
export class Suspended extends Error {
  readonly at: number
  readonly call: string
  readonly result: JSONObject

  constructor(at: number, name: string, args: JSONObject, result: JSONObject) {
    super('suspended')
    this.at = at
    this.call = callOf(name, args)
    this.result = result
  }
}

/** Results are part of the state that the client keeps. */
const MAX_STATE = 1_000_000
/** Of results that may become part of it, by estimate: more of them fit into no state. */
const MAX_KEPT = 4 * MAX_STATE

export class Journal {
  /** Those of earlier rounds, and of this one while there is room for them in a state. */
  readonly entries: Map<number, Entry>
  #room = MAX_KEPT
  readonly #asking: { readonly at: number; readonly call: string; readonly state: string | undefined } | undefined

  constructor(entries: Map<number, Entry>, asking?: { at: number; call: string; state: string | undefined }) {
    this.entries = entries
    this.#asking = asking
  }

  /** What this call got in an earlier round. A script that makes another call there can't be continued. */
  find(at: number, name: string, args: JSONObject): JSONObject | undefined {
    const entry = this.entries.get(at)
    if (entry === undefined && this.#asking?.at !== at) return undefined
    const call = callOf(name, args)
    if ((entry !== undefined && entry.call !== call) || (this.#asking?.at === at && this.#asking.call !== call)) {
      throw new Error('The script made other calls than before the question. Do without random values and the time.')
    }
    return entry?.result
  }

  add(at: number, name: string, args: JSONObject, result: JSONObject): void {
    if (this.isFull) return
    const entry = { call: callOf(name, args), result }
    this.#room -= estimateBytes(entry, MAX_KEPT)
    if (!this.isFull) this.entries.set(at, entry)
  }

  /** Something could not be kept: then no state leads back here, and the script must not hold what it has gathered. */
  get isFull(): boolean {
    return this.#room < 0
  }

  /** The answers for the call that asked. */
  roundOf(at: number, { inputResponses }: JSONObject): JSONObject {
    if (this.#asking?.at !== at) return {}
    const { state } = this.#asking
    return { inputResponses: inputResponses ?? {}, ...(state !== undefined && { requestState: state }) }
  }
}

function callOf(name: string, args: JSONObject): string {
  return JSON.stringify([name, args])
}

/** The journal of the round before; empty in the first one. */
export function readJournal({ requestState }: JSONObject): Journal {
  if (typeof requestState !== 'string') return new Journal(new Map())
  try {
    const { entries, at, call, state } = JSON.parse(requestState)
    if (Array.isArray(entries) && Number.isSafeInteger(at) && typeof call === 'string')
      return new Journal(new Map(entries.filter(isEntry)), { at, call, state })
  } catch {
    // Below.
  }
  throw new MCPError(ErrorCode.InvalidParams, 'The requestState is none of run_code. Call again without it.')
}

function isEntry(value: unknown): value is [number, Entry] {
  return Array.isArray(value) && Number.isSafeInteger(value[0]) && isPlainObject(value[1])
}

/** The questions of the tool, with a state that brings the script back to them. */
export function writeJournal(journal: Journal, { at, call, result }: Suspended): JSONObject {
  const state = { entries: [...journal.entries], at, call, state: result['requestState'] }
  const text = journal.isFull ? undefined : JSON.stringify(state)
  if (text === undefined || text.length > MAX_STATE)
    return {
      content: [
        { type: 'text', text: 'A tool asks the user, but the script has gathered too much to wait for the answer.' },
      ],
      isError: true,
    }
  return { resultType: 'input_required', inputRequests: result['inputRequests'] ?? {}, requestState: text }
}
