// What a call remembers between its rounds: the questions it asked, their answers, and what its steps returned.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { CallJournal, JournalEntry } from '../../server/task-run.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { LimitError } from '../../types/errors/failures.ts'
import type { InputResponses } from '../../types/features/input-required.ts'

const VERSION = 1

/** A question of this or an earlier round. */
export type Entry = JournalEntry

interface KeptEntry extends Entry {
  /** The answer as JSON, from before the handler could change it. */
  text?: string
  isAsked: boolean
}

/**
 * Finds questions by their content, not by their order: branches of a handler that run at the same time may ask in another
 * order in each round. Of equal questions, the first one asked gets the first answer.
 */
export class Journal implements CallJournal {
  /** `undefined` keeps the number of a question that was dropped, so that its key is not used again. */
  readonly #entries: (KeptEntry | undefined)[]
  /** What each step returned, as JSON; `undefined` where it returned nothing. */
  readonly #steps = new Map<string, string | undefined>()
  readonly #maxQuestions: number
  /** All entries before it were asked or dropped: a handler that asks in order finds each at once. */
  #firstUnasked = 0

  constructor(maxQuestions: number, entries: (Entry | undefined)[] = []) {
    this.#entries = entries.map((entry) => entry && { ...entry, isAsked: false })
    this.#maxQuestions = maxQuestions
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#steps.size === 0
  }

  /** Whether there are answers that the handler has not asked for in this run. */
  get hasUnusedAnswers(): boolean {
    for (let index = this.#firstUnasked; index < this.#entries.length; index++) {
      const entry = this.#entries[index]
      if (entry?.answer !== undefined && !entry.isAsked) return true
    }
    return false
  }

  /** The entry of a question that an earlier round has asked. Each entry is returned once. */
  take(digest: string): Entry | undefined {
    const entry = this.#findUnasked(digest)
    if (entry === undefined) return undefined
    entry.isAsked = true
    if (entry.answer !== undefined) entry.text = JSON.stringify(entry.answer)
    return entry
  }

  #findUnasked(digest: string): KeptEntry | undefined {
    const entries = this.#entries
    while (this.#firstUnasked < entries.length && entries[this.#firstUnasked]?.isAsked !== false)
      this.#firstUnasked += 1
    for (let index = this.#firstUnasked; index < entries.length; index++) {
      const entry = entries[index]
      if (entry !== undefined && entry.digest === digest && !entry.isAsked) return entry
    }
    return undefined
  }

  /** An entry for a question that no earlier round has asked. */
  add(digest: string): Entry {
    if (this.#entries.length >= this.#maxQuestions) throw new LimitError('maxQuestions', this.#maxQuestions)
    const entry: KeptEntry = { key: keyAt(this.#entries.length), digest, isAsked: true }
    this.#entries.push(entry)
    return entry
  }

  hasStep(name: string): boolean {
    return this.#steps.has(name)
  }

  /** A copy, which the handler may change. */
  stepValue(name: string): unknown {
    const text = this.#steps.get(name)
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** Saves a copy of the value, which must be JSON or `undefined`. */
  saveStep(name: string, value: unknown): void {
    this.#steps.set(name, JSON.stringify(value))
  }

  /** What each step returned, as JSON; `undefined` for nothing. */
  get steps(): ReadonlyMap<string, string | undefined> {
    return this.#steps
  }

  /** The answered questions; `number` counts equal questions from 1, also those without an answer. */
  get answers(): { readonly digest: string; readonly number: number; readonly answer: string }[] {
    return this.#numbered().flatMap(({ entry: { digest, text, answer }, number }) =>
      answer === undefined ? [] : [{ digest, number, answer: text ?? JSON.stringify(answer) }],
    )
  }

  /** The questions that this run has asked so far, by key; equal ones in the order in which they were asked. */
  get asked(): ReadonlyMap<string, string> {
    const asked = this.#entries.filter((entry) => entry?.isAsked === true) as KeptEntry[]
    return new Map(asked.map(({ key, digest }) => [key, digest]))
  }

  #numbered(): { entry: KeptEntry; number: number }[] {
    const counts = new Map<string, number>()
    return this.#entries.flatMap((entry) => {
      if (entry === undefined) return []
      const number = (counts.get(entry.digest) ?? 0) + 1
      counts.set(entry.digest, number)
      return [{ entry, number }]
    })
  }

  /** As JSON. Questions that are neither answered nor in `openKeys` are dropped. */
  toText(openKeys: ReadonlySet<string>): string {
    const entries = this.#entries.map((entry) => {
      if (entry?.answer !== undefined) return listText(entry.digest, entry.text ?? JSON.stringify(entry.answer))
      return entry !== undefined && openKeys.has(entry.key) ? listText(entry.digest) : 'null'
    })
    const steps = Array.from(this.#steps, ([name, text]) => listText(name, text))
    return `{"v":${VERSION},"q":[${entries.join()}],"s":[${steps.join()}]}`
  }
}

function keyAt(index: number): string {
  return `q${index + 1}`
}

/** A JSON list of the name and the value, which is JSON text already, or of the name alone. */
function listText(name: string, text?: string): string {
  return text === undefined ? `[${JSON.stringify(name)}]` : `[${JSON.stringify(name)},${text}]`
}

/**
 * Reads what `toText` wrote, with the answers of the latest round. Spec, MRTR: the state comes from the client and can't be
 * trusted, so anything else fails with `MCPError` -32602. Answers to questions that are not open are ignored.
 */
export function readJournal(state: unknown, responses: InputResponses | undefined, maxQuestions: number): Journal {
  const questions = ownMember(state, 'q')
  const steps = ownMember(state, 's')
  if (ownMember(state, 'v') !== VERSION || !Array.isArray(questions) || !Array.isArray(steps)) throw invalidState()
  if (questions.length > maxQuestions) throw invalidState()
  const entries = questions.map((pair, index) => (pair === null ? undefined : readEntry(pair, keyAt(index), responses)))
  const journal = new Journal(maxQuestions, entries)
  for (const [name, value] of steps.map(readPair)) journal.saveStep(name, value)
  return journal
}

function readEntry(pair: unknown, key: string, responses: InputResponses | undefined): Entry {
  const [digest, recorded] = readPair(pair)
  if (recorded !== undefined && !isPlainObject(recorded)) throw invalidState()
  return { key, digest, answer: recorded ?? ownMember(responses, key) }
}

function readPair(pair: unknown): [name: string, value: unknown] {
  if (!Array.isArray(pair) || pair.length > 2) throw invalidState()
  const [name, value]: unknown[] = pair
  if (typeof name !== 'string') throw invalidState()
  return [name, value]
}

/** One message for every reason, so that a caller can't probe: also the one for a state that can't be decrypted. */
export function invalidState(): MCPError {
  return new MCPError(ErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
}
