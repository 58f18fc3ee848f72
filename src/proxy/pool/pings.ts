// Asks the open connections of a source whether they still answer. Nothing is opened for it.
import { monotonicNow } from '../../primitives/async/timer.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import type { MCPError } from '../../types/errors/errors.ts'
import type { BackConnection } from '../back/back-connection.ts'
import { isPeerError, isStrange } from '../base/failures.ts'
import type { UpstreamHealth } from './health.ts'

/** Each connection may be a process, or a session elsewhere: a look costs no more than this. */
const MAX_ASKED = 16

export const PING_MS = 5_000

/** A connection that is asked, which may end until it has answered. */
interface OpenOne {
  readonly connection: BackConnection
  readonly isOpen: boolean
}

interface Pong {
  readonly ms: number
  /** Why there was no answer. */
  readonly error?: unknown
  /** The answer, where it was an error. */
  readonly refusal?: MCPError
}

export interface Answers {
  readonly ping: NonNullable<UpstreamHealth['ping']>
  /** Why one of them did not answer. */
  readonly error: unknown
}

export class Pings {
  /** Whoever looks while one is under way waits for its answer. */
  readonly #underWay = new WeakMap<BackConnection, Promise<Pong>>()

  /** `undefined` where nothing is open. The newest are given first. */
  async ask(connections: readonly OpenOne[], timeoutMs: number): Promise<Answers | undefined> {
    const asked = connections
      .slice(0, MAX_ASKED)
      .map(async (one) => ({ one, pong: await this.#askOnce(one.connection, timeoutMs) }))
    // One that ended meanwhile was not silent: it is no more.
    const pongs = (await Promise.all(asked)).flatMap(({ one, pong }) =>
      pong.error === undefined || one.isOpen ? [pong] : [],
    )
    if (pongs.length === 0) return undefined
    const failed = pongs.filter(({ error }) => error !== undefined)
    const answered = pongs.length - failed.length
    const ms = Math.max(...pongs.filter(({ error }) => error === undefined).map((pong) => pong.ms))
    const ping = { answered, unanswered: failed.length, ...(answered > 0 && { ms }) }
    return { ping, error: failed[0]?.error }
  }

  /**
   * Whether the source knows this connection no more: it is another server than the one that opened it, or one of another era. One that
   * is slow may only be busy.
   */
  async isStale(connection: BackConnection): Promise<boolean> {
    const { era } = connection
    const { error, refusal } = await this.#askOnce(connection, PING_MS)
    // Each modern server has `server/discover`; some legacy ones lack `ping`.
    const isOther = era === 'modern' && refusal?.code === ErrorCode.MethodNotFound
    return isOther || isStrange(refusal ?? error, era)
  }

  #askOnce(connection: BackConnection, timeoutMs: number): Promise<Pong> {
    const before = this.#underWay.get(connection)
    if (before !== undefined) return before
    const asking = ask(connection, timeoutMs).finally(() => this.#underWay.delete(connection))
    this.#underWay.set(connection, asking)
    return asking
  }
}

async function ask({ client, era }: BackConnection, timeoutMs: number): Promise<Pong> {
  const startedAt = monotonicNow()
  try {
    // Modern servers have no ping.
    await client.session.sendRaw(era === 'modern' ? 'server/discover' : 'ping', {}, { timeoutMs })
  } catch (error) {
    // An error is an answer.
    return { ms: monotonicNow() - startedAt, ...(isPeerError(error) ? { refusal: error } : { error }) }
  }
  return { ms: monotonicNow() - startedAt }
}
