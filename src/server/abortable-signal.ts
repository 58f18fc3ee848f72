// A signal that follows another one and can also be aborted by itself. Its controller is created on first use.
import type { AbortListener } from '../dispatcher/dispatcher.ts'
import { listenForAbort } from '../primitives/async/abort.ts'

/** Whatever has a signal, made on first use. */
export interface HasSignal {
  readonly signal: AbortSignal
}

export class AbortableSignal implements HasSignal {
  readonly #followed: HasSignal
  #controller: AbortController | undefined
  /** An object, because any value can be a reason, `undefined` too. */
  #abortion: { reason: unknown } | undefined

  /** The followed signal must not outlive this one: the listener on it is never removed. */
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

  /** Aborts the signal, which may be created only later. */
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
