// Rates and places as rows.
import type { HoldOptions, Limits, TakeOptions } from '../../backend/limits.ts'
import { checkCount, checkName, checkTake, checkTtl } from '../../backend/rules.ts'
import { takeTokens } from '../../backend/token-bucket.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { Engine } from '../engine/engine.ts'

const FULL_AT = 'SELECT full_at FROM mcpwire_bucket WHERE ns = ? AND key = ?'
const KEEP_BUCKET = `INSERT INTO mcpwire_bucket (ns, key, full_at) VALUES (?, ?, ?)
  ON CONFLICT (ns, key) DO UPDATE SET full_at = excluded.full_at`
const REMOVE_LOST = 'DELETE FROM mcpwire_place WHERE ns = ? AND key = ? AND expires_at <= ?'
const RENEW = 'UPDATE mcpwire_place SET expires_at = ? WHERE ns = ? AND key = ? AND holder = ?'
const COUNT = 'SELECT count(*) AS held FROM mcpwire_place WHERE ns = ? AND key = ?'
const HOLD = 'INSERT INTO mcpwire_place (ns, key, holder, expires_at) VALUES (?, ?, ?, ?)'
const RELEASE = 'DELETE FROM mcpwire_place WHERE ns = ? AND key = ? AND holder = ?'

export class SQLiteLimits implements Limits {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  take(key: string, options: TakeOptions): MaybePromise<number> {
    checkName('limits.take', key)
    checkTake('limits.take', options)
    return this.#engine.write('limits.take', () => {
      const { sql, namespace, now } = this.#engine
      const known = sql.get(FULL_AT, namespace, key) as { full_at: number } | undefined
      const { waitMs, fullAt } = takeTokens(known?.full_at, now(), options)
      if (waitMs === 0) sql.run(KEEP_BUCKET, namespace, key, fullAt)
      return waitMs
    })
  }

  hold(key: string, holder: string, { max, ttlMs }: HoldOptions): MaybePromise<boolean> {
    checkName('limits.hold', key)
    checkName('limits.hold', holder)
    checkCount('limits.hold', 'max', max)
    checkTtl('limits.hold', ttlMs)
    return this.#engine.write('limits.hold', () => {
      const { sql, namespace } = this.#engine
      const now = this.#engine.now()
      sql.run(REMOVE_LOST, namespace, key, now)
      if (sql.run(RENEW, now + ttlMs, namespace, key, holder) > 0) return true
      if ((sql.get(COUNT, namespace, key) as { held: number }).held >= max) return false
      sql.run(HOLD, namespace, key, holder, now + ttlMs)
      return true
    })
  }

  release(key: string, holder: string): MaybePromise<void> {
    checkName('limits.release', key)
    checkName('limits.release', holder)
    return this.#engine.write('limits.release', () => {
      this.#engine.sql.run(RELEASE, this.#engine.namespace, key, holder)
    })
  }
}
