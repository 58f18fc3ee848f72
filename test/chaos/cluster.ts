// Three processes that serve sessions and run tasks, clients that never stop, and a schedule of blows by a seed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Backend } from '../../src/backend/backend.ts'
import { Client } from '../../src/client/client.ts'
import type { TaskState } from '../../src/types/extensions/tasks.ts'
import { endNodes, type NodeProcess, startBalancer } from '../cluster/processes.ts'
import { accept } from '../interaction/kit/support-mcpserver.ts'
import { BareTasks, WITH_TASKS } from '../interaction/kit/support-tasks.ts'
import { bundleProgram } from '../support/bundle.ts'
import { startNode } from '../support/child.ts'
import { countRecordEvents } from './check-records.ts'
import { countEvents } from './check-tasks.ts'
import { countRouted, type Line, type Operation, readHistory } from './history.ts'
import { createChaosServer, withRecord } from './node.ts'
import { createRandom } from './random.ts'
import { type SessionCounts, SessionLoad } from './session-load.ts'

export interface ChaosOptions {
  readonly seed: number
  /** How long blows fall. */
  readonly ms: number
  /** For the lines of all nodes. */
  readonly folder: string
  /** An expression that makes the backend in a process of its own, and what it imports. */
  readonly backendCode: { readonly imports: string; readonly expression: string }
  createBackend(): Backend
  /** For each node a way of its own to the engine, whose URL is in the `ENGINE_URL` of its process. */
  openWay?(): Promise<Way>
  /** Ends the engine as kill -9 does, and starts it again. Absent for one that is a file. */
  restartEngine?(): Promise<void>
}

/** Between one node and the engine. What is held arrives late. */
export interface Way {
  readonly url: string
  hold(): void
  release(): void
  close(): Promise<void>
}

export interface ChaosResult {
  readonly history: readonly Operation[]
  readonly created: number
  /** Tasks that had not ended a while after the last blow. */
  readonly unended: readonly string[]
  readonly kills: number
  readonly stops: number
  readonly restarts: number
  /** Nodes that were cut off from the engine for a while. */
  readonly partitions: number
  readonly sessions: SessionCounts & { readonly resumed: number; readonly notFound: number }
  /** What nodes said that did not start, each once. */
  readonly failedStarts: readonly string[]
  /** What a session saw that it must not see. */
  readonly sessionProblems: readonly string[]
}

const NODES = 3
/** Tasks of the client at once. */
const AT_ONCE = 24
/** Longer than a lease. */
const STOPPED_MS = 1_800
/** Longer than the time that an operation may take. */
const CUT_OFF_MS = 3_000
const SETTLE_MS = 300_000
/** So much longer blows fall at most where a run has met too little to show anything. */
const LONGER_MS = 300_000
const MOST_STARTS = 1_000

/** For a while of each minute every node reaches the engine, so that nodes get to know which of them are lost. */
function isQuiet(elapsedMs: number): boolean {
  return elapsedMs % 60_000 > 25_000
}

/** Blows by which nodes lose the engine. */
const TROUBLE: readonly Blow[] = ['restart', 'partition']

type Blow = 'kill' | 'stop' | 'restart' | 'partition'

/** Each round has all of them, in an order by the seed. */
const FOR_FILES: readonly Blow[] = ['kill', 'stop', 'stop']
const FOR_ENGINES: readonly Blow[] = ['kill', 'stop', 'stop', 'restart']
const WITH_WAYS: readonly Blow[] = [...FOR_ENGINES, 'partition']

function roundFor({ restartEngine, openWay }: ChaosOptions): readonly Blow[] {
  if (openWay !== undefined) return WITH_WAYS
  return restartEngine === undefined ? FOR_FILES : FOR_ENGINES
}

