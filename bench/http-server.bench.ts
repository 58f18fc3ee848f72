// The CPU time of a call over HTTP in the server, compared with a bare server that sends the same bytes.
import { type ChildProcess, fork } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { toFetch } from '../src/http/to-fetch.ts'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../src/node/http/to-node-handler.ts'
import { createHandler } from '../src/server/http/handler.ts'
import { describedServer } from './described-server.ts'
import { ask, load } from './http/driver.ts'
import { handshakeCall, modernCall, modernRequest } from './http/requests.ts'
import { goal, type Measured, report } from './measure.ts'

type Kind = 'bare' | 'node' | 'bare fetch' | 'web' | 'hono' | 'many tools'
type Fetch = (request: Request) => Promise<Response>

const ROUNDS = 11
/** Two processes with the same code may differ by a third for their whole life. */
const COPIES = 3
/** Until the compiler is done: its threads count as CPU time of the process. */
const WARM_UP_REQUESTS = 12_000
const WARM_UP_LARGE_REQUESTS = 300
const LIST_LENGTH = 1_000
/** From this length on the bare server writes prepared bytes; shorter responses are written as text. */
const LONG_ANSWER = 16 * 1024

/** A few hundred of these take as long as thousands of the others. */
const LONG_REQUEST = 512 * 1024

const input = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' }, text: { type: 'string' } },
  required: ['a', 'b'],
} as const

/** The responses of the bare servers: the bytes of the real server's response to the same request. */
let answer: string | Buffer = ''

/** The headers of the real server. */
const ANSWER_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** Reads and parses the body, and writes the response. */
const bare: RequestListener = (request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    JSON.parse(Buffer.concat(pieces).toString('utf8'))
    response.writeHead(200, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(answer),
    })
    response.end(answer)
  })
}

/** The same for `fetch`: the cost of web `Request` and `Response` on Node. */
const bareFetch: Fetch = async (request) => {
  JSON.parse(await request.text())
  return new Response(String(answer), { status: 200, headers: ANSWER_HEADERS })
}

function createListener(kind: Kind): RequestListener {
  if (kind === 'bare') return bare
  if (kind === 'bare fetch') return overFetch(bareFetch)
  const handler = createHandler(kind === 'many tools' ? describedServer(LIST_LENGTH) : createAdder())
  if (kind === 'hono') return overHono(toFetch(handler, { trustsLength: true }))
  return kind === 'web' ? overFetch(toFetch(handler)) : toNodeHandler(handler)
}

function createAdder(): MCPServer {
  const server = new MCPServer('bench')
  server.tool('add', { description: 'Adds two numbers', input }, ({ a, b }) => a + b)
  return server
}

/** The common adapter, which creates parts of a `Request` on first use. */
function overHono(fetch: Fetch): RequestListener {
  const listener = getRequestListener(fetch)
  return (request, response) => void listener(request, response)
}

/** The smallest adapter from Node to `fetch` and back. */
function overFetch(fetch: Fetch): RequestListener {
  return (request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    const answer = async () => {
      const body = Buffer.concat(pieces)
      const headers = request.headers as Record<string, string>
      const answered = await fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
      const text = await answered.text()
      response.writeHead(answered.status, { ...ANSWER_HEADERS, 'content-length': Buffer.byteLength(text) })
      response.end(text)
    }
    request.on('end', () => void answer())
  }
}

/** As long as a real one, for a server that does not read it. */
const NO_SESSION = 'x'.repeat(43)

if (process.send !== undefined) serve(process.argv[2] as Kind)
else await main(process.argv.slice(2))

function serve(kind: Kind): void {
  const http = createServer(createListener(kind)).listen(0, '127.0.0.1', () => {
    process.send?.((http.address() as AddressInfo).port)
  })
  process.on('message', (message: { answer?: string }) => {
    const { answer: text } = message
    if (text !== undefined) answer = text.length < LONG_ANSWER ? text : Buffer.from(text)
    process.send?.(process.cpuUsage())
  })
}

interface Contender {
  readonly name: string
  readonly copies: readonly Copy[]
}

/** One process of a contender. */
interface Copy {
  readonly child: ChildProcess
  readonly port: number
  /** Set if it has sessions. */
  session: string
}

type RequestOf = (copy: Copy) => Buffer

async function main(wanted: readonly string[]): Promise<void> {
  const isWanted = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part))
  if (isWanted('tools/call')) await compareCalls()
  if (isWanted('tools/list')) await compareLists()
}

