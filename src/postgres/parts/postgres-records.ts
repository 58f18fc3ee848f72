// Records as rows.
import { randomBytes } from 'node:crypto'
import type { Kept, PutOptions, Records } from '../../backend/records.ts'
import { checkName, checkRevision, checkTtl, checkValue } from '../../backend/rules.ts'
import { fromColumn, toColumn } from '../../backend/stored-text.ts'
import type { Engine } from '../engine/engine.ts'
import type { Row } from '../engine/sql-client.ts'

const READ = 'SELECT value, revision FROM mcpwire.record WHERE ns = $1 AND key = $2 AND expires_at > mcpwire.now_ms()'
const TOUCH = `UPDATE mcpwire.record SET expires_at = mcpwire.now_ms() + $3::float8
  WHERE ns = $1 AND key = $2 AND expires_at > mcpwire.now_ms() RETURNING value, revision`
const PUT = `INSERT INTO mcpwire.record VALUES ($1, $2, $3, $4, mcpwire.now_ms() + $5::float8)
  ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, revision = excluded.revision, expires_at = excluded.expires_at`
const PUT_IF = 'SELECT mcpwire.put_record($1, $2, $3, $4, $5, $6) AS is_put'
const DELETE = `DELETE FROM mcpwire.record WHERE ns = $1 AND key = $2 AND expires_at > mcpwire.now_ms()
  AND ($3::text IS NULL OR revision = $3) RETURNING true`

const REVISION_BYTES = 12

export class PostgresRecords implements Records {
  readonly #engine: Engine
  readonly #maxValueBytes: number

  constructor(engine: Engine, maxValueBytes: number) {
    this.#engine = engine
    this.#maxValueBytes = maxValueBytes
  }

  async get(key: string, { touchMs }: { readonly touchMs?: number } = {}): Promise<Kept | undefined> {
    checkName('records.get', key)
    const engine = this.#engine
    if (touchMs === undefined) return toKept(await engine.read('records.get', READ, [engine.namespace, key]))
    checkTtl('records.get', touchMs)
    return toKept(await engine.write('records.get', TOUCH, [engine.namespace, key, touchMs]))
  }

  async put(key: string, value: string, { ttlMs, if: condition, as }: PutOptions): Promise<string | undefined> {
    checkName('records.put', key)
    checkTtl('records.put', ttlMs)
    checkRevision('records.put', as)
    checkValue('records.put', value, this.#maxValueBytes)
    // Chosen here, so that a repeat after a break of the connection is known.
    const revision = as ?? randomBytes(REVISION_BYTES).toString('base64url')
    const values = [this.#engine.namespace, key, toColumn(value), revision, ttlMs]
    if (condition === undefined) {
      await this.#engine.write('records.put', PUT, values)
      return revision
    }
    const expected = condition === 'absent' ? null : toColumn(condition.revision)
    const [row] = await this.#engine.write('records.put', PUT_IF, [...values, expected])
    return row?.['is_put'] === true ? revision : undefined
  }

  async delete(key: string, { if: condition }: { readonly if?: { readonly revision: string } } = {}): Promise<boolean> {
    checkName('records.delete', key)
    const revision = condition === undefined ? null : toColumn(condition.revision)
    const rows = await this.#engine.write('records.delete', DELETE, [this.#engine.namespace, key, revision])
    return rows.length > 0
  }
}

function toKept([row]: readonly Row[]): Kept | undefined {
  if (row === undefined) return undefined
  const { value, revision } = row as unknown as Kept
  return { value: fromColumn(value), revision }
}
