// Records as strings.
import { randomBytes } from 'node:crypto'
import type { Kept, PutOptions, Records } from '../backend/records.ts'
import { checkName, checkRevision, checkTtl, checkValue } from '../backend/rules.ts'
import type { RedisParts } from './parts.ts'
import { DELETE_IF, PUT_IF } from './scripts/records.ts'

/** 96 bits: no two puts have the same. */
const REVISION_BYTES = 12
const REVISION_LENGTH = 16

export class RedisRecords implements Records {
  readonly #parts: RedisParts
  readonly #random = new RandomRevisions()

  constructor(parts: RedisParts) {
    this.#parts = parts
  }

  async get(key: string, { touchMs }: { readonly touchMs?: number } = {}): Promise<Kept | undefined> {
    checkName('records.get', key)
    if (touchMs !== undefined) checkTtl('records.get', touchMs)
    const { engine } = this.#parts
    const { record } = await this.#parts.keys('records.get')
    const text = await (touchMs === undefined
      ? engine.command('records.get', 'get', record(key))
      : engine.command('records.get', 'getex', record(key), ['PX', milliseconds(touchMs)]))
    // What is not ours to read counts as absent.
    if (typeof text !== 'string' || text[REVISION_LENGTH] !== ':') return undefined
    return { value: text.slice(REVISION_LENGTH + 1), revision: text.slice(0, REVISION_LENGTH) }
  }

  async put(key: string, value: string, { ttlMs, if: condition, as }: PutOptions): Promise<string | undefined> {
    checkName('records.put', key)
    checkTtl('records.put', ttlMs)
    checkRevision('records.put', as)
    checkValue('records.put', value, this.#parts.maxValueBytes)
    const { engine } = this.#parts
    const { record } = await this.#parts.keys('records.put')
    const revision = as ?? this.#random.next()
    const text = `${revision}:${value}`
    if (condition === undefined) {
      await engine.write('records.put', 'set', record(key), [text, 'PX', milliseconds(ttlMs)])
      return revision
    }
    const wanted = condition === 'absent' ? '' : condition.revision
    const args = [text, milliseconds(ttlMs), wanted]
    const kept = await engine.writeScript('records.put', PUT_IF, [record(key)], args)
    return typeof kept === 'string' ? kept : undefined
  }

  async delete(key: string, { if: condition }: { readonly if?: { readonly revision: string } } = {}): Promise<boolean> {
    checkName('records.delete', key)
    const { engine } = this.#parts
    const { record } = await this.#parts.keys('records.delete')
    const deleted = await (condition === undefined
      ? engine.write('records.delete', 'del', record(key))
      : engine.writeScript('records.delete', DELETE_IF, [record(key)], [condition.revision]))
    return Number(deleted) === 1
  }
}

/** Random bytes are made for many revisions at once: for each alone it costs more than to send it. */
class RandomRevisions {
  #bytes = Buffer.alloc(0)
  #at = 0

  next(): string {
    if (this.#at >= this.#bytes.length) {
      this.#bytes = randomBytes(REVISION_BYTES * 128)
      this.#at = 0
    }
    this.#at += REVISION_BYTES
    return this.#bytes.toString('base64url', this.#at - REVISION_BYTES, this.#at)
  }
}

/** Redis takes whole ones. */
export function milliseconds(ms: number): string {
  return String(Math.ceil(ms))
}