function shuffled(blows: readonly Blow[], random: (max: number) => number): Blow[] {
  return blows
    .map((blow) => ({ blow, place: random(1_000_000) }))
    .sort((one, other) => one.place - other.place)
    .map(({ blow }) => blow)
}

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { seed, ms, folder } = options
  const random = createRandom(seed)
  const program = await bundleProgram(`chaos-node-${seed}-${process.pid}`, programOf(options))
  let started = 0
  const failedStarts = new Set<string>()
  const ways: Way[] = []
  const start = async (): Promise<NodeProcess & { readonly way: Way | undefined }> => {
    started += 1
    const name = `node-${started}`
    const way = await options.openWay?.()
    if (way !== undefined) ways.push(way)
    const env = way === undefined ? {} : { ENGINE_URL: way.url }
    const child = startNode([program, name, join(folder, `${name}.jsonl`)], env)
    const isListening = await child.printed('listening ').then(
      () => true,
      () => false,
    )
    if (isListening) return { child, way, port: Number(/listening (\d+)/.exec(child.output.stdout)?.[1]) }
    // A node that does not reach the engine in time does not start. Whatever runs it starts it again.
    const { stderr } = child.output
    if (!stderr.includes('BackendError') || started > MOST_STARTS) throw new Error(stderr)
    failedStarts.add(/BackendError: .*/.exec(stderr)?.[0] ?? stderr)
    return start()
  }
  const nodes = await Promise.all(Array.from({ length: NODES }, start))
  const balancer = await startBalancer(nodes)
  let troubledAt = 0
  const { url } = balancer
  const sessions = new SessionLoad({ url, random: createRandom(seed + 2), troubledAt: () => troubledAt })
  const calling = sessions.run()
  const server = createChaosServer(
    withRecord(options.createBackend(), 'client', join(folder, 'client.jsonl')),
    'client',
    0,
  )
  const client = await Client.connect(server, { ...WITH_TASKS, connectTimeoutMs: SETTLE_MS }).catch(
    async (error: unknown) => {
      await endNodes(nodes)
      throw error
    },
  )
  const load = new Load(new BareTasks(client), createRandom(seed + 1))
  const working = load.run()
  const counts = { kills: 0, stops: 0, restarts: 0, partitions: 0 }
  const endsAt = Date.now() + ms
  const goingOn: Promise<unknown>[] = []
  let blows: Blow[] = []
  let rounds = 0
  try {
    // On a busy machine it takes longer until each blow has fallen once, until a stream was resumed after one, a lost run
    // repeated, a write overtaken and an answer passed on.
    const hasMetAll = () => {
      if (balancer.resumed === 0 || sessions.counts.answers === 0) return false
      const history = readFolder(folder)
      const { repeated, refused } = countEvents(history)
      return Math.min(repeated, refused, countRecordEvents(history).conflicts, countRouted(history)) > 0
    }
    while (Date.now() < endsAt || rounds < 2 || (!hasMetAll() && Date.now() < endsAt + LONGER_MS)) {
      await delay(150 + random(300))
      const index = random(NODES)
      if (blows.length === 0) {
        blows = shuffled(roundFor(options), random)
        rounds += 1
      }
      const blow = blows.pop()
      if (blow === undefined) continue
      const hasFallen = blow === 'restart' ? counts.restarts > 0 : counts.partitions > 0
      if (TROUBLE.includes(blow) && hasFallen && isQuiet(ms - (endsAt - Date.now()))) continue
      if (blow === 'restart') {
        counts.restarts += 1
        await options.restartEngine?.()
        troubledAt = performance.now()
      } else if (blow === 'partition') {
        counts.partitions += 1
        const way = nodes[index]?.way
        way?.hold()
        const release = () => {
          way?.release()
          troubledAt = performance.now()
        }
        goingOn.push(delay(CUT_OFF_MS).then(release))
      } else if (blow === 'kill') {
        counts.kills += 1
        nodes[index]?.child.process.kill('SIGKILL')
        await nodes[index]?.child.ended
        nodes[index] = await start()
      } else {
        counts.stops += 1
        const stopped = nodes[index]?.child.process
        stopped?.kill('SIGSTOP')
        // The next blows fall meanwhile, and may end it.
        goingOn.push(delay(STOPPED_MS).then(() => stopped?.kill('SIGCONT')))
      }
    }
    await Promise.all(goingOn)
    load.stop()
    sessions.stop()
    await Promise.race([Promise.all([working, calling]), delay(SETTLE_MS, undefined, { ref: false })])
    return {
      history: readFolder(folder),
      created: load.created,
      unended: [...load.open],
      ...counts,
      sessions: { ...sessions.counts, resumed: balancer.resumed, notFound: balancer.statuses.get(404) ?? 0 },
      failedStarts: [...failedStarts],
      sessionProblems: sessions.problems(),
    }
  } finally {
    load.abandon()
    await sessions.close()
    await endNodes(nodes)
    await balancer.close()
    await Promise.all(ways.map((way) => way.close()))
    await client.close()
    await server.close()
  }
}

