// Calls of both eras, answered as JSON and as event streams: CPU of the server per call, in memory and on Redis.
import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../src/node/http/to-node-handler.ts'
import { redis } from '../src/redis/redis.ts'
import { createHandler } from '../src/server/http/handler.ts'
import { limitRate } from '../src/server/middleware/limit-rate.ts'
import type { JSONObject } from '../src/types/protocol/json.ts'
import { findEngine } from '../test/engines/programs.ts'
import { startRedis } from '../test/engines/redis.ts'
import { type Row, requestOf } from './cluster/load.ts'
import { goal, report } from './measure.ts'
import { stayAwake } from './stay-awake.ts'

type Kind = 'no store' | 'memory' | 'redis' | 'redis, sealed'

const CONCURRENCY = 16
const CALLS = 1_500
const ROUNDS = 9
const KINDS: readonly Kind[] = [
  'memory',
  'no store',
  ...(findEngine('Redis') === undefined ? [] : (['redis', 'redis, sealed'] as const)),
]
const STREAM_PATH = '/stream'
const JSON_PATH = '/json'
/** Looks at the record of the session with each request. */
const CHECKED_PATH = '/checked'

interface BenchRow extends Row {
  /** In one go; 1,500 where it is not given. */
  readonly calls?: number
  /** As many calls come before those that are measured: what a call costs depends on the ones before. */
  readonly isBusy?: boolean
  /** What it may cost on Redis, and sealed on Redis, at most: times memory. */
  readonly most: readonly [plain: number, sealed?: number]
}

const ALL_ROWS: readonly BenchRow[] = [
  // The goal is 1.00; the rest is what the same server measures apart from itself on a busy machine.
  { title: 'a modern call, answered as JSON', tool: 'echo', path: JSON_PATH, isModern: true, most: [1.03, 1.03] },
  {
    title: 'a modern call, counted by limitRate, a busy key',
    tool: 'limited',
    path: JSON_PATH,
    isModern: true,
    // Longer than 250 ms: a key is busy by what came in the last such time.
    calls: 12_000,
    isBusy: true,
    most: [1.2, 1.2],
  },
  { title: 'a legacy call answered as JSON', tool: 'echo', path: JSON_PATH, most: [1.03, 1.03] },
  { title: 'a legacy call answered as JSON, its session looked up', tool: 'echo', path: CHECKED_PATH, most: [1.2] },
  { title: 'a legacy call answered as a stream', tool: 'echo', path: STREAM_PATH, most: [1.25, 1.6] },
  { title: 'a legacy call with 10 progress messages', tool: 'progress', path: STREAM_PATH, most: [1.25, 1.6] },
]

/** Those whose titles have one of the words that were given, or all. */
const words = process.send === undefined ? process.argv.slice(2) : []
const ROWS = ALL_ROWS.filter(({ title }) => words.length === 0 || words.some((word) => title.includes(word)))

async function serve(kind: Kind): Promise<void> {
  const seal = kind === 'redis, sealed' ? ['a secret of at least thirty-two bytes'] : undefined
  const namespace = seal === undefined ? 'plain' : 'sealed'
  const isOnRedis = kind === 'redis' || kind === 'redis, sealed'
  const backend = isOnRedis ? { backend: redis(process.env['BACKEND_URL'] ?? '', { seal, namespace }) } : {}
  const server = new MCPServer('bench', backend)
  const key = ({ params }: { params?: JSONObject | undefined }) => (params?.['name'] === 'limited' ? 'all' : undefined)
  server.use(limitRate({ perSecond: 1e6, burst: 1e6, key }))
  server.tool('echo', {}, () => 'echo')
  server.tool('limited', {}, () => 'echo')
  server.tool('progress', {}, async (_, ctx) => {
    for (let step = 1; step <= 10; step++) await ctx.reportProgress(step, 10)
    return 'done'
  })
  const common = { keepAliveMs: Infinity, ...(kind === 'no store' && { eventStore: false as const }) }
  const handlers = {
    [STREAM_PATH]: createHandler(server, { path: STREAM_PATH, responseMode: 'stream', ...common }),
    [JSON_PATH]: createHandler(server, { path: JSON_PATH, ...common }),
    [CHECKED_PATH]: createHandler(server, { path: CHECKED_PATH, sessions: { checkMs: 0 }, ...common }),
  }
  await Promise.all(Object.values(handlers).map((handler) => handler.start()))
  const listeners = new Map(Object.entries(handlers).map(([path, handler]) => [path, toNodeHandler(handler)]))
  const http = createServer((request, response) => listeners.get(request.url ?? '')?.(request, response)).listen(
    0,
    '127.0.0.1',
    () => process.send?.((http.address() as AddressInfo).port),
  )
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
}

