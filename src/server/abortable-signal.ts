// A signal that can be aborted from here as well as by the one it follows; nothing is made of it before somebody asks.
import type { AbortListener } from '../dispatcher/dispatcher.ts'
import { listenForAbort } from '../primitives/async/abort.ts'

/** Whatever has a signal, made on first use. */
export interface HasSignal {
  readonly signal: AbortSignal
}

export class AbortableSignal implements HasSignal {
  readonly #followed: HasSignal
  #controller: AbortController | undefined
  /** In a box, because any value can be a reason. */
  #abortion: { reason: unknown } | undefined

  /** Follows a signal that lives no longer than what this one is for: nothing is ever taken off it. */
  constructor(followed: HasSignal) {
    this.#followed = followed
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#createController()
    return this.#controller.signal
  }

  onAbort(listener: AbortListener): void {
    const { signal } = this
    if (signal.aborted) listener(signal.reason)
    else listenForAbort(signal, () => listener(signal.reason))
  }

  /** Aborts the signal, now or when someone asks for it. */
  abort(reason: unknown): void {
    this.#abortion ??= { reason }
    this.#controller?.abort(reason)
  }

  #createController(): AbortController {
    const controller = new AbortController()
    const { signal } = this.#followed
    const follow = () => controller.abort(signal.reason)
    if (this.#abortion !== undefined) controller.abort(this.#abortion.reason)
    else if (signal.aborted) follow()
    else listenForAbort(signal, follow)
    return controller
  }
}
