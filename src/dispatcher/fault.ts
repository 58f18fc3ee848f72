// Faults: what went wrong on a connection without belonging to any call. They are reported, never thrown.

import { isThenable } from '../primitives/async/promises.ts'
import { monotonicNow } from '../primitives/async/timer.ts'
import { LazyMap } from '../primitives/lazy-collections.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'

/** The kinds of faults. Each has its own meaning for an operator. */
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
  /** Something of a source has no form in the era of a caller and was left out. */
  | 'lossy-crossing'
  /** Something was defined or configured in a way that works, but perhaps not as it was meant. */
  | 'configuration-warning'

/** Something that went wrong outside of any call, so that no promise can reject. Passed to `onFault`. */
export interface Fault {
  /** What kind of failure it is. Use it to decide what to log and what to ignore. */
  readonly kind: FaultKind
  /** What happened, for a person; never the content of a message. */
  readonly message: string
  /** The method that was involved, if there was one. */
  readonly method?: string
  /** The id of the request that was involved, if there was one. */
  readonly requestId?: RequestId | null
  /** The error behind the fault, if there was one. */
  readonly error?: unknown
  /** How many faults of this kind, or with this message while an engine is away, were not reported since the last one that was. */
  readonly suppressed?: number
  /** What the author can do about it, in one line. */
  readonly remedy?: string
  /** True where the caller has the error itself, as its `cause` (`raiseExceptions`). */
  readonly isRaised?: boolean
}

/** Called with each fault outside of any call. Without it, a running server writes what concerns its author to the standard error. */
export type OnFault = (fault: Fault) => void

/** Errors that may hold secrets, which are hidden wherever a fault tells of them. */
const hiders = new WeakMap<object, (fault: Fault) => Fault>()

/** From here on, faults about this error are reported as `hide` leaves them. It must not throw. */
export function hideInFaults(error: object, hide: (fault: Fault) => Fault): void {
  hiders.set(error, hide)
}

function hidden(fault: Fault): Fault {
  return hiders.get(fault.error as object)?.(fault) ?? fault
}

const WINDOW_MS = 10_000
const REPORTS_PER_WINDOW = 64
const MAX_EARLY = 16
/** While an engine is away, everything that needs it fails: one line each in this time says it. */
const AWAY_WINDOW_MS = 60_000
const MAX_AWAY = 64

interface Window {
  since: number
  reported: number
  suppressed: number
}

/** Passes faults on, at most so many of a kind in a while, to a listener that may itself fail. */
export class FaultReporter {
  #listener: OnFault | undefined
  /** What was said of definitions before there was anybody to listen. */
  #early: Fault[] | undefined
  readonly #windows = new LazyMap<FaultKind, Window>()
  /** By message, of faults because an engine is away. */
  readonly #away = new LazyMap<string, Window>()
  #listenerFailed = false
  #hasPrinted = false

  constructor(listener: OnFault | undefined) {
    this.#listener = listener
  }

  /** For faults without a listener. The first listener stays the only one. */
  listenInstead(listener: OnFault): void {
    this.#listener ??= listener
    const early = this.#early ?? []
    this.#early = undefined
    for (const fault of early) this.report(fault)
  }

  report(fault: Fault): void {
    if (this.#listener === undefined) {
      if (fault.kind !== 'configuration-warning') return
      this.#early ??= []
      if (this.#early.length < MAX_EARLY) this.#early.push(fault)
      return
    }
    const away = isAway(fault.error) ? this.#windowOf(this.#away, fault.message, AWAY_WINDOW_MS) : undefined
    if (away !== undefined && !admits(away, 1)) return
    const window = this.#windowOf(this.#windows, fault.kind, WINDOW_MS)
    if (!admits(window, REPORTS_PER_WINDOW)) return
    const suppressed = window.suppressed + (away?.suppressed ?? 0)
    window.suppressed = 0
    if (away !== undefined) away.suppressed = 0
    try {
      const told = hidden(fault)
      const returned: unknown = this.#listener(suppressed === 0 ? told : { ...told, suppressed })
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
      console.error(`mcpwire: ${fault.message} (printed once; set onFault to get every fault)`, hidden(fault).error)
    }
  }

  #windowOf<Key>(windows: LazyMap<Key, Window>, key: Key, lengthMs: number): Window {
    const now = monotonicNow()
    let window = windows.get(key)
    if (window === undefined) {
      window = { since: now, reported: 0, suppressed: 0 }
      // Messages are few; what is over is dropped all the same.
      if (windows.size >= MAX_AWAY) windows.clear()
      windows.set(key, window)
    } else if (now - window.since >= lengthMs) {
      window.since = now
      window.reported = 0
    }
    return window
  }

  #lastResort(error: unknown): void {
    if (this.#listenerFailed) return
    this.#listenerFailed = true
    console.error('mcpwire: the onFault listener threw. Further errors of it are not printed.', error)
  }
}

/** Counts one more fault, and says whether it is reported. */
function admits(window: Window, max: number): boolean {
  if (window.reported >= max) {
    window.suppressed += 1
    return false
  }
  window.reported += 1
  return true
}

/** By its name, since this layer knows no backends. What was thrown may be anything, also an object that throws when it is read. */
function isAway(error: unknown): boolean {
  try {
    if (!(error instanceof Error) || error.name !== 'BackendError') return false
    const { kind } = error as Error & { kind?: unknown }
    return kind === 'unavailable' || kind === 'timeout'
  } catch {
    return false
  }
}
