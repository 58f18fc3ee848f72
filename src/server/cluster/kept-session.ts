// One session as a node sees it: its record as last read, when that was, and changes that all nodes are to know.
import { BackendError } from '../../backend/backend-error.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONValue } from '../../types/protocol/json.ts'
import type { ConnectionChange, ConnectionKeeper } from '../connection.ts'
import type { KeptValues } from '../shared-values.ts'
import type { ClusterNode } from './cluster-node.ts'
import type { SessionRecord } from './session-record.ts'
import type { SessionRegistry, StoredSession } from './session-registry.ts'

/** The kind of message that makes a node read the record of a session again. */
export const SESSION_CHANGED = 'session-changed'

/** How long an answer waits for the node that has the client's stream. */
const RECEIPT_MS = 250

export class KeptSession implements ConnectionKeeper {
  readonly digest: string
  readonly node: ClusterNode
  readonly #registry: SessionRegistry
  /** Called with each new state of the record, before anybody else sees it. */
  readonly #apply: (record: SessionRecord) => void
  readonly #onGap: () => void
  readonly #checkWatched: (uris: readonly string[]) => void
  #hasGap = false
  #stored: StoredSession | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  #renewedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<boolean> | undefined
  #updating: Promise<unknown> = Promise.resolve()

  /**
   * `onGap` is called when this node takes the place of one that is gone: nobody may have announced changes for a while.
   * `checkWatched` throws where these are more resources than a client may watch.
   */
  constructor(
    node: ClusterNode,
    registry: SessionRegistry,
    digest: string,
    apply: (record: SessionRecord) => void,
    onGap: () => void = () => {},
    checkWatched: (uris: readonly string[]) => void = () => {},
  ) {
    this.#onGap = onGap
    this.#checkWatched = checkWatched
    this.node = node
    this.#registry = registry
    this.digest = digest
    this.#apply = apply
  }

  /** As last read. `undefined` until the session is stored. */
  get record(): SessionRecord | undefined {
    return this.#stored?.record
  }

  /** Milliseconds since the record was last seen. */
  get age(): number {
    return monotonicNow() - this.#checkedAt
  }

