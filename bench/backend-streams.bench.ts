// Answers as event streams in a legacy session: CPU of the server per call, with events in memory and in Redis.
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

type Kind = 'no store' | 'memory' | 'redis'

const CONCURRENCY = 16
const CALLS = 1_500
const ROUNDS = 9
const KINDS: readonly Kind[] = [
  'memory',
  'no store',
  ...(findEngine('Redis') === undefined ? [] : (['redis'] as const)),
]
const TOOLS = ['echo', 'progress'] as const

async function serve(kind: Kind): Promise<void> {
  const backend = kind === 'redis' ? { backend: redis(process.env['BACKEND_URL'] ?? '') } : {}
  const server = new MCPServer('bench', backend)
  server.tool('echo', {}, () => 'echo')
  server.tool('progress', {}, async (_, ctx) => {
    for (let step = 1; step <= 10; step++) await ctx.reportProgress(step, 10)
    return 'done'
  })
  const store = kind === 'no store' ? { eventStore: false as const } : {}
  const handler = createHandler(server, { responseMode: 'stream', keepAliveMs: Infinity, ...store })
  await handler.start()
  const http = createServer(toNodeHandler(handler)).listen(0, '127.0.0.1', () => {
    process.send?.((http.address() as AddressInfo).port)
  })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
}

class Contender {
  readonly kind: Kind
  readonly samples = new Map<string, number[]>(TOOLS.map((tool) => [tool, []]))
  readonly #child: ChildProcess
  #port = 0
  #session = ''

  constructor(kind: Kind, url: string) {
    this.kind = kind
    this.#child = fork(fileURLToPath(import.meta.url), [kind], { env: { ...process.env, BACKEND_URL: url } })
  }

  async open(): Promise<void> {
    this.#port = await this.#nextReply()
    this.#session = await openSession(this.#port)
    for (const tool of TOOLS) await this.#load(tool)
  }

  /** CPU time of one call, in nanoseconds. */
  async run(tool: string): Promise<void> {
    const before = await this.#cpu()
    await this.#load(tool)
    this.samples.get(tool)?.push((((await this.#cpu()) - before) * 1_000) / CALLS)
  }

  close(): void {
    this.#child.kill()
  }

  async #load(tool: string): Promise<void> {
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
          socket.write(requestOf(tool, lastId, this.#session))
        }
        socket.on('error', reject)
        socket.setEncoding('latin1').on('data', (piece: string) => {
          tail = (tail + piece).slice(-16)
          if (!tail.endsWith('\r\n0\r\n\r\n')) return
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
    for (const tool of TOOLS) for (const contender of contenders) await contender.run(tool)
  }
  for (const tool of TOOLS) {
    const measured = contenders.map(({ kind, samples }) => ({
      name: kind,
      nanoseconds: median(samples.get(tool) ?? []),
    }))
    report(tool === 'echo' ? 'a call answered as a stream' : 'a call with 10 progress messages', measured)
    const stored = measured.find(({ name }) => name === 'redis')
    if (stored !== undefined) goal('redis / memory', stored.nanoseconds / measured[0]!.nanoseconds, 1.25)
  }
  for (const contender of contenders) contender.close()
  await engine?.close()
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

function requestOf(tool: string, id: number, session: string): string {
  const params = { name: tool, arguments: {}, _meta: { progressToken: id } }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
  return [
    'POST /mcp HTTP/1.1',
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

async function openSession(port: number): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

if (process.send !== undefined) await serve(process.argv[2] as Kind)
else await main()
