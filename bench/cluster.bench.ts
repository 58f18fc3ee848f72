// What calls cost on 1, 2 and 3 nodes of one Redis, without stickiness; what sessions take; how long a lost node is noticed.
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { findEngine } from '../test/engines/programs.ts'
import { startRedis } from '../test/engines/redis.ts'
import { measureChanges } from './cluster/changes.ts'
import { CONCURRENCY, callAll, openEndless, openSession, type Row, resume } from './cluster/load.ts'
import { BenchNode, JSON_PATH, STREAM_PATH, serve } from './cluster/node.ts'
import { measureQuestions } from './cluster/questions.ts'
import { measureRecovery, work } from './cluster/recovery.ts'
import { goal } from './measure.ts'

/** For each node. */
const CALLS = 1_000
const ROUNDS = 5
const SIZES = [1, 2, 3]
const SESSIONS = 10_000
const STREAMS = 50

const ROWS: readonly Row[] = [
  { title: 'modern, JSON', tool: 'echo', path: JSON_PATH, isModern: true },
  { title: 'modern, JSON, counted by limitRate', tool: 'limited', path: JSON_PATH, isModern: true },
  { title: 'legacy, JSON', tool: 'echo', path: JSON_PATH },
  { title: 'legacy, JSON, counted by limitRate', tool: 'limited', path: JSON_PATH },
  { title: 'legacy, stream with 1 event', tool: 'echo', path: STREAM_PATH },
  { title: 'legacy, stream with 4 events', tool: 'progress', path: STREAM_PATH },
]

interface Cost {
  /** Microseconds of CPU time for a call, of all nodes and of Redis. */
  readonly nodes: number
  readonly redis: number
}

const program = fileURLToPath(import.meta.url)
/** Parts can be measured alone. */
const isWanted = (part: string) => process.argv.length === 2 || process.argv.includes(part)
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const percentile = (values: readonly number[], part: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN

if (process.argv[2] === 'node') await serve()
else if (process.argv[2] === 'worker') await work()
else if (findEngine('Redis') === undefined) console.log('not measured: Redis is not installed')
else await main()

async function main(): Promise<void> {
  const engine = await startRedis()
  const client = new Redis(engine.socket)
  const start = (options = {}) => new BenchNode(program, engine.url, options).open()
  try {
    const all = await Promise.all(Array.from({ length: Math.max(...SIZES) }, () => start({ withResources: true })))
    const [first, second] = all as [BenchNode, BenchNode]
    if (isWanted('questions')) await measureQuestions(first, second)
    if (isWanted('changes')) await measureChanges(first, second)
    if (isWanted('nodes')) await compareSizes(all, client)
    if (isWanted('resumption')) await measureResumption(all)
    if (isWanted('recovery')) await measureRecovery(program, engine.url)
    for (const node of all) node.close()
    await client.flushall()
    if (!isWanted('sessions')) return
    const alone = await start()
    await measureSessions(alone, client)
    alone.close()
  } finally {
    client.disconnect()
    await engine.close()
  }
}

async function compareSizes(all: readonly BenchNode[], client: Redis): Promise<void> {
  const first = all[0] as BenchNode
  const sessions = new Map<string, string[]>()
  for (const path of [JSON_PATH, STREAM_PATH]) {
    sessions.set(
      path,
      await Promise.all(Array.from({ length: CONCURRENCY * all.length }, () => openSession(first, path))),
    )
  }
  const sessionOf = (path: string) => (driver: number) => sessions.get(path)?.[driver] ?? ''
  for (const row of ROWS) {
    const samples = SIZES.map((): Cost[] => [])
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [index, size] of SIZES.entries()) {
        const nodes = all.slice(0, size)
        const cost = await measureOne(nodes, client, () => callAll(nodes, row, CALLS * size, sessionOf(row.path)))
        // The first round is for the compiler.
        if (round >= 0) samples[index]?.push(cost)
      }
    }
    console.log(`\n${row.title}`)
    const costs = samples.map((some) => ({
      nodes: median(some.map(({ nodes }) => nodes)),
      redis: median(some.map(({ redis }) => redis)),
    }))
    for (const [index, { nodes, redis }] of costs.entries()) {
      const name = `${SIZES[index]} node${SIZES[index] === 1 ? '' : 's'}`
      console.log(
        `  ${name.padEnd(10)} ${nodes.toFixed(1).padStart(8)} µs of nodes ${redis.toFixed(1).padStart(8)} µs of Redis`,
      )
    }
    const [one, , three] = costs
    if (one !== undefined && three !== undefined) goal('a call on three nodes / on one', three.nodes / one.nodes, 1.11)
  }
}

