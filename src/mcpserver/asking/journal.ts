// What a call remembers between its rounds: the questions it asked, their answers, and what its steps returned.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { CallJournal, JournalEntry } from '../../server/task-run.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { LimitError } from '../../types/errors/failures.ts'
import type { InputResponses } from '../../types/features/input-required.ts'

const VERSION = 1
const HEAD = `{"v":${VERSION},"q":[`

/** A question of this or an earlier round. */
export type Entry = JournalEntry

interface KeptEntry extends Entry {
  /** The answer as JSON, from before the handler could change it. */
  text?: string | undefined
  /** The answer stands in the text that the journal was read from. */
  isWritten: boolean
  isAsked: boolean
}

/** The beginning of the text that a journal was read from: so many entries, all of them with their answers. */
interface WrittenEntries {
  readonly text: string
  readonly count: number
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
  #written: WrittenEntries | undefined
  /** All entries before it were asked or dropped: a handler that asks in order finds each at once. */
  #firstUnasked = 0

  constructor(maxQuestions: number, entries: (KeptEntry | undefined)[] = []) {
    this.#entries = entries
    this.#maxQuestions = maxQuestions
  }

  /**
   * To be called once, with the text that it was just read from: each round writes all earlier answers again, and those at the
   * beginning are taken from there as they are.
   */
  keepWritten(text: string): void {
    const entries = this.#entries
    let count = 0
    while (entries[count]?.answer !== undefined && entries[count]?.isWritten === true) count += 1
    const rest = entries.slice(count)
    const isOurs = count > 0 && this.#takeWritten(text, count, rest)
    // What is not at the beginning is made text again.
    for (const entry of isOurs ? rest : entries) if (entry !== undefined) entry.isWritten = false
  }

  /** `false` for a text that was written in another way. */
  #takeWritten(text: string, count: number, rest: readonly (KeptEntry | undefined)[]): boolean {
    const tail = `${rest.length > 0 ? ',' : ''}${rest.map(unanswered).join()}${this.#stepsText()}`
    if (!text.startsWith(HEAD) || !text.endsWith(tail)) return false
    this.#written = { text: text.slice(HEAD.length, text.length - tail.length), count }
    return true
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
    if (entry.answer !== undefined && !entry.isWritten) entry.text = JSON.stringify(entry.answer)
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
    const entry: KeptEntry = { key: keyAt(this.#entries.length), digest, isWritten: false, isAsked: true }
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
    this.#readWritten()
    return this.#numbered().flatMap(({ entry: { digest, text, answer }, number }) =>
      answer === undefined ? [] : [{ digest, number, answer: text ?? JSON.stringify(answer) }],
    )
  }

  /** The answers from before the handler could change them. */
  #readWritten(): void {
    if (this.#written === undefined) return
    const pairs = JSON.parse(`[${this.#written.text}]`) as [digest: string, answer: unknown][]
    for (const [index, [, answer]] of pairs.entries()) {
      const entry = this.#entries[index]
      if (entry !== undefined) entry.text = JSON.stringify(answer)
    }
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
    const { text: written, count } = this.#written ?? { text: '', count: 0 }
    const others = this.#entries.slice(count).map((entry) => {
      if (entry?.answer !== undefined) return listText(entry.digest, entry.text ?? JSON.stringify(entry.answer))
      return entry !== undefined && openKeys.has(entry.key) ? listText(entry.digest) : 'null'
    })
    return `${HEAD}${written}${count > 0 && others.length > 0 ? ',' : ''}${others.join()}${this.#stepsText()}`
  }

  /** What stands behind the entries. */
  #stepsText(): string {
    const steps = Array.from(this.#steps, ([name, text]) => listText(name, text))
    return `],"s":[${steps.join()}]}`
  }
}

/** As `toText` writes what has no answer yet. */
function unanswered(entry: KeptEntry | undefined): string {
  return entry === undefined ? 'null' : listText(entry.digest)
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
export function readJournal(text: string, responses: InputResponses | undefined, maxQuestions: number): Journal {
  return journalFrom(parseState(text), text, responses, maxQuestions)
}

/** As `readJournal`, where the text was parsed. */
export function journalFrom(
  state: unknown,
  text: string,
  responses: InputResponses | undefined,
  maxQuestions: number,
): Journal {
  const questions = ownMember(state, 'q')
  const steps = ownMember(state, 's')
  if (ownMember(state, 'v') !== VERSION || !Array.isArray(questions) || !Array.isArray(steps)) throw invalidState()
  if (questions.length > maxQuestions) throw invalidState()
  const entries = questions.map((pair, index) => (pair === null ? undefined : readEntry(pair, keyAt(index), responses)))
  const journal = new Journal(maxQuestions, entries)
  for (const step of steps) {
    checkPair(step)
    journal.saveStep(step[0], step[1])
  }
  journal.keepWritten(text)
  return journal
}

export function parseState(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidState()
  }
}

function readEntry(pair: unknown, key: string, responses: InputResponses | undefined): KeptEntry {
  checkPair(pair)
  const digest = pair[0]
  const recorded = pair[1]
  if (recorded === undefined) {
    return { key, digest, answer: ownMember(responses, key), isWritten: false, isAsked: false }
  }
  if (!isPlainObject(recorded)) throw invalidState()
  return { key, digest, answer: recorded, isWritten: true, isAsked: false }
}

function checkPair(pair: unknown): asserts pair is [name: string, value: unknown] {
  if (!Array.isArray(pair) || pair.length > 2 || typeof pair[0] !== 'string') throw invalidState()
}

/** One message for every reason, so that a caller can't probe: also the one for a state that can't be decrypted. */
export function invalidState(): MCPError {
  return new MCPError(ErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
}
