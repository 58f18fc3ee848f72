// Follows one source of a skill while the server runs. The functions of the source are the author's: they may be async and may fail.

import type { FaultReporter } from '../../../dispatcher/fault.ts'
import { isThenable } from '../../../primitives/async/promises.ts'
import { typeError } from '../../../primitives/help.ts'
import { describeKind } from '../../../primitives/options.ts'
import type { SkillFolder } from '../../../types/extensions/skills.ts'

type StopWatching = () => unknown

export class SourceWatch {
  readonly source: SkillFolder
  /** The path that was given at registration. */
  readonly path: string | undefined
  readonly #skill: string
  readonly #faults: FaultReporter
  #stop: StopWatching | undefined
  /** Counts up with each start and stop, so that a `watch` that resolves late is known to be out of date. */
  #turn = 0
  #isOn = false

  /** `skill` is the URI of the skill, for messages. */
  constructor(source: SkillFolder, path: string | undefined, skill: string, faults: FaultReporter) {
    this.source = source
    this.path = path
    this.#skill = skill
    this.#faults = faults
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Never throws: a source that can't be watched is reported, and its skill stays as it is. */
  start(onChange: () => void): void {
    this.#isOn = true
    this.#turn += 1
    const turn = this.#turn
    const change = () => {
      if (turn === this.#turn) onChange()
    }
    try {
      const started: unknown = this.source.watch?.(change)
      if (!isThenable(started)) this.#started(started, turn)
      else
        started.then(
          (stop) => this.#started(stop, turn),
          (error: unknown) => this.#failed(error),
        )
    } catch (error) {
      this.#failed(error)
    }
  }

  stop(): void {
    this.#isOn = false
    this.#turn += 1
    const stop = this.#stop
    this.#stop = undefined
    if (stop !== undefined) this.#end(stop)
  }

  #started(stop: unknown, turn: number): void {
    if (typeof stop !== 'function') {
      this.#failed(
        typeError('bad-skill', `watch() of the source returned ${describeKind(stop)}. Return a function that ends it.`),
      )
    } else if (turn === this.#turn) this.#stop = stop as StopWatching
    else this.#end(stop as StopWatching)
  }

  #end(stop: StopWatching): void {
    const failed = (error: unknown) =>
      this.#report(`The source of the skill ${JSON.stringify(this.#skill)} is still watched: ending it failed.`, error)
    try {
      const ended = stop()
      if (isThenable(ended)) ended.then(undefined, failed)
    } catch (error) {
      failed(error)
    }
  }

  #failed(error: unknown): void {
    const message = `The source of the skill ${JSON.stringify(this.#skill)} can't be watched. The skill stays as it is.`
    this.#report(message, error)
  }

  #report(message: string, error: unknown): void {
    this.#faults.report({ kind: 'configuration-warning', message, error })
  }
}