function programOf({ backendCode: { imports, expression } }: ChaosOptions): string {
  return `
${imports}
import { serveHttp } from './src/node/http/serve-http.ts'
import { createChaosServer, withRecord } from './test/chaos/node.ts'
const [name, path] = process.argv.slice(2)
const server = createChaosServer(withRecord(${expression}, name, path), name, 4)
const { url } = await serveHttp(server, { port: 0, retryMs: 50 })
console.log('listening ' + new URL(url).port)
`
}

function readFolder(folder: string): Operation[] {
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .flatMap((text) => parse(text))
  return readHistory(lines)
}

/** The last line of a process that was killed may be cut. */
function parse(text: string): Line[] {
  try {
    return text === '' ? [] : [JSON.parse(text) as Line]
  } catch {
    return []
  }
}

/** Creates tasks, answers their questions, cancels some, and follows each to its end, whatever fails on the way. */
class Load {
  created = 0
  readonly open = new Set<string>()
  readonly #tasks: BareTasks
  readonly #random: (max: number) => number
  #isStopping = false
  #isAbandoned = false

  constructor(tasks: BareTasks, random: (max: number) => number) {
    this.#tasks = tasks
    this.#random = random
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#oneAfterAnother()))
  }

  stop(): void {
    this.#isStopping = true
  }

  abandon(): void {
    this.#isStopping = true
    this.#isAbandoned = true
  }

  async #oneAfterAnother(): Promise<void> {
    while (!this.#isStopping) {
      const tool = this.#random(100) < 30 ? 'ask' : 'work'
      const handle = await this.#tasks.start(tool, { ms: 20 + this.#random(500) }).catch(() => undefined)
      if (handle === undefined) {
        // The engine is away; the server says when to try again.
        await delay(100)
        continue
      }
      this.created += 1
      this.open.add(handle.taskId)
      await this.#follow(handle.taskId, this.#random(100) < 10)
    }
  }

  async #follow(taskId: string, isCancelled: boolean): Promise<void> {
    let toCancel = isCancelled
    while (!this.#isAbandoned) {
      await delay(20 + this.#random(60))
      const state = await this.#tasks.get(taskId).catch(() => undefined)
      if (state === undefined) continue
      if (['completed', 'failed', 'cancelled'].includes(state.status)) break
      if (toCancel) {
        toCancel = await this.#tasks.cancel(taskId).then(
          () => false,
          () => true,
        )
      }
      await this.#answer(taskId, state)
    }
    // Once more: the end is for ever.
    await this.#tasks.get(taskId).catch(() => undefined)
    if (!this.#isAbandoned) this.open.delete(taskId)
  }

  async #answer(taskId: string, { inputRequests = {} }: TaskState): Promise<void> {
    for (const key of Object.keys(inputRequests)) {
      await this.#tasks.update(taskId, { [key]: accept(`name ${this.#random(1_000_000)}`) }).catch(() => undefined)
    }
  }
}
