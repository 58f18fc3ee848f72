// What the logs of streams take that this node has written: of each session, of each caller, and in all. The oldest that have ended go first.
import { monotonicNow } from '../../../primitives/async/timer.ts'

const MIB = 1024 * 1024
const MAX_BYTES_PER_SESSION = 32 * MIB
const MAX_BYTES_PER_CALLER = 64 * MIB
const MAX_BYTES = 256 * MIB
/** Streams of one session that have ended and can be resumed. */
const MAX_ENDED_PER_SESSION = 256
/** What an entry takes besides its text. */
const ENTRY_BYTES = 64

/** Whose log it is. Without authorization nobody knows the caller. */
export interface LogOwner {
  readonly session: string
  readonly caller: string | null
}

interface Use {
  readonly groups: readonly Group[]
  bytes: number
  /** When the engine forgets it; `undefined` while it is written. */
  goneAt: number | undefined
}

/** Logs that share a limit. */
interface Group {
  readonly key: string
  readonly maxBytes: number
  readonly maxEnded: number
  bytes: number
  size: number
  /** Those that have ended, oldest first. */
  readonly ended: Set<string>
}

export interface LogUseOptions {
  /** How long the engine keeps a log after its last entry. */
  readonly ttlMs: number
  drop(log: string): void
  now?(): number
}

export class LogUse {
  readonly #options: LogUseOptions
  readonly #logs = new Map<string, Use>()
  readonly #groups = new Map<string, Group>()

  constructor(options: LogUseOptions) {
    this.#options = options
  }

  open(log: string, { session, caller }: LogOwner): void {
    const groups = [
      this.#group(`s:${session}`, MAX_BYTES_PER_SESSION, MAX_ENDED_PER_SESSION),
      this.#group('*', MAX_BYTES),
    ]
    if (caller !== null) groups.push(this.#group(`c:${caller}`, MAX_BYTES_PER_CALLER))
    for (const group of groups) group.size += 1
    this.#logs.set(log, { groups, bytes: 0, goneAt: undefined })
  }

  /** False: the entry must not be stored, since logs that are still written take all the space. */
  take(log: string, bytes: number): boolean {
    const use = this.#logs.get(log)
    if (use === undefined) return false
    this.#forgetGone()
    const more = bytes + ENTRY_BYTES
    use.bytes += more
    for (const group of use.groups) group.bytes += more
    return use.groups.every((group) => this.#makeRoom(group))
  }

  /** Nothing more is written to it. It can be resumed until the engine forgets it, or others need the space. */
  end(log: string): void {
    const use = this.#logs.get(log)
    if (use === undefined || use.goneAt !== undefined) return
    if (use.bytes === 0) {
      this.forget(log)
      return
    }
    use.goneAt = this.#now() + this.#options.ttlMs
    for (const group of use.groups) {
      group.ended.add(log)
      this.#makeRoom(group)
    }
  }

  /** It is in the engine no more. */
  forget(log: string): void {
    const use = this.#logs.get(log)
    if (use === undefined) return
    this.#logs.delete(log)
    for (const group of use.groups) {
      group.bytes -= use.bytes
      group.size -= 1
      group.ended.delete(log)
      if (group.size === 0) this.#groups.delete(group.key)
    }
  }

  /** The session has ended for all nodes: nobody resumes its streams. */
  endSession(session: string): void {
    for (const log of [...(this.#groups.get(`s:${session}`)?.ended ?? [])]) this.#drop(log)
  }

  #makeRoom(group: Group): boolean {
    for (const oldest of group.ended) {
      if (group.bytes <= group.maxBytes && group.ended.size <= group.maxEnded) break
      this.#drop(oldest)
    }
    return group.bytes <= group.maxBytes
  }

  #drop(log: string): void {
    this.forget(log)
    this.#options.drop(log)
  }

  #forgetGone(): void {
    const now = this.#now()
    for (const log of this.#groups.get('*')?.ended ?? []) {
      if ((this.#logs.get(log)?.goneAt ?? 0) > now) break
      this.forget(log)
    }
  }

  #group(key: string, maxBytes: number, maxEnded = Number.POSITIVE_INFINITY): Group {
    const known = this.#groups.get(key)
    if (known !== undefined) return known
    const group = { key, maxBytes, maxEnded, bytes: 0, size: 0, ended: new Set<string>() }
    this.#groups.set(key, group)
    return group
  }

  #now(): number {
    return this.#options.now?.() ?? monotonicNow()
  }
}