async function compareCalls(): Promise<void> {
  const bareServer = await start('bare', 'bare node:http')
  const node = await start('node', 'mcpwire, node adapter')
  const bareWeb = await start('bare fetch', 'bare fetch handler on Node')
  const web = await start('web', 'mcpwire, web adapter on Node')
  const hono = await start('hono', 'mcpwire, web adapter over @hono/node-server')
  for (const copy of node.copies) copy.session = await openSession(copy.port)

  for (const concurrency of [16, 64]) {
    const measured = await compare([bareServer, node, bareWeb, web, hono], () => modernCall('x'), concurrency, 2_000)
    report(`modern tools/call, ${concurrency} at once`, measured)
    goal('node adapter / bare', ratio(measured, 1, 0), 1.4)
    goal('web adapter over @hono/node-server / bare', ratio(measured, 4, 0), 2.2)
    // Node's Request and Response alone cost four times as much as a bare server.
    goal('web adapter / bare fetch handler', ratio(measured, 3, 2), 2.2)

    const inSession = await compare([bareServer, node], ({ session }) => handshakeCall(session), concurrency, 2_000)
    report(`tools/call in a session of 2025-11-25, ${concurrency} at once`, inSession)
    goal('node adapter / bare', ratio(inSession, 1, 0), 1.5)
  }
  const largeCall = modernCall('x'.repeat(1024 * 1024))
  const large = await compare([bareServer, node], () => largeCall, 4, 40)
  report('tools/call with 1 MB of arguments', large)
  goal('node adapter / bare', ratio(large, 1, 0), 1.15)
  stop([bareServer, node, bareWeb, web, hono])
}

/** With its own bare server: one that has served calls before is better optimized. */
async function compareLists(): Promise<void> {
  const bareServer = await start('bare', 'bare node:http')
  const manyTools = await start('many tools', 'mcpwire, node adapter')
  const list = await compare([bareServer, manyTools], () => modernRequest('tools/list', {}), 16, 300)
  report(`tools/list of ${LIST_LENGTH} tools, beside a server that writes prepared bytes`, list)
  goal('node adapter / bare', ratio(list, 1, 0), 1.1)
  stop([bareServer, manyTools])
}

function stop(contenders: readonly Contender[]): void {
  for (const { copies } of contenders) for (const { child } of copies) child.kill()
}

/** The median over rounds: other load on the machine affects both contenders of a round. */
function ratio(measured: readonly InRounds[], one: number, other: number): number {
  const [upper, lower] = [measured[one]!.rounds, measured[other]!.rounds]
  return median(upper.map((value, round) => value / lower[round]!))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]!
}

interface InRounds extends Measured {
  rounds: readonly number[]
}

async function start(kind: Kind, name: string): Promise<Contender> {
  return { name, copies: await Promise.all(Array.from({ length: COPIES }, () => startCopy(kind))) }
}

async function startCopy(kind: Kind): Promise<Copy> {
  const child = fork(fileURLToPath(import.meta.url), [kind])
  const port = await new Promise<number>((resolve) => child.once('message', (value) => resolve(value as number)))
  return { child, port, session: NO_SESSION }
}

async function openSession(port: number): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const clientInfo = { name: 'bench', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body })
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

/** The contenders take turns. */
async function compare(
  contenders: readonly Contender[],
  requestOf: RequestOf,
  concurrency: number,
  count: number,
): Promise<InRounds[]> {
  const samples: number[][] = contenders.map(() => [])
  const [first] = contenders[1]!.copies
  const sample = await ask(first!.port, requestOf(first!))
  const warmUp = requestOf(first!).length > LONG_REQUEST ? WARM_UP_LARGE_REQUESTS : WARM_UP_REQUESTS
  for (const copy of contenders.flatMap(({ copies }) => copies)) {
    await cpuMicros(copy.child, sample)
    await load(copy.port, requestOf(copy), concurrency, warmUp)
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { copies }] of contenders.entries()) {
      let micros = 0
      for (const copy of copies) micros += await measureCopy(copy, requestOf(copy), concurrency, count)
      samples[index]!.push((micros * 1_000) / (count * copies.length))
    }
  }
  return contenders.map(({ name }, index) => {
    const rounds = samples[index]!
    return { name, nanoseconds: median(rounds), rounds }
  })
}

async function measureCopy({ child, port }: Copy, request: Buffer, concurrency: number, count: number) {
  const before = await cpuMicros(child)
  await load(port, request, concurrency, count)
  return (await cpuMicros(child)) - before
}

async function cpuMicros(child: ChildProcess, text?: string): Promise<number> {
  const told = new Promise<NodeJS.CpuUsage>((resolve) => child.once('message', (value) => resolve(value as never)))
  child.send(text === undefined ? {} : { answer: text })
  const { user, system } = await told
  return user + system
}
