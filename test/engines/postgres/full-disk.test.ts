// A disk that is really full: the tables are on a small file system of their own, where one can be made.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import type { BackendError } from '../../../src/backend/backend-error.ts'
import { postgres } from '../../../src/postgres/postgres.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { newTask } from '../failing-engine.ts'
import { describeInFull } from '../full.ts'
import { mountSmall } from '../small-disk.ts'
import * as clients from './clients.ts'

const TTL = 3_600_000
const MOST_WRITES = 10_000

describeInFull('a full disk', () => {
  describeEngine('Postgres', 'of Postgres', () => {
    const database = useEngine(clients.freshDatabase)

    describe('filled by its own writes', () => {
      it('D014 (postgres): refuses writes as not done, serves reads, and is ready again once there is space', async ({
        skip,
      }) => {
        const folder = mountSmall('Postgres', 24)
        if (folder === undefined) return skip()
        if (process.getuid?.() === 0) execFileSync('chown', ['postgres', folder])
        const filler = join(folder, 'filler')
        writeFileSync(filler, Buffer.alloc(4 * 1024 * 1024))
        const name = `small_${clients.freshNamespace()}`
        await database().query(`CREATE TABLESPACE ${name} LOCATION '${folder}'`)
        await database().query(`CREATE DATABASE ${name} TABLESPACE ${name}`)
        const url = `postgres://${database().user}@localhost/${name}?host=${encodeURIComponent(database().host)}`
        const backend = postgres(url, clients.PATIENT) as Backend & { tasks: NonNullable<Backend['tasks']> }
        onTestFinished(async () => {
          await backend.close()
          await database().query(`DROP DATABASE ${name} WITH (FORCE)`)
          await database().query(`DROP TABLESPACE ${name}`)
        })
        await backend.records.put('first', 'v', { ttlMs: TTL })
        const kept: string[] = []
        let failure: BackendError | undefined
        // Text that does not get shorter when it is compressed.
        const value = () => Array.from({ length: 4_000 }, () => Math.random().toString(36).slice(2, 10)).join('')
        for (let n = 0; n < MOST_WRITES && failure === undefined; n += 1) {
          try {
            await backend.records.put(`k${n}`, value(), { ttlMs: TTL })
            kept.push(`k${n}`)
          } catch (error) {
            failure = error as BackendError
          }
        }
        expect(failure).toMatchObject({ kind: 'refused', operation: 'records.put', outcome: 'not-done' })
        expect(failure?.message).toContain('The disk of Postgres is full. Free some space.')
        expect(await backend.records.get('first')).toMatchObject({ value: 'v' })
        // What was refused is not there; what was acknowledged is.
        expect(await backend.records.get(`k${kept.length}`)).toBeUndefined()
        for (const key of kept) expect(await backend.records.get(key)).toBeDefined()
        expect(await backend.health()).toMatchObject({
          isReady: false,
          detail: expect.stringContaining('disk') as string,
        })
        rmSync(filler)
        expect(await backend.health()).toMatchObject({ isReady: true })
        expect(await backend.tasks.create(newTask())).toBeUndefined()
      }, 120_000)
    })
  })
})
