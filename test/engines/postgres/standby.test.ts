// A standby that follows its primary and takes over from it.
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import type { Claim } from '../../../src/backend/task-store.ts'
import { postgres } from '../../../src/postgres/postgres.ts'
import { describeEngine } from '../describe-engine.ts'
import { failureOf, newTask } from '../failing-engine.ts'
import { describeInFull } from '../full.ts'
import { type PostgresServer, startPostgres, startStandby } from '../postgres.ts'
import * as clients from './clients.ts'

const CLAIM = { kinds: ['report'], max: 1, leaseMs: 60_000 }
const DONE = { status: 'completed', text: '{}' } as const
const TTL = 3_600_000

type WithTasks = Backend & { tasks: NonNullable<Backend['tasks']> }

function backendAt({ user, host }: PostgresServer): WithTasks {
  const url = `postgres://${user}@localhost/postgres?host=${encodeURIComponent(host)}`
  const backend = postgres(url, { ...clients.PATIENT, namespace: 'standby' })
  onTestFinished(() => backend.close())
  return backend as WithTasks
}

async function started(server: Promise<PostgresServer>): Promise<PostgresServer> {
  const { close } = await server
  onTestFinished(close)
  return server
}

describeInFull('a standby', () => {
  describeEngine('Postgres', 'mcpwire/postgres with a standby', () => {
    it('D012, D018 (postgres): a standby is refused at open; promoted, it has every task that was acknowledged as ended', async () => {
      // Commits wait for the standby, as soon as there is one.
      const primary = await started(startPostgres({ isDurable: true }))
      const before = backendAt(primary)
      await before.open()
      const standby = await started(startStandby(primary))
      const admin = await clients.pgPool({ ...primary, database: 'postgres' })
      onTestFinished(() => admin.close())
      await admin.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
      await admin.query('SELECT pg_reload_conf()')
      await vi.waitFor(async () => {
        const { rows } = (await admin.query('SELECT sync_state FROM pg_stat_replication')) as { rows: unknown[] }
        expect(rows).toEqual([{ sync_state: 'sync' }])
      }, 20_000)

      const refused = await failureOf(backendAt(standby).open())
      expect(refused).toMatchObject({ kind: 'unavailable', operation: 'open' })
      expect(refused.message).toBe('This Postgres is a standby and takes no writes. Use the URL of the primary.')

      const tasks = Array.from({ length: 5 }, () => newTask())
      for (const task of tasks) await before.tasks.create(task)
      for (const task of tasks) {
        const [claim] = await before.tasks.claim('a', CLAIM)
        expect(claim).toMatchObject({ id: task.id })
        expect(await before.tasks.finish(claim as Claim, DONE)).toBe('finished')
      }
      await before.records.put('k', 'v', { ttlMs: TTL })
      await primary.process.stop('SIGKILL')

      const promoting = await clients.pgPool({ ...standby, database: 'postgres' })
      onTestFinished(() => promoting.close())
      await promoting.query('SELECT pg_promote()')
      const after = backendAt(standby)
      await after.open()
      for (const { id } of tasks)
        expect(await after.tasks.get(id)).toMatchObject({ status: 'completed', outcome: '{}' })
      expect(await after.records.get('k')).toMatchObject({ value: 'v' })
      expect(await after.tasks.claim('b', CLAIM)).toEqual([])
    }, 60_000)
  })
})
