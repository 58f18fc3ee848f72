// Programs are started only after somebody has seen every word of the command, here or on the command line.
import { createHmac, randomBytes } from 'node:crypto'
import type { Confirmation } from '../../protocol/requests.ts'
import type { CommandTarget } from '../connection/open-target.ts'

export class Confirmations {
  /** A digest is worth nothing in another process, nor to somebody who guesses the command. */
  readonly #key = randomBytes(32)
  readonly #given = new Set<string>()

  /** What the user has to agree to; `undefined` where they have, to exactly this. */
  wantedFor(target: CommandTarget, confirm: string | undefined): Confirmation | undefined {
    const digest = this.#digest(target)
    if (confirm === digest) this.#given.add(digest)
    if (this.#given.has(digest)) return undefined
    const { command, args, env, cwd } = target
    return { words: [command, ...args], env: Object.keys(env), digest, ...(cwd !== undefined && { cwd }) }
  }

  /** For a command that was on the command line. */
  give(target: CommandTarget): void {
    this.#given.add(this.#digest(target))
  }

  #digest({ command, args, env, cwd = '' }: CommandTarget): string {
    const exact = JSON.stringify([command, args, Object.entries(env).sort(), cwd])
    return createHmac('sha256', this.#key).update(exact).digest('base64url')
  }
}
