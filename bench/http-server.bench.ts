// What a call over HTTP costs the server: CPU of its process per request, beside a bare server that answers with the same bytes.
import { type ChildProcess, fork } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { toFetch } from '../src/http/to-fetch.ts'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../src/node/to-node-handler.ts'
import { createHandler } from '../src/server/http/handler.ts'
import { goal, type Measured, report } from './measure.ts'

type Kind = 'bare' | 'node' | 'bare fetch' | 'web' | 'hono' | 'many tools'
type Fetch = (request: Request) => Promise<Response>

const ROUNDS = 15
/** Until the compiler is done: it works on threads whose time counts too. */
const WARM_UP_ROUNDS = 15
const LIST_LENGTH = 1_000
/** From here on the bare server writes bytes that it has prepared; shorter answers are as well written as text. */
const LONG_ANSWER = 16 * 1024

/** Of calls in a session: those that are under way at once each need an id of their own, of the same length. */
const FIRST_ID = 1_000_000
const ID_TEXT = `"id":${FIRST_ID},`

const input = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' }, text: { type: 'string' } },
  required: ['a', 'b'],
} as const

/** What the bare servers answer: the bytes that the real one has answered to the same request. */
let answer: string | Buffer = ''

/** Those of the real one. */
const ANSWER_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** Reads the body, parses it, and writes the answer. */
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

/** The same, written for `fetch`: what the objects of the web cost by themselves on Node. */
const bareFetch: Fetch = async (request) => {
  JSON.parse(await request.text())
  return new Response(String(answer), { status: 200, headers: ANSWER_HEADERS })
}

function createListener(kind: Kind): RequestListener {
  if (kind === 'bare') return bare
  if (kind === 'bare fetch') return overFetch(bareFetch)
  const server = new MCPServer('bench')
  const count = kind === 'many tools' ? LIST_LENGTH : 1
  for (let i = 0; i < count; i++) {
    server.tool(i === 0 ? 'add' : `add-${i}`, { description: 'Adds two numbers', input }, ({ a, b }) => a + b)
  }
  const handler = createHandler(server)
  if (kind === 'hono') return overHono(toFetch(handler, { trustsLength: true }))
  return kind === 'web' ? overFetch(toFetch(handler)) : toNodeHandler(handler)
}

/** What most people put between: it makes a `Request` only as far as somebody reads it. */
function overHono(fetch: Fetch): RequestListener {
  const listener = getRequestListener(fetch)
  return (request, response) => void listener(request, response)
}

/** As little as it takes to get from Node to `fetch` and back. */
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

if (process.send !== undefined) serve(process.argv[2] as Kind)
else await main()

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
  readonly child: ChildProcess
  readonly port: number
}

async function main(): Promise<void> {
  const bareServer = await start('bare', 'bare node:http')
  const node = await start('node', 'mcpwire, node adapter')
  const bareWeb = await start('bare fetch', 'bare fetch handler on Node')
  const web = await start('web', 'mcpwire, web adapter on Node')
  const hono = await start('hono', 'mcpwire, web adapter over @hono/node-server')
  const manyTools = await start('many tools', 'mcpwire, node adapter')
  const session = await openSession(node.port)

  for (const concurrency of [16, 64]) {
    const measured = await compare([bareServer, node, bareWeb, web, hono], modernCall('x'), concurrency, 2_000)
    report(`modern tools/call, ${concurrency} at once`, measured)
    goal('node adapter / bare', ratio(measured, 1, 0), 1.4)
    goal('web adapter over @hono/node-server / bare', ratio(measured, 4, 0), 2.2)
    // Node's own Request and Response alone cost four times what a bare server does; beside that there is what we add to them.
    goal('web adapter / bare fetch handler', ratio(measured, 3, 2), 2.2)

    const inSession = await compare([bareServer, node], handshakeCall(session), concurrency, 2_000)
    report(`tools/call in a session of 2025-11-25, ${concurrency} at once`, inSession)
    goal('node adapter / bare', ratio(inSession, 1, 0), 1.5)
  }
  const large = await compare([bareServer, node], modernCall('x'.repeat(1024 * 1024)), 4, 40)
  report('tools/call with 1 MB of arguments', large)
  goal('node adapter / bare', ratio(large, 1, 0), 1.15)
  const list = await compare([bareServer, manyTools], modernRequest('tools/list', {}), 16, 300)
  report(`tools/list of ${LIST_LENGTH} tools, beside a server that writes prepared bytes`, list)
  goal('node adapter / bare', ratio(list, 1, 0), 1.1)
  for (const { child } of [bareServer, node, bareWeb, web, hono, manyTools]) child.kill()
}

