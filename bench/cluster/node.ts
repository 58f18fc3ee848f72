// A node of the measured cluster, in a process of its own, and what its parent can ask it.
import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../../src/node/http/to-node-handler.ts'
import { redis } from '../../src/redis/redis.ts'
import { createHandler } from '../../src/server/http/handler.ts'
import { limitRate } from '../../src/server/middleware/limit-rate.ts'
import { announce } from './changes.ts'
import { echoHops, measureHop } from './hops.ts'

export const STREAM_PATH = '/stream'
export const JSON_PATH = '/json'

export interface Usage {
  /** Microseconds of CPU time since its start. */
  readonly cpu: number
  readonly rss: number
  /** Those that the node has objects of. */
  readonly sessions: number
}

/** `hop`: the milliseconds of a message to another node, which echoes it. `announce`: 10,000 changes a second, for a while. */
export type Question = 'cpu' | 'memory' | 'echo hops' | 'hop' | 'announce'

export async function serve(): Promise<void> {
  const backend = redis(process.env['BACKEND_URL'] ?? '', { namespace: 'cluster' })
  const server = new MCPServer('bench', { backend })
  const limit = limitRate({
    perSecond: 1e6,
    burst: 1e6,
    key: ({ params }) => (params?.['name'] === 'limited' ? 'all' : undefined),
  })
  server.use(limit)
  server.tool('echo', {}, () => 'echo')
  server.tool('limited', {}, () => 'echo')
  server.tool('progress', {}, async (_, ctx) => {
    for (let step = 1; step <= 3; step += 1) await ctx.reportProgress(step, 3)
    return 'done'
  })
  server.tool('endless', {}, async (_, ctx) => {
    for (let step = 1; step <= 10; step += 1) await ctx.reportProgress(step)
    await delay(600_000, undefined, { signal: ctx.signal })
    return 'never'
  })
  server.tool('ask', async (_, ctx) => {
    const { content } = await ctx.session.elicitForm('Name?', {
      type: 'object',
      properties: { name: { type: 'string' } },
    })
    return String(content?.['name'])
  })
  // What a server declares is in the record of each session.
  if (process.env['BENCH_RESOURCES'] === '1') server.resource('bench://{name}', ({ name }) => `${name}`)
  const common = { keepAliveMs: Number.POSITIVE_INFINITY, sessions: { max: 20_000, localIdleMs: 30_000 } }
  const handlers = {
    [STREAM_PATH]: createHandler(server, { path: STREAM_PATH, responseMode: 'stream', ...common }),
    [JSON_PATH]: createHandler(server, { path: JSON_PATH, ...common }),
  }
  await Promise.all(Object.values(handlers).map((handler) => handler.start()))
  const [asStream, asJson] = [toNodeHandler(handlers[STREAM_PATH]), toNodeHandler(handlers[JSON_PATH])]
  const http = createServer((request, response) => {
    if (request.url === JSON_PATH) asJson(request, response)
    else asStream(request, response)
  }).listen(0, '127.0.0.1', () => process.send?.((http.address() as AddressInfo).port))
  // On a busy machine the load may pause for longer than a connection is kept by default.
  http.keepAliveTimeout = 0
  const answer = async (question: Question) => {
    if (question === 'echo hops') await echoHops(backend)
    if (question === 'announce') await announce(server)
    // Not where CPU time is asked for, which it would be part of.
    if (question === 'memory') globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    const sessions = handlers[JSON_PATH].sessionCount
    const usage: Usage = { cpu: user + system, rss: process.memoryUsage.rss(), sessions }
    process.send?.(question === 'hop' ? await measureHop(backend) : usage)
  }
  process.on('message', (question: Question) => void answer(question))
}

export class BenchNode {
  port = 0
  readonly #child: ChildProcess

  constructor(program: string, url: string, { withResources = false } = {}) {
    const env = { ...process.env, BACKEND_URL: url, BENCH_RESOURCES: withResources ? '1' : '0' }
    this.#child = fork(program, ['node'], { env })
  }

  async open(): Promise<this> {
    this.port = (await this.#nextReply()) as number
    return this
  }

  usage(question: Exclude<Question, 'hop'>): Promise<Usage> {
    return this.#ask(question) as Promise<Usage>
  }

  hop(): Promise<number> {
    return this.#ask('hop') as Promise<number>
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }

  #ask(question: Question): Promise<unknown> {
    const reply = this.#nextReply()
    this.#child.send(question)
    return reply
  }

  #nextReply(): Promise<unknown> {
    return new Promise((resolve) => this.#child.once('message', resolve))
  }
}
