// How a source is doing: what `health()` tells of it.
import type { Era } from '../base/caller.ts'

/** The state of one source. Holds nothing that may be a secret. */
export interface UpstreamHealth {
  /** The name of the source. */
  readonly name: string
  /** `idle` without any connection; `failed` while callers are turned away. */
  readonly state: 'idle' | 'connecting' | 'ready' | 'lost' | 'failed' | 'closed'
  /** The era that the source was last reached in. */
  readonly era?: Era
  /** The revision that was last agreed on. */
  readonly revision?: string
  /** When the state began, in milliseconds since 1970. */
  readonly since: number
  /** Why the last attempt or connection failed, in one word or sentence. */
  readonly lastError?: string
  /** Connections that are open. */
  readonly connections: number
  /** Calls that wait for the answer of a modern caller. */
  readonly parked: number
  /** How many components the last complete lists had, by method. */
  readonly listed: Readonly<Record<string, number>>
  /** Of the last 100 calls, in milliseconds. */
  readonly latencyMs?: {
    /** Half of the calls were answered within this time. */
    readonly p50: number
    /** 95 % of the calls were answered within this time. */
    readonly p95: number
  }
}

const KEPT = 100

export class Latencies {
  readonly #last: number[] = []
  #next = 0

  add(ms: number): void {
    this.#last[this.#next] = ms
    this.#next = (this.#next + 1) % KEPT
  }

  get summary(): UpstreamHealth['latencyMs'] {
    if (this.#last.length === 0) return undefined
    const sorted = this.#last.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
    return { p50: at(0.5), p95: at(0.95) }
  }
}
