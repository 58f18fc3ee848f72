// Calls in a legacy session, answered as JSON and as event streams: CPU of the server per call, in memory and on Redis.
import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../src/node/http/to-node-handler.ts'
import { redis } from '../src/redis/redis.ts'
import { createHandler } from '../src/server/http/handler.ts'
import { findEngine } from '../test/engines/programs.ts'
import { startRedis } from '../test/engines/redis.ts'
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
const STREAM_PATH = '/mcp'
const JSON_PATH = '/json'

interface Row {
  readonly title: string
  readonly tool: string
  readonly path: string
  /** What it may cost on Redis, and sealed on Redis, at most: times memory. */
  readonly most: readonly [plain: number, sealed: number]
}

const ROWS: readonly Row[] = [
  { title: 'a call answered as JSON', tool: 'echo', path: JSON_PATH, most: [1.03, 1.03] },
  { title: 'a call answered as a stream', tool: 'echo', path: STREAM_PATH, most: [1.25, 1.6] },
  { title: 'a call with 10 progress messages', tool: 'progress', path: STREAM_PATH, most: [1.25, 1.6] },
]

async function serve(kind: Kind): Promise<void> {
  const seal = kind === 'redis, sealed' ? ['a secret of at least thirty-two bytes'] : undefined
  const namespace = seal === undefined ? 'plain' : 'sealed'
  const isOnRedis = kind === 'redis' || kind === 'redis, sealed'
  const backend = isOnRedis ? { backend: redis(process.env['BACKEND_URL'] ?? '', { seal, namespace }) } : {}
  const server = new MCPServer('bench', backend)
  server.tool('echo', {}, () => 'echo')
  server.tool('progress', {}, async (_, ctx) => {
    for (let step = 1; step <= 10; step++) await ctx.reportProgress(step, 10)
    return 'done'
  })
  const store = kind === 'no store' ? { eventStore: false as const } : {}
  const handler = createHandler(server, { path: STREAM_PATH, responseMode: 'stream', keepAliveMs: Infinity, ...store })
  const plain = createHandler(server, { path: JSON_PATH, keepAliveMs: Infinity, ...store })
  await Promise.all([handler.start(), plain.start()])
  const [asStream, asJson] = [toNodeHandler(handler), toNodeHandler(plain)]
  const http = createServer((request, response) => {
    if (request.url === JSON_PATH) asJson(request, response)
    else asStream(request, response)
  }).listen(0, '127.0.0.1', () => {
    process.send?.((http.address() as AddressInfo).port)
  })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
}

class Contender {
  readonly kind: Kind
  readonly samples = new Map<Row, number[]>(ROWS.map((row) => [row, []]))
  readonly #child: ChildProcess
  #port = 0
  readonly #sessions = new Map<string, string>()

  constructor(kind: Kind, url: string) {
    this.kind = kind
    this.#child = fork(fileURLToPath(import.meta.url), [kind], { env: { ...process.env, BACKEND_URL: url } })
  }

  async open(): Promise<void> {
    this.#port = await this.#nextReply()
    for (const path of [STREAM_PATH, JSON_PATH]) this.#sessions.set(path, await openSession(this.#port, path))
    for (const row of ROWS) await this.#load(row)
  }

  /** CPU time of one call, in nanoseconds. */
  async run(row: Row): Promise<void> {
    const before = await this.#cpu()
    await this.#load(row)
    this.samples.get(row)?.push((((await this.#cpu()) - before) * 1_000) / CALLS)
  }

  close(): void {
    this.#child.kill()
  }

  async #load({ tool, path }: Row): Promise<void> {
    const session = this.#sessions.get(path) ?? ''
    const ending = path === JSON_PATH ? '}' : '\r\n0\r\n\r\n'
    let left = CALLS
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
          socket.write(requestOf(tool, path, lastId, session))
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
      if (stored !== undefined) goal(`${name} / memory`, stored.nanoseconds / memory, row.most[index] ?? 1)
    }
  }
  for (const contender of contenders) contender.close()
  await engine?.close()
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

function requestOf(tool: string, path: string, id: number, session: string): string {
  const params = { name: tool, arguments: {}, _meta: { progressToken: id } }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
  return [
    `POST ${path} HTTP/1.1`,
    'Host: localhost:3000',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2025-11-25',
    `Mcp-Session-Id: ${session}`,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
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
