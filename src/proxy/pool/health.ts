// How a source is doing: what `health()` tells of it.
import type { Era } from '../base/caller.ts'

/** The state of one source. Holds nothing that may be a secret. */
export interface UpstreamHealth {
  /** The name of the source. */
  readonly name: string
  /** `idle` without any connection; `failed` while callers are turned away; `lost` where no open connection answers either. */
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
  /** How many components each list had when it was last read to its end, by method; absent for one that never was. */
  readonly listed: Readonly<Record<string, number>>
  /** Whether the open connections answer; of many, the last 16 that were used. Absent without any: `health()` opens none. */
  readonly ping?: {
    /** How many connections answered in time. */
    readonly answered: number
    /** How many did not. */
    readonly unanswered: number
    /** How long the slowest answer took, in milliseconds. */
    readonly ms?: number
  }
  /** Of the last 100 calls, in milliseconds. */
  readonly latencyMs?: {
    /** Half of the calls were answered within this time. */
    readonly p50: number
    /** 95 % of the calls were answered within this time. */
    readonly p95: number
  }
}

/** Options of `health()`. */
export interface HealthOptions {
  /** How long each source may take to answer, in milliseconds (default: 5,000). */
  timeoutMs?: number | undefined
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
