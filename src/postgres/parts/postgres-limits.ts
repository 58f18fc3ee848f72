// Buckets and places as rows.
import type { HoldOptions, Limits, TakeOptions } from '../../backend/limits.ts'
import { checkCount, checkName, checkTake, checkTtl } from '../../backend/rules.ts'
import type { Engine } from '../engine/engine.ts'

const TAKE = 'SELECT mcpwire.take($1, $2, $3, $4) AS wait'
const HOLD = 'SELECT mcpwire.hold($1, $2, $3, $4, $5) AS is_held'
const RELEASE = 'DELETE FROM mcpwire.hold WHERE ns = $1 AND key = $2 AND holder = $3'

export class PostgresLimits implements Limits {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async take(key: string, options: TakeOptions): Promise<number> {
    checkName('limits.take', key)
    checkTake('limits.take', options)
    const { perSecond, burst, tokens = 1 } = options
    const msPerToken = 1_000 / perSecond
    const values = [this.#engine.namespace, key, tokens * msPerToken, burst * msPerToken]
    const [row] = await this.#engine.write('limits.take', TAKE, values)
    return Number(row?.['wait'])
  }

  async hold(key: string, holder: string, { max, ttlMs }: HoldOptions): Promise<boolean> {
    checkName('limits.hold', key)
    checkName('limits.hold', holder)
    checkCount('limits.hold', 'max', max)
    checkTtl('limits.hold', ttlMs)
    const [row] = await this.#engine.write('limits.hold', HOLD, [this.#engine.namespace, key, holder, max, ttlMs])
    return row?.['is_held'] === true
  }

  async release(key: string, holder: string): Promise<void> {
    checkName('limits.release', key)
    checkName('limits.release', holder)
    await this.#engine.write('limits.release', RELEASE, [this.#engine.namespace, key, holder])
  }
}
