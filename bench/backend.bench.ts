// The cost of what nodes share, by engine, in CPU time of the process that uses it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Backend } from '../src/backend/backend.ts'
import { memory } from '../src/backend/memory/memory.ts'
import { nats } from '../src/nats/nats.ts'
import { postgres } from '../src/postgres/postgres.ts'
import { redis } from '../src/redis/redis.ts'
import { sqlite } from '../src/sqlite/sqlite.ts'
import { startNats } from '../test/engines/nats.ts'
import { startPostgres } from '../test/engines/postgres.ts'
import { findEngine } from '../test/engines/programs.ts'
import { startRedis } from '../test/engines/redis.ts'
import { jobsByHand, jobsByWorker } from './backend/bullmq.ts'
import { measureOperations, measureTasks, tasksInFlight } from './backend/operations.ts'
import { goal, measure, report } from './measure.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcpwire-bench-'))
const redisServer = findEngine('Redis') === undefined ? undefined : await startRedis()
const natsServer = findEngine('NATS') === undefined ? undefined : await startNats()
const engines: Record<string, () => Backend> = {
  memory: () => memory(),
  'SQLite, synchronous normal': () => sqlite(join(folder, 'normal.db')),
  ...(redisServer !== undefined && { Redis: () => redis(redisServer.url, { namespace: 'bench', timeoutMs: 60_000 }) }),
  ...(natsServer !== undefined && { NATS: () => nats(natsServer.url, { namespace: 'bench', timeoutMs: 60_000 }) }),
  'SQLite, synchronous full': () => sqlite(join(folder, 'full.db'), { synchronous: 'full', timeoutMs: 60_000 }),
}
/** Microseconds for a task: created, claimed and finished, with 32 in flight. */
const GOALS: Readonly<Record<string, number>> = { 'SQLite, synchronous normal': 60, Redis: 60, Postgres: 360 }

// Of a database for tests: it stays as it is but for the schema mcpwire_bench.
const { BENCH_POSTGRES_URL } = process.env
const postgresServer =
  BENCH_POSTGRES_URL !== undefined || findEngine('Postgres') === undefined
    ? undefined
    : await startPostgres({ isDurable: true })
const postgresUrl =
  postgresServer === undefined
    ? BENCH_POSTGRES_URL
    : `postgres://${postgresServer.user}@localhost/postgres?host=${encodeURIComponent(postgresServer.host)}`
if (postgresUrl !== undefined) {
  engines['Postgres'] = () => postgres(postgresUrl, { schema: 'mcpwire_bench', timeoutMs: 60_000 })
}

const wanted = process.argv.slice(2)
for (const [name, make] of Object.entries(engines)) {
  if (wanted.length > 0 && !wanted.some((word) => name.toLowerCase().includes(word.toLowerCase()))) continue
  const backend = make()
  await backend.open()
  await measureOperations(name, backend)
  for (const inFlight of [1, 32]) {
    const micros = await measureTasks(backend, inFlight)
    console.log(
      `  ${`a task: create, claim, finish; ${inFlight} in flight`.padEnd(52)} ${micros.toFixed(1).padStart(9)} µs`,
    )
    const most = inFlight === 32 ? GOALS[name] : undefined
    if (most !== undefined) goal(`${name}: µs for a task`, micros, most)
  }
  if (name === 'Redis') await compareWithBullMQ(backend)
  await backend.close()
}
rmSync(folder, { recursive: true })
await redisServer?.close()
await natsServer?.close()
await postgresServer?.close()

/** On the same Redis, in turns. */
async function compareWithBullMQ({ tasks }: Backend): Promise<void> {
  if (tasks === undefined || redisServer === undefined) return
  const inFlight = 32
  const byHand = await jobsByHand(redisServer.socket, inFlight)
  const byWorker = await jobsByWorker(redisServer.socket, inFlight)
  const contenders = [
    { name: 'a task: create, claim, finish', run: tasksInFlight(tasks, inFlight) },
    { name: 'a job of BullMQ, taken and completed by hand', run: byHand.run },
    { name: 'a job of BullMQ, by its worker', run: byWorker.run },
  ]
  const measured = await measure(contenders, { rounds: 9, warmUpMs: 500, sliceMs: 100 })
  await byHand.close()
  await byWorker.close()
  const each = measured.map(({ name, nanoseconds }) => ({ name, nanoseconds: nanoseconds / inFlight }))
  report(`Redis, in turns with BullMQ, ${inFlight} in flight`, each)
  const [ours, , theirs] = each
  if (ours !== undefined && theirs !== undefined) {
    goal('Redis: a task, as a part of a job of BullMQ', ours.nanoseconds / theirs.nanoseconds, 0.25)
  }
}