function ratio(measured: readonly Measured[], one: number, other: number): number {
  return measured[one]!.nanoseconds / measured[other]!.nanoseconds
}

async function start(kind: Kind, name: string): Promise<Contender> {
  const child = fork(fileURLToPath(import.meta.url), [kind])
  const port = await new Promise<number>((resolve) => child.once('message', (value) => resolve(value as number)))
  return { name, child, port }
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

function modernCall(text: string): Buffer {
  return modernRequest('tools/call', { name: 'add', arguments: { a: 1, b: 2, text } }, ['Mcp-Name: add'])
}

function modernRequest(method: string, params: object, headers: readonly string[] = []): Buffer {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  }
  const routing = ['MCP-Protocol-Version: 2026-07-28', `Mcp-Method: ${method}`, ...headers]
  return post({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, routing)
}

function handshakeCall(session: string): Buffer {
  const params = { name: 'add', arguments: { a: 1, b: 2, text: 'x' } }
  const headers = ['MCP-Protocol-Version: 2025-11-25', `Mcp-Session-Id: ${session}`]
  return post({ jsonrpc: '2.0', id: FIRST_ID, method: 'tools/call', params }, headers)
}

function post(message: object, headers: readonly string[]): Buffer {
  const body = JSON.stringify(message)
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: localhost:3000',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...headers,
    'User-Agent: bench/1.0.0',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: keep-alive',
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** The contenders take turns, and medians are compared. */
async function compare(
  contenders: readonly Contender[],
  request: Buffer,
  concurrency: number,
  count: number,
): Promise<Measured[]> {
  const samples: number[][] = contenders.map(() => [])
  const sample = await ask(contenders[1]!.port, request)
  for (const { child } of contenders) await cpuMicros(child, sample)
  for (const { port } of contenders) await load(port, request, concurrency, count * WARM_UP_ROUNDS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) {
      const before = await cpuMicros(contender.child)
      await load(contender.port, request, concurrency, count)
      const micros = (await cpuMicros(contender.child)) - before
      samples[index]!.push((micros * 1_000) / count)
    }
  }
  return contenders.map(({ name }, index) => {
    const sorted = samples[index]!.sort((a, b) => a - b)
    return { name, nanoseconds: sorted[sorted.length >> 1]! }
  })
}

async function cpuMicros(child: ChildProcess, text?: string): Promise<number> {
  const told = new Promise<NodeJS.CpuUsage>((resolve) => child.once('message', (value) => resolve(value as never)))
  child.send(text === undefined ? {} : { answer: text })
  const { user, system } = await told
  return user + system
}

/** The request of one connection, with an id that no other has. */
function withOwnId(request: Buffer, index: number): Buffer {
  const at = request.indexOf(ID_TEXT)
  if (at === -1) return request
  const own = Buffer.from(request)
  own.write(`"id":${FIRST_ID + index},`, at)
  return own
}

/** So many requests over so many connections, as fast as they are answered. All answers have the same length. */
async function load(port: number, request: Buffer, concurrency: number, count: number): Promise<void> {
  const length = await answerLength(port, request)
  let left = count
  const drive = (socket: Socket, index: number) =>
    new Promise<void>((resolve, reject) => {
      const own = withOwnId(request, index)
      let received = 0
      const next = () => {
        if (left-- <= 0) resolve()
        else socket.write(own)
      }
      socket.on('error', reject)
      socket.on('data', (piece) => {
        received += piece.length
        if (received < length) return
        received -= length
        next()
      })
      next()
    })
  const sockets = Array.from({ length: concurrency }, () => connect(port, '127.0.0.1'))
  const rest = stayAwake()
  await Promise.all(sockets.map(drive))
  rest()
  for (const socket of sockets) socket.destroy()
}

/** Waking a process costs the one that wakes it, and the slower server would do that more often: so this one never sleeps. */
function stayAwake(): () => void {
  let isAwake = true
  const turn = () => {
    if (isAwake) setImmediate(turn)
  }
  turn()
  return () => {
    isAwake = false
  }
}

/** The body of the answer. */
async function ask(port: number, request: Buffer): Promise<string> {
  const text = await exchange(port, request)
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}

async function answerLength(port: number, request: Buffer): Promise<number> {
  return (await exchange(port, request)).length
}

/** One request and its whole answer, which is all ASCII. */
function exchange(port: number, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', reject)
    let text = ''
    socket.on('data', (piece) => {
      text += piece
      const end = text.indexOf('\r\n\r\n')
      const body = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (end === -1 || text.length < end + 4 + body) return
      if (!text.startsWith('HTTP/1.1 200') || text.includes('"error"')) reject(new Error(text))
      socket.destroy()
      resolve(text)
    })
    socket.write(request)
  })
}
