// Records as rows.
import { randomBytes } from 'node:crypto'
import type { Kept, PutOptions, Records } from '../../backend/records.ts'
import { checkName, checkRevision, checkTtl, checkValue } from '../../backend/rules.ts'
import { fromColumn, toColumn } from '../../backend/stored-text.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { Engine } from '../engine/engine.ts'

const READ = 'SELECT value, revision FROM mcpwire_record WHERE ns = ? AND key = ? AND expires_at > ?'
const TOUCH =
  'UPDATE mcpwire_record SET expires_at = ? WHERE ns = ? AND key = ? AND expires_at > ? RETURNING value, revision'
const PUT = `INSERT INTO mcpwire_record (ns, key, value, revision, expires_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, revision = excluded.revision, expires_at = excluded.expires_at`
const DELETE = 'DELETE FROM mcpwire_record WHERE ns = ? AND key = ? AND expires_at > ?'
const DELETE_REVISION = 'DELETE FROM mcpwire_record WHERE ns = ? AND key = ? AND expires_at > ? AND revision = ?'

export class SQLiteRecords implements Records {
  readonly #engine: Engine
  readonly #maxValueBytes: number
  /** Revisions of two processes differ by this. */
  readonly #node = randomBytes(9).toString('base64url')
  #puts = 0

  constructor(engine: Engine, maxValueBytes: number) {
    this.#engine = engine
    this.#maxValueBytes = maxValueBytes
  }

  get(key: string, { touchMs }: { readonly touchMs?: number } = {}): MaybePromise<Kept | undefined> {
    checkName('records.get', key)
    const engine = this.#engine
    if (touchMs === undefined) return engine.read('records.get', () => this.#read(key))
    checkTtl('records.get', touchMs)
    return engine.write('records.get', () => {
      const now = engine.now()
      return toKept(engine.sql.get(TOUCH, now + touchMs, engine.namespace, key, now))
    })
  }

  put(key: string, value: string, { ttlMs, if: condition, as }: PutOptions): MaybePromise<string | undefined> {
    checkName('records.put', key)
    checkTtl('records.put', ttlMs)
    checkRevision('records.put', as)
    checkValue('records.put', value, this.#maxValueBytes)
    const engine = this.#engine
    return engine.write('records.put', () => {
      if (condition !== undefined) {
        const known = this.#read(key)
        const holds = condition === 'absent' ? known === undefined : known?.revision === condition.revision
        // The very revision is there: this is the repeat of a put that was done.
        if (!holds) return as !== undefined && known?.revision === as ? as : undefined
      }
      this.#puts += 1
      const revision = as ?? `${this.#node}.${this.#puts}`
      engine.sql.run(PUT, engine.namespace, key, toColumn(value), revision, engine.now() + ttlMs)
      return revision
    })
  }

  delete(key: string, { if: condition }: { readonly if?: { readonly revision: string } } = {}): MaybePromise<boolean> {
    checkName('records.delete', key)
    return this.#engine.write('records.delete', () => {
      const { sql, now, namespace } = this.#engine
      if (condition === undefined) return sql.run(DELETE, namespace, key, now()) > 0
      return sql.run(DELETE_REVISION, namespace, key, now(), condition.revision) > 0
    })
  }

  #read(key: string): Kept | undefined {
    const { sql, now, namespace } = this.#engine
    return toKept(sql.get(READ, namespace, key, now()))
  }
}

function toKept(row: unknown): Kept | undefined {
  if (row === undefined) return undefined
  const { value, revision } = row as Kept
  return { value: fromColumn(value), revision }
}