class Contender {
  readonly kind: Kind
  readonly samples = new Map<BenchRow, number[]>(ROWS.map((row) => [row, []]))
  readonly #child: ChildProcess
  #port = 0
  readonly #sessions = new Map<string, string>()

  constructor(kind: Kind, url: string) {
    this.kind = kind
    this.#child = fork(fileURLToPath(import.meta.url), [kind], { env: { ...process.env, BACKEND_URL: url } })
  }

  async open(): Promise<void> {
    this.#port = await this.#nextReply()
    for (const path of [STREAM_PATH, JSON_PATH, CHECKED_PATH])
      this.#sessions.set(path, await openSession(this.#port, path))
    for (const row of ROWS) await this.#load(row)
  }

  /** CPU time of one call, in nanoseconds. */
  async run(row: BenchRow): Promise<void> {
    if (row.isBusy === true) await this.#load(row)
    const before = await this.#cpu()
    await this.#load(row)
    this.samples.get(row)?.push((((await this.#cpu()) - before) * 1_000) / (row.calls ?? CALLS))
  }

  close(): void {
    this.#child.kill()
  }

  async #load(row: BenchRow): Promise<void> {
    const { path } = row
    const session = this.#sessions.get(path) ?? ''
    const ending = path === STREAM_PATH ? '\r\n0\r\n\r\n' : '}'
    let left = row.calls ?? CALLS
    let lastId = 0
    const drive = () =>
      new Promise<void>((resolve, reject) => {
        const socket: Socket = connect(this.#port, '127.0.0.1')
        let tail = ''
        const next = () => {
          if (left-- <= 0) {
            socket.destroy()
            resolve()
            return
          }
          lastId += 1
          socket.write(requestOf(row, lastId, session))
        }
        socket.on('error', reject)
        socket.setEncoding('latin1').on('data', (piece: string) => {
          tail = (tail + piece).slice(-16)
          if (!tail.endsWith(ending)) return
          tail = ''
          next()
        })
        next()
      })
    const rest = stayAwake()
    await Promise.all(Array.from({ length: CONCURRENCY }, drive))
    rest()
  }

  #cpu(): Promise<number> {
    const reply = this.#nextReply()
    this.#child.send('cpu')
    return reply
  }

  #nextReply(): Promise<number> {
    return new Promise((resolve) => this.#child.once('message', (value) => resolve(value as number)))
  }
}

async function main(): Promise<void> {
  if (ROWS.length === 0) return
  const engine = KINDS.includes('redis') ? await startRedis() : undefined
  const contenders = KINDS.map((kind) => new Contender(kind, engine?.url ?? ''))
  for (const contender of contenders) await contender.open()
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of ROWS) for (const contender of contenders) await contender.run(row)
  }
  for (const row of ROWS) {
    const measured = contenders.map(({ kind, samples }) => ({
      name: kind,
      nanoseconds: median(samples.get(row) ?? []),
    }))
    report(row.title, measured)
    const memory = measured[0]!.nanoseconds
    for (const [index, name] of (['redis', 'redis, sealed'] as const).entries()) {
      const stored = measured.find((one) => one.name === name)
      const most = row.most[index]
      if (stored !== undefined && most !== undefined) goal(`${name} / memory`, stored.nanoseconds / memory, most)
    }
  }
  for (const contender of contenders) contender.close()
  await engine?.close()
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

async function openSession(port: number, path: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

if (process.send !== undefined) await serve(process.argv[2] as Kind)
else await main()
