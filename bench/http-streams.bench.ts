// The cost of thousands of open event streams in the server: heap per stream, and CPU of one event to all, compared with a bare server.
import { type ChildProcess, fork } from 'node:child_process'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../src/node/http/to-node-handler.ts'
import { createHandler } from '../src/server/http/handler.ts'
import { heapUsed } from '../test/support/heap.ts'
import { goal, report } from './measure.ts'

type Kind = 'bare' | 'modern' | 'legacy'

/** Set `MCPWIRE_STREAMS` to a smaller number if the system limits open files. */
const STREAMS = Number(process.env['MCPWIRE_STREAMS'] ?? 5_000)
const ROUNDS = 11
const CHANGE = 'notifications/tools/list_changed'
const EVENT = `id: ${'x'.repeat(43)}.00000000-1\ndata: {"jsonrpc":"2.0","method":"${CHANGE}"}\n\n`

function serve(kind: Kind): void {
  const responses: ServerResponse[] = []
  const bare: RequestListener = (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.write(': open\n\n')
    responses.push(response)
  }
  const mcp = new MCPServer('bench')
  mcp.tool('add', {}, () => 3)
  const listener = kind === 'bare' ? bare : toNodeHandler(createHandler(mcp, { keepAliveMs: Infinity }))
  const http = createServer(listener).listen(0, '127.0.0.1', () => {
    process.send?.((http.address() as AddressInfo).port)
  })
  const notifyAll = async () => {
    if (kind !== 'bare') return mcp.server.announce({ type: 'toolsListChanged' })
    for (const response of responses) response.write(EVENT)
  }
  const report = async (message: unknown) => {
    if (message === 'notify') await notifyAll()
    const { user, system } = process.cpuUsage()
    process.send?.(message === 'heap' ? await heapUsed() : user + system)
  }
  process.on('message', (message) => void report(message))
}

class Contender {
  readonly kind: Kind
  readonly samples: number[] = []
  heapPerStream = 0
  readonly #child: ChildProcess
  #port = 0
  readonly #sockets: Socket[] = []
  #awaited = 0
  #onAllReceived: (() => void) | undefined

  constructor(kind: Kind) {
    this.kind = kind
    this.#child = fork(fileURLToPath(import.meta.url), [kind])
  }

  async open(): Promise<void> {
    this.#port = await this.#nextReply()
    const sessions: string[] = []
    // Sessions are created before the heap is measured, because they are more than their stream.
    if (this.kind === 'legacy') for (let i = 0; i < STREAMS; i++) sessions.push(await openSession(this.#port))
    const before = await this.#ask('heap')
    for (let i = 0; i < STREAMS; i++) await this.#listen(requestOf(this.kind, i, sessions[i]))
    this.heapPerStream = ((await this.#ask('heap')) - before) / STREAMS
  }

  /** CPU time of one event to all streams, per stream, in nanoseconds. */
  async notifyAll(): Promise<void> {
    const before = await this.#ask('cpu')
    this.#awaited = STREAMS
    const received = new Promise<void>((resolve) => {
      this.#onAllReceived = resolve
    })
    await this.#ask('notify')
    await received
    this.samples.push((((await this.#ask('cpu')) - before) * 1_000) / STREAMS)
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#child.kill()
  }

  #listen(request: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#port, '127.0.0.1', () => socket.write(request))
      this.#sockets.push(socket)
      let text = ''
      let isOpen = false
      socket.on('error', reject).on('data', (piece) => {
        if (isOpen) return this.#count(piece)
        text += piece
        // The first event: an acknowledgement, a priming event or a comment.
        if (!/\r\n\r\n[\s\S]*\n\n/.test(text)) return
        isOpen = true
        resolve()
      })
    })
  }

  #count(piece: Buffer): void {
    if (!piece.includes(CHANGE)) return
    this.#awaited -= 1
    if (this.#awaited === 0) this.#onAllReceived?.()
  }

  #ask(question: 'heap' | 'cpu' | 'notify'): Promise<number> {
    const answer = this.#nextReply()
    this.#child.send(question)
    return answer
  }

  #nextReply(): Promise<number> {
    return new Promise((resolve) => this.#child.once('message', (value) => resolve(value as number)))
  }
}

async function main(): Promise<void> {
  const contenders = [new Contender('bare'), new Contender('modern'), new Contender('legacy')]
  console.log(`\nheap of each of ${STREAMS} open streams`)
  for (const contender of contenders) {
    await contender.open()
    console.log(`  ${contender.kind.padEnd(52)} ${(contender.heapPerStream / 1024).toFixed(1).padStart(9)} KB`)
  }
  for (const { kind, heapPerStream } of contenders.slice(1)) goal(`${kind}, KB`, heapPerStream / 1024, 8)
  for (let round = 0; round < ROUNDS; round++) for (const contender of contenders) await contender.notifyAll()
  const measured = contenders.map(({ kind, samples }) => ({
    name: kind,
    nanoseconds: samples.sort((a, b) => a - b)[samples.length >> 1]!,
  }))
  report(`one notification to ${STREAMS} streams, each`, measured)
  for (const { name, nanoseconds } of measured.slice(1)) {
    goal(`${name} / bare`, nanoseconds / measured[0]!.nanoseconds, 1.5)
  }
  for (const contender of contenders) contender.close()
}

function requestOf(kind: Kind, id: number, session: string | undefined): string {
  if (kind === 'legacy') {
    return `GET /mcp HTTP/1.1\r\nHost: localhost:3000\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${session}\r\n\r\n`
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  }
  const params = { notifications: { toolsListChanged: true }, _meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params })
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: localhost:3000',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: subscriptions/listen',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

async function openSession(port: number): Promise<string> {
  const clientInfo = { name: 'bench', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const opened = await post(port, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const session = opened.headers.get('mcp-session-id') ?? ''
  await post(port, { jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': session })
  return session
}

async function post(port: number, message: object, more: Record<string, string> = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more }
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify(message),
  })
  await response.text()
  return response
}

if (process.send !== undefined) serve(process.argv[2] as Kind)
else await main()
