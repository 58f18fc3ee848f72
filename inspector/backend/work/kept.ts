// What the inspector keeps beyond its own life: targets that were connected to, saved calls, and answers. Secrets are not among it.
import type { QuestionKind, SavedCall } from '../../protocol/state.ts'
import type { StoredAnswer } from './kept-answers.ts'

/** Where it is kept: one JSON value, which other inspectors of the same user change too. */
export interface KeptStore {
  /** `undefined` where nothing was kept, or it cannot be read. */
  read(): unknown
  write(value: object): void
}

type NewCall = Omit<SavedCall, 'id'>

interface Contents {
  readonly recent: readonly string[]
  readonly saved: readonly NewCall[]
  readonly answers: readonly StoredAnswer[]
}

const MAX_RECENT = 10
const MAX_SAVED = 100
const MAX_ANSWERS = 50
const QUESTION_KINDS: readonly QuestionKind[] = ['form', 'url', 'sampling', 'roots']
const MAX_TARGET_LENGTH = 2_000
/** Longer arguments are saved as long as the process lives. */
const MAX_ARGS_LENGTH = 64 * 1024

export class Kept {
  readonly #store: KeptStore | undefined
  readonly #saved = new Map<string, SavedCall>()
  #recent: readonly string[]
  #answers: readonly StoredAnswer[]
  #count = 0

  constructor(store?: KeptStore) {
    this.#store = store
    const { recent, saved, answers } = readContents(store?.read())
    this.#recent = recent
    this.#answers = answers
    for (const call of saved) this.#add(call)
  }

  get recent(): readonly string[] {
    return this.#recent
  }

  get saved(): readonly SavedCall[] {
    return [...this.#saved.values()]
  }

  get answers(): readonly StoredAnswer[] {
    return this.#answers
  }

  /** An answer with a member that looks like a secret is kept as long as the process lives. */
  keepAnswer(answer: StoredAnswer): void {
    this.#answers = putLast(this.#answers, answer)
    const text = JSON.stringify(answer.answer)
    if (text !== JSON.stringify(withoutSecrets(answer.answer)) || text.length > MAX_ARGS_LENGTH) return
    this.#change(({ answers, ...rest }) => ({ ...rest, answers: putLast(answers, answer) }))
  }

  forgetAnswer(topic: string): void {
    const isOther = (one: StoredAnswer) => one.topic !== topic
    this.#answers = this.#answers.filter(isOther)
    this.#change(({ answers, ...rest }) => ({ ...rest, answers: answers.filter(isOther) }))
  }

  /** A target as it was typed. One that may hold a secret is not kept at all. */
  connected(typed: string): void {
    if (typed.length > MAX_TARGET_LENGTH || !isFreeOfSecrets(typed)) return
    this.#recent = putFirst(this.#recent, typed)
    this.#change(({ recent, ...rest }) => ({ ...rest, recent: putFirst(recent, typed) }))
  }

  save(call: NewCall): void {
    this.#add(call)
    const args = withoutSecrets(call.args) as NewCall['args']
    if (JSON.stringify(args).length > MAX_ARGS_LENGTH) return
    this.#change(({ saved, ...rest }) => ({ ...rest, saved: [...saved, { ...call, args }].slice(-MAX_SAVED) }))
  }

  forget(id: string): void {
    const call = this.#saved.get(id)
    if (call === undefined) return
    this.#saved.delete(id)
    const forgotten = textOf({ ...call, args: withoutSecrets(call.args) as NewCall['args'] })
    this.#change(({ saved, ...rest }) => ({ ...rest, saved: saved.filter((one) => textOf(one) !== forgotten) }))
  }

  #add(call: NewCall): void {
    this.#count += 1
    const id = `saved${this.#count}`
    this.#saved.set(id, { ...call, id })
    for (const oldest of this.#saved.keys()) {
      if (this.#saved.size <= MAX_SAVED) break
      this.#saved.delete(oldest)
    }
  }

  /** Read again first: another inspector may have written meanwhile. */
  #change(change: (contents: Contents) => Contents): void {
    this.#store?.write(change(readContents(this.#store.read())))
  }
}

function putFirst(recent: readonly string[], typed: string): string[] {
  return [typed, ...recent.filter((one) => one !== typed)].slice(0, MAX_RECENT)
}

function putLast(answers: readonly StoredAnswer[], answer: StoredAnswer): StoredAnswer[] {
  return [...answers.filter(({ topic }) => topic !== answer.topic), answer].slice(-MAX_ANSWERS)
}

function textOf({ target, tool, args }: NewCall): string {
  return JSON.stringify([target, tool, args])
}

/** Whatever is in the file, what comes out is what was kept, or nothing. */
function readContents(value: unknown): Contents {
  const { recent, saved, answers } = (isRecord(value) ? value : {}) as { [Key in keyof Contents]?: unknown }
  const isTarget = (one: unknown) => typeof one === 'string' && one.length <= MAX_TARGET_LENGTH
  return {
    recent: Array.isArray(recent) ? (recent.filter(isTarget) as string[]).slice(0, MAX_RECENT) : [],
    saved: Array.isArray(saved) ? saved.flatMap(readCall).slice(-MAX_SAVED) : [],
    answers: Array.isArray(answers) ? answers.flatMap(readAnswer).slice(-MAX_ANSWERS) : [],
  }
}

function readCall(value: unknown): NewCall[] {
  if (!isRecord(value)) return []
  const { target, tool, args } = value
  if (typeof target !== 'string' || typeof tool !== 'string' || !isRecord(args)) return []
  return [{ target, tool, args }]
}

function readAnswer(value: unknown): StoredAnswer[] {
  if (!isRecord(value)) return []
  const { topic, target, kind, question, answer } = value
  if (typeof topic !== 'string' || typeof target !== 'string' || typeof question !== 'string') return []
  const known = QUESTION_KINDS.find((one) => one === kind)
  return known === undefined || !isRecord(answer) ? [] : [{ topic, target, kind: known, question, answer }]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A URL with a query or a user may hold a secret, and so may the words of a command. */
function isFreeOfSecrets(typed: string): boolean {
  return !/[?@=]|token|secret|password|key/i.test(typed)
}

const SECRET_NAME = /token|secret|passw|passphrase|credential|api.?key|authorization|private.?key/i

/** Without members whose name says that they are secrets: the form asks for them again. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([name]) => !SECRET_NAME.test(name))
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutSecrets(member)]))
}
