// Rates and places, by the clock of Redis.
import type { HoldOptions, Limits, TakeOptions } from '../backend/limits.ts'
import { checkCount, checkName, checkTake, checkTtl } from '../backend/rules.ts'
import type { RedisParts } from './parts.ts'
import { HOLD, TAKE } from './scripts/limits.ts'

export class RedisLimits implements Limits {
  readonly #parts: RedisParts

  constructor(parts: RedisParts) {
    this.#parts = parts
  }

  async take(key: string, options: TakeOptions): Promise<number> {
    checkName('limits.take', key)
    checkTake('limits.take', options)
    const { perSecond, burst, tokens = 1 } = options
    const { bucket } = await this.#parts.keys('limits.take')
    const args = [String(1_000_000 / perSecond), String(burst), String(tokens)]
    return Number(await this.#parts.engine.script('limits.take', TAKE, [bucket(key)], args))
  }

  async hold(key: string, holder: string, { max, ttlMs }: HoldOptions): Promise<boolean> {
    checkName('limits.hold', key)
    checkName('limits.hold', holder)
    checkCount('limits.hold', 'max', max)
    checkTtl('limits.hold', ttlMs)
    const { places } = await this.#parts.keys('limits.hold')
    const args = [holder, String(max), String(ttlMs)]
    return Number(await this.#parts.engine.script('limits.hold', HOLD, [places(key)], args)) === 1
  }

  async release(key: string, holder: string): Promise<void> {
    checkName('limits.release', key)
    checkName('limits.release', holder)
    const { places } = await this.#parts.keys('limits.release')
    await this.#parts.engine.command('limits.release', 'zrem', places(key), [holder])
  }
}