  /** Stores the session. Every node can serve it once this resolves; rejects with `BackendError` where that failed. */
  async create(record: SessionRecord): Promise<void> {
    this.take(await this.#registry.create(this.digest, record))
  }

  /** Whether the session is still there. Rejects with `BackendError` where the engine does not say. */
  check(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /**
   * Changes the record, as it is then, for all nodes. `change` may be called several times, and returns `undefined` where there is
   * nothing to change. `undefined` for a session that has ended.
   */
  update(change: (record: SessionRecord) => SessionRecord | undefined): Promise<SessionRecord | undefined> {
    // One after the other: changes of the same node would only make each other's tries fail.
    const updating = this.#updating.then(() => this.#update(change))
    this.#updating = updating.catch(() => {})
    return updating
  }

  async #update(change: (record: SessionRecord) => SessionRecord | undefined): Promise<SessionRecord | undefined> {
    let homeBefore = this.node.id
    const stored = await this.#registry.update(this.digest, (record) => {
      homeBefore = homeOf(record)
      return change(record)
    })
    if (stored === undefined) return undefined
    this.take(stored)
    // Before the client hears of the new home, so that no change is announced by both.
    if (homeOf(stored.record) !== homeBefore && (await this.#tellHome(homeBefore)) === undefined) this.#hasGap = true
    return stored.record
  }

  /** This node has the client's stream now. */
  onListening(): void {
    if (this.#hasGap) this.#onGap()
    this.#hasGap = false
  }

  async keep(change: ConnectionChange): Promise<void> {
    // Once it is so, it stays so.
    if (change.isInitialized === true && this.record?.isInitialized === true) return
    let isChanged = false
    try {
      const record = await this.update((before) => {
        const after = changed(before, change)
        isChanged = after !== undefined
        // By the record: other nodes may have added some that this one has not seen.
        if (isChanged && change.watch !== undefined) this.#checkWatched(after?.watched ?? [])
        return after
      })
      if (isChanged && record !== undefined) await this.#tellHome(homeOf(record))
    } catch (error) {
      // As if nothing had happened: what the other nodes do not know must not hold here.
      if (this.#stored !== undefined) this.#apply(this.#stored.record)
      throw asAnswer(error, NOT_STORED)
    }
  }

  /**
   * The node that has the client's stream, or had it last; before that the one where the session began. Where that one is gone and
   * nobody listens, the node where the change was made: it waits in the log.
   */
  isAnnouncer(isFromElsewhere: boolean): MaybePromise<boolean> {
    const { record } = this
    if (record === undefined) return false
    const isHome = homeOf(record) === this.node.id
    return isHome || isFromElsewhere || record.listening?.isOpen === true ? isHome : this.#isLeftToUs()
  }

  async #isLeftToUs(): Promise<boolean> {
    try {
      if (!(await this.check())) return false
    } catch {
      // As last read: twice is better than never.
    }
    const { record } = this
    if (record === undefined) return false
    const home = homeOf(record)
    if (home === this.node.id || record.listening?.isOpen === true) return home === this.node.id
    return (await this.#tellHome(home)) === undefined
  }

  readonly values: KeptValues = {
    read: () => this.#try(() => this.#registry.readValues(this.digest)),
    write: (text, revision) =>
      this.#try(async () => {
        const isDone = await this.#registry.writeValues(this.digest, text, revision)
        if (isDone && this.record?.hasValues !== true) {
          const record = await this.update((before) => (before.hasValues ? undefined : { ...before, hasValues: true }))
          // The session has ended meanwhile, and its values with it.
          if (record === undefined) await this.#registry.delete(this.digest)
        }
        return isDone
      }),
  }

  /** Touches what stands beside the record, where that is due. */
  renew(maxPerPrincipal: number): void {
    const { record } = this
    if (record === undefined || monotonicNow() - this.#renewedAt < this.#registry.renewMs) return
    this.#renewedAt = monotonicNow()
    const { principal, hasValues } = record
    const quietly = (work: Promise<unknown>) => work.catch(() => {})
    if (principal !== null) void quietly(this.#registry.hold(principal, this.digest, maxPerPrincipal))
    if (hasValues === true) void quietly(this.#registry.readValues(this.digest))
  }

  async #check(): Promise<boolean> {
    const stored = await this.#registry.read(this.digest)
    if (stored !== undefined) this.take(stored)
    return stored !== undefined
  }

  /** The record as of the last read or write. */
  take(stored: StoredSession): void {
    const isNew = this.#stored?.revision !== stored.revision
    this.#stored = stored
    this.#checkedAt = monotonicNow()
    if (isNew) this.#apply(stored.record)
  }

  /**
   * The node that announces changes learns what is new before the answer leaves; the others with their next check. `undefined` where
   * it is gone, or has no object of the session.
   */
  async #tellHome(home: string): Promise<JSONValue | undefined> {
    if (home === this.node.id) return true
    try {
      return await this.node.ask(home, SESSION_CHANGED, { session: this.digest }, RECEIPT_MS)
    } catch {
      // The record is stored, and that is what counts.
      return undefined
    }
  }

  async #try<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw asAnswer(error, NOT_REACHED)
    }
  }
}

const NOT_STORED = 'The server could not store this for the session. Try again later.'
const NOT_REACHED = 'The server cannot reach the values of the session now. Try again later.'

/** What the client may read of an engine that fails. */
function asAnswer(error: unknown, message: string): unknown {
  return error instanceof BackendError
    ? new MCPError(ErrorCode.InternalError, message, undefined, { cause: error })
    : error
}

function homeOf({ listening, home }: SessionRecord): string {
  return listening?.node ?? home
}

/** The record after a change; `undefined` where it is the same. */
function changed(record: SessionRecord, change: ConnectionChange): SessionRecord | undefined {
  const { isInitialized, logLevel, watch, unwatch } = change
  if (isInitialized === true && !record.isInitialized) return { ...record, isInitialized }
  if (logLevel !== undefined && record.logLevel !== logLevel) return { ...record, logLevel }
  if (watch !== undefined && !record.watched.includes(watch)) {
    return { ...record, watched: [...record.watched, watch] }
  }
  if (unwatch !== undefined && record.watched.includes(unwatch)) {
    return { ...record, watched: record.watched.filter((uri) => uri !== unwatch) }
  }
  return undefined
}
