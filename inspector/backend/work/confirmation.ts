// Programs are started only after somebody has seen every word of the command, here or on the command line.
import { createHmac, randomBytes } from 'node:crypto'
import type { Confirmation } from '../../protocol/requests.ts'
import type { CommandTarget } from '../connection/open-target.ts'
import type { Sessions } from '../http/sessions.ts'

/** What a page sends after its user has agreed. */
export interface Given {
  /** That of the question. */
  readonly question: string
  /** The secret of the page that no other request has. */
  readonly key: string
}

interface Asked {
  readonly session: string
  readonly command: string
  readonly at: number
}

/** A question that nobody answers is no longer one. */
const MAX_AGE_MS = 10 * 60_000
const MAX_ASKED = 32

export class Confirmations {
  readonly #key = randomBytes(32)
  readonly #sessions: Pick<Sessions, 'confirms'>
  readonly #agreed = new Set<string>()
  readonly #asked = new Map<string, Asked>()

  constructor(sessions: Pick<Sessions, 'confirms'>) {
    this.#sessions = sessions
  }

  /** What the user has to agree to; `undefined` where they have, to exactly this. Each question is answered once, by the page that has it. */
  wantedFor(target: CommandTarget, session: string, given: Given | undefined): Confirmation | undefined {
    const command = this.#digest(target)
    if (given !== undefined && this.#isAnswer(given, session, command)) this.#agreed.add(command)
    if (this.#agreed.has(command)) return undefined
    const { command: program, args, env, cwd } = target
    const question = this.#ask(session, command)
    return { words: [program, ...args], env: Object.keys(env), question, ...(cwd !== undefined && { cwd }) }
  }

  /** For a command that was on the command line. */
  give(target: CommandTarget): void {
    this.#agreed.add(this.#digest(target))
  }

  #ask(session: string, command: string): string {
    const question = randomBytes(16).toString('base64url')
    this.#asked.set(question, { session, command, at: performance.now() })
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= MAX_ASKED) break
      this.#asked.delete(oldest)
    }
    return question
  }

  #isAnswer({ question, key }: Given, session: string, command: string): boolean {
    const asked = this.#asked.get(question)
    this.#asked.delete(question)
    if (asked === undefined || performance.now() - asked.at > MAX_AGE_MS) return false
    return asked.session === session && asked.command === command && this.#sessions.confirms(session, key)
  }

  #digest({ command, args, env, cwd = '' }: CommandTarget): string {
    const exact = JSON.stringify([command, args, Object.entries(env).sort(), cwd])
    return createHmac('sha256', this.#key).update(exact).digest('base64url')
  }
}