async function measureOne(nodes: readonly BenchNode[], client: Redis, load: () => Promise<void>): Promise<Cost> {
  const before = [await cpuOf(nodes), await cpuOfRedis(client)] as const
  await load()
  const after = [await cpuOf(nodes), await cpuOfRedis(client)] as const
  const calls = CALLS * nodes.length
  return { nodes: (after[0] - before[0]) / calls, redis: (after[1] - before[1]) / calls }
}

async function cpuOf(nodes: readonly BenchNode[]): Promise<number> {
  const usages = await Promise.all(nodes.map((node) => node.usage('cpu')))
  return usages.reduce((sum, { cpu }) => sum + cpu, 0)
}

/** In microseconds. */
async function cpuOfRedis(client: Redis): Promise<number> {
  const info = await client.info('cpu')
  const read = (name: string) => Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1])
  return (read('used_cpu_user') + read('used_cpu_sys')) * 1e6
}

async function measureResumption([lost, next]: readonly BenchNode[]): Promise<void> {
  if (lost === undefined || next === undefined) return
  const session = await openSession(lost, STREAM_PATH)
  const ids = Array.from({ length: STREAMS }, (_, index) => index + 1)
  const events = await Promise.all(ids.map((id) => openEndless(lost, STREAM_PATH, session, id)))
  lost.close()
  const times = await Promise.all(events.map((event) => resume(next, STREAM_PATH, session, event)))
  console.log(`\n${STREAMS} streams resumed on another node after kill -9, in milliseconds`)
  for (const what of ['events', 'error'] as const) {
    const values = times.map((time) => time[what])
    const shown = [0.5, 0.99].map((part) => percentile(values, part).toFixed(0))
    const name = what === 'events' ? 'until the stored events' : 'until the error of the lost call'
    console.log(`  ${name.padEnd(36)} p50 ${shown[0]?.padStart(7)}  p99 ${shown[1]?.padStart(7)}`)
    goal(`seconds ${name}, p99`, percentile(values, 0.99) / 1_000, what === 'events' ? 1 : 20)
  }
}

async function measureSessions(node: BenchNode, client: Redis): Promise<void> {
  const bytesOf = async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1])
  for (let n = 0; n < 200; n += 1) await openSession(node, JSON_PATH)
  const before = [(await node.usage('memory')).rss, await bytesOf()] as const
  let left = SESSIONS
  const open = async () => {
    while (left-- > 0) await openSession(node, JSON_PATH)
  }
  await Promise.all(Array.from({ length: 16 }, open))
  const grown = ((await node.usage('memory')).rss - before[0]) / 1e6
  const each = ((await bytesOf()) - before[1]) / SESSIONS
  // Longer than the objects of sessions without requests are kept here.
  await delay(60_000)
  const after = ((await node.usage('memory')).rss - before[0]) / 1e6
  console.log(`\n${SESSIONS} sessions opened on one node`)
  console.log(
    `  ${grown.toFixed(1)} MB more memory (RSS) of the node, ${after.toFixed(1)} MB once their objects are gone`,
  )
  goal('bytes of Redis for a session', each, 600)
  goal('objects of sessions on the node, once nobody uses them', (await node.usage('memory')).sessions, 0)
  goal('bytes of Redis for an ended log of three events', await bytesOfLog(client), 1_500)
}

/** As a stream with three events leaves it. */
async function bytesOfLog(client: Redis): Promise<number> {
  const events = Array.from(
    { length: 3 },
    (_, index) => `${index === 2 ? '!' : '.'}${'n'.repeat(12)} ${'e'.repeat(299)}`,
  )
  const log = `cluster:v1:l:{l:${'d'.repeat(43)}}`
  await client.rpush(log, ...events)
  await client.pexpire(log, 300_000)
  return Number(await client.memory('USAGE', log))
}
