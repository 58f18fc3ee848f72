// Faults: what went wrong on a connection without belonging to any call. They are reported, never thrown.
import { isThenable } from '../primitives/async/promises.ts'
import { monotonicNow } from '../primitives/async/timer.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'

export type FaultKind =
  /** An answer that matches no request of ours, or a second one. */
  | 'unmatched-response'
  /** An error without a usable id: the peer could not read something we sent. */
  | 'peer-error'
  /** A message that is no JSON-RPC, or breaks its rules. */
  | 'invalid-message'
  /** The transport had to skip or repair something. */
  | 'transport'
  /** A message of ours could not be written. */
  | 'write-failed'
  /** A request handler threw something that the peer must not read. */
  | 'handler-failed'
  /** A notification handler threw. */
  | 'notification-failed'
  /** A callback given with a call threw. */
  | 'callback-failed'
  /** Something was dropped because a bound was reached. */
  | 'overflow'
  /** Something was defined or configured in a way that works, but perhaps not as it was meant. */
  | 'configuration-warning'

export interface Fault {
  readonly kind: FaultKind
  /** What happened, for a person; never the content of a message. */
  readonly message: string
  readonly method?: string
  readonly requestId?: RequestId | null
  readonly error?: unknown
  /** How many faults of this kind were not reported since the last one that was. */
  readonly suppressed?: number
  /** What the author can do about it, in one line. */
  readonly remedy?: string
  /** True where the caller has the error itself, as its `cause` (`raiseExceptions`). */
  readonly isRaised?: boolean
}

export type OnFault = (fault: Fault) => void

const WINDOW_MS = 10_000
const REPORTS_PER_WINDOW = 64
const MAX_EARLY = 16

interface Window {
  since: number
  reported: number
  suppressed: number
}

/** Passes faults on, at most so many of a kind in a while, to a listener that may itself fail. */
export class FaultReporter {
  #listener: OnFault | undefined
  /** What was said of definitions before there was anybody to listen. */
  readonly #early: Fault[] = []
  readonly #windows = new Map<FaultKind, Window>()
  #listenerFailed = false
  #hasPrinted = false

  constructor(listener: OnFault | undefined) {
    this.#listener = listener
  }

  /** For faults that nobody has asked for. Whoever asked first stays the one who is told. */
  listenInstead(listener: OnFault): void {
    this.#listener ??= listener
    for (const fault of this.#early.splice(0)) this.report(fault)
  }

  report(fault: Fault): void {
    if (this.#listener === undefined) {
      if (fault.kind === 'configuration-warning' && this.#early.length < MAX_EARLY) this.#early.push(fault)
      return
    }
    const window = this.#windowOf(fault.kind)
    if (window.reported >= REPORTS_PER_WINDOW) {
      window.suppressed += 1
      return
    }
    window.reported += 1
    const { suppressed } = window
    window.suppressed = 0
    try {
      const returned: unknown = this.#listener(suppressed === 0 ? fault : { ...fault, suppressed })
      if (isThenable(returned)) Promise.resolve(returned).then(undefined, (error: unknown) => this.#lastResort(error))
    } catch (error) {
      this.#lastResort(error)
    }
  }

  /** For a failure in a function of the user, whom no call tells of it: without a listener the first one is printed. */
  reportCallback(fault: Fault): void {
    if (this.#listener !== undefined) this.report(fault)
    else if (!this.#hasPrinted) {
      this.#hasPrinted = true
      console.error(`mcpwire: ${fault.message} (printed once; set onFault to get every fault)`, fault.error)
    }
  }

  #windowOf(kind: FaultKind): Window {
    const now = monotonicNow()
    let window = this.#windows.get(kind)
    if (window === undefined) {
      window = { since: now, reported: 0, suppressed: 0 }
      this.#windows.set(kind, window)
    } else if (now - window.since > WINDOW_MS) {
      window.since = now
      window.reported = 0
    }
    return window
  }

  #lastResort(error: unknown): void {
    if (this.#listenerFailed) return
    this.#listenerFailed = true
    console.error('mcpwire: the onFault listener threw; this is said once.', error)
  }
}
