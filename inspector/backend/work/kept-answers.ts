// Answers to give again: to the same question of the same target, in this process and in later ones.
import { createHash } from 'node:crypto'
import type { KeptAnswer, QuestionKind } from '../../protocol/state.ts'
import type { Kept } from './kept.ts'

export type Answer = Record<string, unknown>

/** What decides whether a question is the same. */
export interface Asked {
  readonly target: string
  readonly kind: QuestionKind
  readonly params: Readonly<Record<string, unknown>>
}

/** An answer as it is kept. */
export interface StoredAnswer {
  /** Of everything that was asked, and whose question it was. */
  readonly topic: string
  readonly target: string
  readonly kind: QuestionKind
  readonly question: string
  readonly answer: Answer
}

const MAX_QUESTION = 200

export class KeptAnswers {
  readonly #kept: Pick<Kept, 'answers' | 'keepAnswer' | 'forgetAnswer'>

  constructor(kept: Pick<Kept, 'answers' | 'keepAnswer' | 'forgetAnswer'>) {
    this.#kept = kept
  }

  get states(): KeptAnswer[] {
    return this.#kept.answers.map(({ topic, target, kind, question, answer }) => ({
      id: topic,
      target,
      kind,
      question,
      answer: describeAnswer(answer),
    }))
  }

  find(asked: Asked): Answer | undefined {
    const topic = topicOf(asked)
    return this.#kept.answers.find((one) => one.topic === topic)?.answer
  }

  keep(asked: Asked, answer: Answer): void {
    const { target, kind, params } = asked
    const question =
      typeof params['message'] === 'string' ? params['message'] : JSON.stringify(params['messages'] ?? '')
    this.#kept.keepAnswer({ topic: topicOf(asked), target, kind, question: question.slice(0, MAX_QUESTION), answer })
  }

  forget(id: string): void {
    this.#kept.forgetAnswer(id)
  }
}

/** The page to visit and the fields are part of it: who agreed to one address did not agree to another. */
function topicOf({ target, kind, params }: Asked): string {
  const { message, url, requestedSchema, messages, systemPrompt } = params
  const exact = JSON.stringify([target, kind, message, url, requestedSchema, messages, systemPrompt])
  return createHash('sha256').update(exact).digest('base64url')
}

/** An answer in one word. */
export function describeAnswer({ action }: Answer): string {
  if (action === 'accept') return 'accepted'
  if (action === 'decline') return 'declined'
  return action === 'cancel' ? 'cancelled' : 'answered'
}
