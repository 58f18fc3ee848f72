// Questions of servers, until somebody answers them: state, so that a page that comes later still finds them.
import type { QuestionKind, QuestionState } from '../../protocol/state.ts'
import { BadRequest } from '../log/bad-request.ts'
import { type Answer, type Asked, describeAnswer, type KeptAnswers } from './kept-answers.ts'

export type { Answer } from './kept-answers.ts'

interface Open {
  state: QuestionState
  readonly asked: Asked
  settle: ((answer: Answer) => void) | undefined
}

const MAX_OPEN = 64
const MAX_KEPT = 50

export interface NewQuestion {
  readonly connection: string
  /** Of the connection, without secrets. */
  readonly target: string
  readonly call: string | undefined
  readonly kind: QuestionKind
  readonly params: Readonly<Record<string, unknown>>
}

export class Questions {
  readonly #all = new Map<string, Open>()
  readonly #answers: KeptAnswers
  readonly #onChange: () => void
  #count = 0

  constructor(answers: KeptAnswers, onChange: () => void) {
    this.#answers = answers
    this.#onChange = onChange
  }

  /** Waiting ones first, oldest first. */
  get states(): QuestionState[] {
    const states = [...this.#all.values()].map(({ state }) => state)
    return [
      ...states.filter(({ status }) => status === 'waiting'),
      ...states.filter(({ status }) => status !== 'waiting').reverse(),
    ]
  }

  isWaiting(call: string): boolean {
    return this.states.some((state) => state.call === call && state.status === 'waiting')
  }

  /** Rejects when the signal aborts: the server withdrew the question, or the call ended. */
  ask(question: NewQuestion, signal: AbortSignal): Promise<Answer> {
    const { call, target, ...rest } = question
    const asked = { target, kind: rest.kind, params: rest.params }
    const canned = this.#answers.find(asked)
    this.#count += 1
    const id = `q${this.#count}`
    const open: Open = {
      asked,
      state: { id, ...rest, ...(call !== undefined && { call }), askedAt: Date.now(), status: 'waiting' },
      settle: undefined,
    }
    this.#all.set(id, open)
    this.#forgetOld()
    this.#onChange()
    if (canned !== undefined) {
      this.#end(open, 'answered', `${describeAnswer(canned)} (as before)`)
      return Promise.resolve(canned)
    }
    if ([...this.#all.values()].filter(({ state }) => state.status === 'waiting').length > MAX_OPEN) {
      this.#end(open, 'withdrawn', 'too many questions')
      return Promise.reject(new Error(`More than ${MAX_OPEN} questions wait for an answer.`))
    }
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        this.#end(open, 'withdrawn')
        reject(signal.reason as Error)
      }
      open.settle = (answer) => {
        signal.removeEventListener('abort', withdraw)
        this.#end(open, 'answered', describeAnswer(answer))
        resolve(answer)
      }
      if (signal.aborted) withdraw()
      else signal.addEventListener('abort', withdraw, { once: true })
    })
  }

  answer(id: string, answer: Answer, always: boolean): void {
    const open = this.#all.get(id)
    if (open === undefined) throw new BadRequest(`There is no question ${JSON.stringify(id)}.`, { status: 404 })
    if (open.settle === undefined) {
      throw new BadRequest('The question no longer waits for an answer.', { status: 409 })
    }
    if (always) this.#answers.keep(open.asked, answer)
    open.settle(answer)
  }

  /** The answer is no longer given by itself. */
  forgetAnswer(id: string): void {
    this.#answers.forget(id)
    this.#onChange()
  }

  #end(open: Open, status: 'answered' | 'withdrawn', answer?: string): void {
    open.settle = undefined
    open.state = { ...open.state, status, ...(answer !== undefined && { answer }) }
    this.#onChange()
  }

  #forgetOld(): void {
    const ended = [...this.#all].filter(([, { state }]) => state.status !== 'waiting')
    for (const [id] of ended.slice(0, Math.max(0, ended.length - MAX_KEPT))) this.#all.delete(id)
  }
}
