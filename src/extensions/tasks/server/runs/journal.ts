// The questions, answers and steps of a task, over all its runs. Keys of questions follow from their content, so that each run
// finds those of the runs before it.
import type { Journal } from '../../../../backend/task-store.ts'
import { isPlainObject } from '../../../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../../../server/context.ts'
import type { RunHistory } from '../../../../server/detachable-call.ts'
import type { CallJournal, JournalEntry } from '../../../../server/task-run.ts'
import { LimitError } from '../../../../types/errors/failures.ts'
import type { InputRequests, InputResponses } from '../../../../types/features/input-required.ts'
import type { JSONObject } from '../../../../types/protocol/json.ts'

/** Steps of the author, and rounds of handlers that return their questions, under one roof of the store. */
const STEP = 's:'
const ROUND = 'r:'

/** A round of a handler that returned an `InputRequiredResult`. */
interface Round {
  /** The key on the wire by the key of the author. */
  readonly keys: Readonly<Record<string, string>>
  readonly requestState?: string | undefined
}

/** What an author's own round needs: the questions under keys of their own, and the step that keeps the round. */
export interface NewRound {
  readonly questions: InputRequests
  readonly step: string
  readonly value: string
}

export class RunJournal implements CallJournal {
  readonly #answers: Map<string, string>
  readonly #steps = new Map<string, string>()
  readonly #rounds: Round[] = []
  readonly #roundKeys = new Set<string>()
  /** How often each question was asked in this run, by digest. */
  readonly #asked = new Map<string, number>()
  readonly #unused: Set<string>
  readonly #maxQuestions: number
  readonly #keep: (name: string, value: string) => Promise<void>
  #questions = 0

  /** `keep` stores a step; it stays pending where the run has lost its task. */
  constructor({ steps, answers }: Journal, maxQuestions: number, keep: (name: string, value: string) => Promise<void>) {
    this.#answers = new Map(Object.entries(answers))
    this.#maxQuestions = maxQuestions
    this.#keep = keep
    for (const [name, value] of Object.entries(steps)) {
      if (name.startsWith(STEP)) this.#steps.set(name.slice(STEP.length), value)
    }
    for (let number = 1; Object.hasOwn(steps, `${ROUND}${number}`); number += 1) {
      const round = JSON.parse(steps[`${ROUND}${number}`] ?? '{}') as Round
      this.#rounds.push(round)
      for (const key of Object.values(round.keys)) this.#roundKeys.add(key)
    }
    this.#unused = new Set([...this.#answers.keys()].filter((key) => !this.#roundKeys.has(key)))
  }

  /** Whether earlier runs have left anything. */
  get isEmpty(): boolean {
    return this.#answers.size === 0 && this.#steps.size === 0 && this.#rounds.length === 0
  }

  get hasUnusedAnswers(): boolean {
    return this.#unused.size > 0
  }

  /** Every question has an entry: of equal ones the first has the key that the first had in the run before. */
  take(digest: string): JournalEntry {
    if (this.#questions >= this.#maxQuestions) throw new LimitError('maxQuestions', this.#maxQuestions)
    this.#questions += 1
    const number = (this.#asked.get(digest) ?? 0) + 1
    this.#asked.set(digest, number)
    const key = questionKey(digest, number)
    this.#unused.delete(key)
    const text = this.#answers.get(key)
    return text === undefined ? { key, digest } : { key, digest, answer: JSON.parse(text) }
  }

  add(digest: string): JournalEntry {
    return this.take(digest)
  }

  hasStep(name: string): boolean {
    return this.#steps.has(name)
  }

  stepValue(name: string): unknown {
    const text = this.#steps.get(name)
    return text === undefined || text === '' ? undefined : JSON.parse(text)
  }

  async saveStep(name: string, value: unknown): Promise<void> {
    const text = value === undefined ? '' : JSON.stringify(value)
    await this.#keep(`${STEP}${name}`, text)
    this.#steps.set(name, text)
  }

  /** The params of the latest round of a handler that returned its questions. */
  get roundParams(): { inputResponses?: InputResponses; requestState?: string } {
    const round = this.#rounds.at(-1)
    if (round === undefined) return {}
    const answered = Object.entries(round.keys).flatMap(([key, wireKey]) => {
      const text = this.#answers.get(wireKey)
      return text === undefined ? [] : [[key, JSON.parse(text)]]
    })
    const { requestState } = round
    return {
      ...(answered.length > 0 && { inputResponses: Object.fromEntries(answered) as InputResponses }),
      ...(requestState !== undefined && { requestState }),
    }
  }

  /** Returns `undefined` if the questions were asked through `ctx`, and have their keys. */
  planRound({ inputRequests, requestState }: JSONObject): NewRound | undefined {
    const requests = isPlainObject(inputRequests) ? Object.entries(inputRequests) : []
    if (requests.length > 0 && requests.every(([key]) => this.#isOwnKey(key))) return undefined
    if (this.#rounds.length >= this.#maxQuestions) throw new LimitError('maxQuestions', this.#maxQuestions)
    const keyed = requests.map(([key, request]) => [key, this.#openKey(key) ?? this.#freshKey(key), request] as const)
    const round: Round = {
      keys: Object.fromEntries(keyed.map(([key, wireKey]) => [key, wireKey])),
      ...(typeof requestState === 'string' && { requestState }),
    }
    return {
      questions: Object.fromEntries(keyed.map(([, wireKey, request]) => [wireKey, request])) as InputRequests,
      step: `${ROUND}${this.#rounds.length + 1}`,
      value: JSON.stringify(round),
    }
  }

  #isOwnKey(key: string): boolean {
    const [digest = '', number = ''] = key.split('.')
    return Number(number) >= 1 && Number(number) <= (this.#asked.get(digest) ?? 0)
  }

  /** Of a question of the last round that nobody has answered: asked again, it is the same one, and still open. */
  #openKey(key: string): string | undefined {
    const keys = this.#rounds.at(-1)?.keys ?? {}
    const wireKey = Object.hasOwn(keys, key) ? (keys[key] as string) : undefined
    return wireKey === undefined || this.#answers.has(wireKey) ? undefined : wireKey
  }

  /** The author's key, with a number where an earlier round has used it. */
  #freshKey(key: string): string {
    const isUsed = (candidate: string) => this.#roundKeys.has(candidate)
    let fresh = key
    for (let number = 2; isUsed(fresh); number += 1) fresh = `${key}.${number}`
    this.#roundKeys.add(fresh)
    return fresh
  }
}

/** What a call has behind it that becomes a task while it runs, as a store keeps it. */
export function journalOf(
  { answers, steps, isOwnRound }: RunHistory,
  { inputResponses = {}, requestState }: Pick<ServerRequestContext, 'inputResponses' | 'requestState'>,
): Journal {
  if (isOwnRound) {
    const round: Round = {
      keys: Object.fromEntries(Object.keys(inputResponses).map((key) => [key, key])),
      requestState,
    }
    const texts = Object.entries(inputResponses).map(([key, answer]) => [key, JSON.stringify(answer)])
    return { steps: { [`${ROUND}1`]: JSON.stringify(round) }, answers: Object.fromEntries(texts) }
  }
  return {
    steps: Object.fromEntries(Array.from(steps, ([name, text = '']) => [`${STEP}${name}`, text])),
    answers: Object.fromEntries(answers.map(({ digest, number, answer }) => [questionKey(digest, number), answer])),
  }
}

/** The key of the question with this digest that is asked as the first, the second and so on in a run. */
function questionKey(digest: string, number: number): string {
  return `${digest}.${number}`
}
