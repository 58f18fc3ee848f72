// Three workers and a client on one store in memory, step by step by a seed: workers stop for longer than their lease and come back.
import { MemoryTaskStore } from '../../src/backend/memory-task-store.ts'
import type { Claim, TaskStore } from '../../src/backend/task-store.ts'
import { type Line, type Operation, readHistory, recorded } from './history.ts'
import { createRandom } from './random.ts'

const LEASE_MS = 1_500
const STEP_MS = 100

/** Changes the store in one way, as a mistake in an engine would. */
export type Mutation = (store: TaskStore) => TaskStore

interface Worker {
  readonly store: TaskStore
  readonly name: string
  running: { claim: Claim; left: number }[]
  /** Does nothing for so many steps. */
  stopped: number
}

/** The history of so many steps. */
export async function simulate(seed: number, mutate: Mutation = (store) => store, steps = 1_500): Promise<Operation[]> {
  const random = createRandom(seed)
  const lines: Line[] = []
  let now = 1_000_000
  let ticks = 0
  const clock = () => {
    // Every look at the clock is later than the one before, so that begin and end have an order.
    ticks += 1
    return now + ticks / 1_000_000
  }
  const shared = mutate(new MemoryTaskStore({ now: () => now }))
  const storeOf = (node: string) => recorded(shared, { node, now: clock, write: (line) => lines.push(line) })
  const workers: Worker[] = ['a', 'b', 'c'].map((name) => ({ name, store: storeOf(name), running: [], stopped: 0 }))
  const client = storeOf('client')
  const ids: string[] = []
  for (let step = 0; step < steps; step += 1) {
    now += STEP_MS
    if (random(100) < 30) ids.push(await create(client, ids.length))
    await read(client, ids, random)
    for (const worker of workers) await work(worker, random)
  }
  for (const id of ids) await client.get(id)
  return readHistory(lines)
}

async function create(client: TaskStore, number: number): Promise<string> {
  const id = `task-${number}`
  const times = { ttlMs: 86_400_000, keepMs: 86_400_000, pollIntervalMs: 100, maxAttempts: 5 }
  await client.create({ id, owner: 'nobody', kind: 'work', dialect: 'extension', input: '{}', ...times })
  return id
}

async function read(client: TaskStore, ids: readonly string[], random: (max: number) => number): Promise<void> {
  const id = ids[ids.length - 1 - random(Math.min(ids.length, 20))]
  if (id === undefined) return
  const task = await client.get(id)
  const [key] = Object.keys(task?.questions ?? {})
  if (key !== undefined) await client.answer(id, { [key]: `answer ${random(1_000)}` })
  if (random(100) < 5) await client.cancel(id, 1_000)
}

async function work(worker: Worker, random: (max: number) => number): Promise<void> {
  const { store, name } = worker
  if (worker.stopped > 0) {
    worker.stopped -= 1
    return
  }
  // A process that comes back does first what it was about to do, whatever its lease says.
  for (const run of [...worker.running]) {
    run.left -= 1
    if (run.left > 0) continue
    worker.running.splice(worker.running.indexOf(run), 1)
    await end(store, run.claim, name, random)
  }
  for (const run of [...worker.running]) {
    if ((await store.renew(run.claim, LEASE_MS)) === 'lost') worker.running.splice(worker.running.indexOf(run), 1)
  }
  const room = 2 - worker.running.length
  if (room > 0) {
    const claims = await store.claim(name, { kinds: ['work'], max: room, leaseMs: LEASE_MS })
    worker.running.push(...claims.map((claim) => ({ claim, left: 1 + random(8) })))
  }
  if (random(100) < 4) worker.stopped = 10 + random(30)
}

async function end(store: TaskStore, claim: Claim, name: string, random: (max: number) => number): Promise<void> {
  if (Object.keys(claim.answers).length === 0 && random(100) < 20) {
    if (await store.ask(claim, { question: '{}' })) await store.park(claim)
    return
  }
  await store.finish(claim, { status: 'completed', text: `by ${name}, attempt ${claim.attempt}` })
}
