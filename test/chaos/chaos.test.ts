// Sessions, streams and tasks on three processes that are killed and stopped, on engines that are killed and started again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nats } from '../../src/nats/nats.ts'
import { postgres } from '../../src/postgres/postgres.ts'
import { redis } from '../../src/redis/redis.ts'
import { sqlite } from '../../src/sqlite/sqlite.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { FaultyProxy } from '../engines/faulty-proxy.ts'
import { describeInFull, isFull } from '../engines/full.ts'
import { startNatsProxy } from '../engines/nats/clients.ts'
import { startNats } from '../engines/nats.ts'
import { startPostgres } from '../engines/postgres.ts'
import { startRedis } from '../engines/redis.ts'
import { freePort } from '../support/free-port.ts'
import { checkLogs, countLogEvents } from './check-logs.ts'
import { checkRecords, countRecordEvents } from './check-records.ts'
import { checkTasks, countEvents } from './check-tasks.ts'
import { type ChaosResult, runChaos } from './cluster.ts'
import { countRouted } from './history.ts'

const MS = Number(process.env['CHAOS_MS'] ?? (isFull ? 30_000 : 10_000))
const SEED = Number(process.env['CHAOS_SEED'] ?? 7)
/** Only ends what hangs: a node that is started anew takes many seconds on a busy machine. */
const TEST_LIMIT_MS = MS + 600_000

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'))
  onTestFinished(({ task }) => {
    // What failed once may not fail again: the history is what there is to look at.
    if (task.result?.state === 'fail') console.log(`The history is in ${folder}`)
    else rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

function expectKept({ history, created, unended, sessions, sessionProblems, ...blows }: ChaosResult): void {
  const events = countEvents(history)
  const state = { records: countRecordEvents(history), logs: countLogEvents(history) }
  const routed = countRouted(history)
  const seen = JSON.stringify({ seed: SEED, created, ...blows, ...events, ...state, sessions, routed })
  if (process.env['CHAOS_MS'] !== undefined) console.log(seen)
  const problems = [
    ...checkTasks(history).map((problem) => `tasks ${problem}`),
    ...unended.map((id) => `the task ${id} has not ended`),
    ...checkRecords(history).map((problem) => `records ${problem}`),
    ...checkLogs(history).map((problem) => `logs ${problem}`),
    ...sessionProblems.map((problem) => `sessions ${problem}`),
  ]
  expect(problems, `${problems.join('\n')}\n${seen}`).toEqual([])
  // A session is never lost, so that nobody has to begin anew.
  expect(sessions.notFound, seen).toBe(0)
  // A run that met none of these would have shown nothing.
  expect(Math.min(blows.kills, blows.stops, events.repeated, events.refused, events.answers), seen).toBeGreaterThan(0)
  expect(Math.min(sessions.answers, sessions.resumed, routed, state.logs.writes), seen).toBeGreaterThan(0)
  expect(state.records.conflicts, seen).toBeGreaterThan(0)
}

describeEngine('Redis', 'chaos on Redis', () => {
  const engine = useEngine(() => startRedis({ appendOnly: true }))

  test(
    'D019, D020, D034, D038 (redis): every task ends once, by the run that had it, and sessions go on, while processes and the engine are killed, stopped and cut off',
    async () => {
      const { url, socket, process: engineProcess } = engine()
      const options = { namespace: 'chaos' }
      const result = await runChaos({
        seed: SEED,
        ms: MS,
        folder: makeFolder(),
        createBackend: () => redis(url, options),
        backendCode: {
          imports: "import { redis } from './src/redis/redis.ts'",
          expression: `redis(process.env.ENGINE_URL, ${JSON.stringify(options)})`,
        },
        openWay: () => new FaultyProxy({ path: socket }).start(),
        async restartEngine() {
          await engineProcess.stop('SIGKILL')
          await engineProcess.start()
        },
      })
      expectKept(result)
      expect(Math.min(result.restarts, result.partitions)).toBeGreaterThan(0)
    },
    TEST_LIMIT_MS,
  )
})

describeInFull('chaos on an engine with a disk', () => {
  describeEngine('Postgres', 'chaos on Postgres', () => {
    const engine = useEngine(() => startPostgres({ isDurable: true, args: ['-c', 'max_connections=200'] }))

    test(
      'D012, D019, D020, D034, D038 (postgres): every task ends once, and sessions go on, while processes and the engine are killed and stopped',
      async () => {
        const { host, user, process: engineProcess } = engine()
        const url = `postgres://${user}@localhost/postgres?host=${encodeURIComponent(host)}`
        const options = { namespace: 'chaos' }
        const result = await runChaos({
          seed: SEED,
          ms: MS,
          folder: makeFolder(),
          createBackend: () => postgres(url, options),
          backendCode: {
            imports: "import { postgres } from './src/postgres/postgres.ts'",
            expression: `postgres(${JSON.stringify(url)}, ${JSON.stringify(options)})`,
          },
          async restartEngine() {
            await engineProcess.stop('SIGKILL')
            await engineProcess.start()
          },
        })
        expectKept(result)
        expect(result.restarts).toBeGreaterThan(0)
      },
      TEST_LIMIT_MS,
    )
  })
})

describeInFull('chaos on NATS', () => {
  describeEngine('NATS', 'one server', () => {
    const engine = useEngine(async () => startNats({ port: await freePort() }))

    test(
      'D019, D020, D034, D038 (nats): every task ends once, by the run that had it, and sessions go on, while processes and the engine are killed, stopped and cut off',
      async () => {
        const { url, process: engineProcess } = engine()
        const options = { namespace: 'chaos' }
        const result = await runChaos({
          seed: SEED,
          ms: MS,
          folder: makeFolder(),
          createBackend: () => nats(url, options),
          backendCode: {
            imports: "import { nats } from './src/nats/nats.ts'",
            expression: `nats(process.env.ENGINE_URL, ${JSON.stringify(options)})`,
          },
          openWay: async () => {
            const proxy = await startNatsProxy(url)
            return {
              url: proxy.tcpUrl,
              hold: () => proxy.hold(),
              release: () => proxy.release(),
              close: () => proxy.close(),
            }
          },
          async restartEngine() {
            await engineProcess.stop('SIGKILL')
            await engineProcess.start()
          },
        })
        expectKept(result)
        expect(Math.min(result.restarts, result.partitions)).toBeGreaterThan(0)
      },
      TEST_LIMIT_MS,
    )
  })
})

describeInFull('chaos on SQLite', () => {
  describe('one file', () => {
    test(
      'D019, D020, D034, D038 (sqlite): every task ends once, by the run that had it, and sessions go on, while processes are killed and stopped',
      async () => {
        const folder = makeFolder()
        const file = join(makeFolder(), 'state.db')
        const result = await runChaos({
          seed: SEED,
          ms: MS,
          folder,
          createBackend: () => sqlite(file),
          backendCode: {
            imports: "import { sqlite } from './src/sqlite/sqlite.ts'",
            expression: `sqlite(${JSON.stringify(file)})`,
          },
        })
        expectKept(result)
      },
      TEST_LIMIT_MS,
    )
  })
})
