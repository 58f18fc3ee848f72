// A signal that follows another one and can also be aborted by itself. Its controller is created on first use.

import { forgetAbort, listenForAbort } from '../primitives/async/abort.ts'
import type { AbortListener } from './dispatcher.ts'

/** Whatever has a signal, made on first use. */
export interface HasSignal {
  readonly signal: AbortSignal
}

export class AbortableSignal implements HasSignal {
  #followed: HasSignal
  #controller: AbortController | undefined
  #stopFollowing: (() => void) | undefined
  /** An object, because any value can be a reason, `undefined` too. */
  #abortion: { reason: unknown } | undefined

  /** The followed signal must not outlive this one: the listener on it is removed only when another one is followed. */
  constructor(followed: HasSignal) {
    this.#followed = followed
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortion === undefined) this.#follow(this.#controller)
      else this.#controller.abort(this.#abortion.reason)
    }
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

  /** From here on another signal is followed. Nothing of the one before is kept. */
  followInstead(followed: HasSignal): void {
    this.#stopFollowing?.()
    this.#followed = followed
    if (this.#controller !== undefined && this.#abortion === undefined) this.#follow(this.#controller)
  }

  #follow(controller: AbortController): void {
    const { signal } = this.#followed
    const follow = () => controller.abort(signal.reason)
    if (signal.aborted) {
      follow()
      return
    }
    listenForAbort(signal, follow)
    this.#stopFollowing = () => forgetAbort(signal, follow)
  }
}
