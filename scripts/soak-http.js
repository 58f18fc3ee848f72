// npm run soak:http [count] [--without-long-tests]: thousands of streams and sessions whose network drops, what is left of them, and the long tests.
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { run } from './lib/run.js'

const SELF = fileURLToPath(import.meta.url)
const CONCURRENCY = 50
/** Longer than a busy machine takes to open one of them. */
const IDLE_MS = 20_000
const MIB = 1024 * 1024
/** What the runtime may keep for its own use, such as parsers for the connections to come. */
const MAX_LEFT_BYTES = 2 * MIB
const SETTLE_MS = 60_000
const ANSWER_MS = 20_000
/** The tests that do more where `MCPWIRE_LONG_TESTS` is set. */
const LONG_TESTS = [
  'test/unit/server/http/legacy/memory.test.ts',
  'test/unit/server/http/legacy/standalone.test.ts',
  'test/unit/node/http/http-streams.test.ts',
  'test/unit/node/http/poster.test.ts',
  'test/unit/dispatcher/contract.test.ts',
  'test/unit/dispatcher/interleavings.test.ts',
  'test/interaction/calls/progress.test.ts',
  'test/interaction/calls/faults.test.ts',
  'test/interaction/calls/cancellation.test.ts',
]

/** In a process of its own, so that its heap is the server's alone. */
async function serve() {
  const { MCPServer, createHandler } = await import('mcpwire/server')
  const { toNodeHandler } = await import('mcpwire/node')
  const mcp = new MCPServer('soak')
  mcp.tool('add', {}, () => 3)
  const handler = createHandler(mcp, { sessions: { idleMs: IDLE_MS } })
  const http = createServer(toNodeHandler(handler)).listen(0, '127.0.0.1', () => process.send(http.address().port))
  const count = async () => ({
    connections: await new Promise((resolve) => http.getConnections((_error, open) => resolve(open))),
    sessions: handler.sessionCount,
    heap: await usedHeap(),
  })
  process.on('message', () => void count().then((counts) => process.send(counts)))
  process.on('disconnect', () => process.exit())
}

async function usedHeap() {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}

/** One request over a socket that can be cut; resolves once `isEnough` says so of what has come. */
function send(port, request, isEnough) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let text = ''
    const giveUp = () => reject(new Error(`${request.split(' ', 1)[0]} was answered with '${text}'`))
    socket.setEncoding('latin1')
    socket.setTimeout(ANSWER_MS, giveUp)
    socket.on('error', reject).on('close', giveUp)
    socket.on('data', (piece) => {
      text += piece
      if (!isEnough(text)) return
      socket.removeAllListeners('data').resume().setTimeout(0)
      resolve({ socket, text })
    })
  })
}

function post(body, headers) {
  const text = JSON.stringify({ jsonrpc: '2.0', ...body })
  const all = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
    'content-length': Buffer.byteLength(text),
  }
  return `POST /mcp HTTP/1.1\r\n${lines(all)}\r\n${text}`
}

function lines(headers) {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

const hasHead = (text) => text.includes('\r\n\r\n')
const hasEvent = (text) => /\r\n\r\n[\s\S]*\n\n/.test(text)

/** A subscription stream of the modern era, acknowledged. */
async function openStream(port, id) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { notifications: { toolsListChanged: true }, _meta }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
  const { socket, text } = await send(port, post({ id, method: 'subscriptions/listen', params }, headers), hasEvent)
  if (!text.includes('acknowledged')) throw new Error(`stream ${id} was answered with ${text.slice(0, 80)}`)
  return socket
}

/** A session of the legacy era, with one call and a stream of its own. */
async function openSession(port) {
  const clientInfo = { name: 'soak', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const ask = async (body, headers) => {
    const { socket, text } = await send(port, post(body, headers), hasHead)
    socket.destroy()
    return text
  }
  const session = /mcp-session-id: (\S+)/i.exec(await ask({ id: 0, method: 'initialize', params }))?.[1]
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
  await ask({ method: 'notifications/initialized' }, headers)
  await ask({ id: 1, method: 'tools/call', params: { name: 'add' } }, headers)
  const head = { host: 'localhost', accept: 'text/event-stream', ...headers }
  const { socket } = await send(port, `GET /mcp HTTP/1.1\r\n${lines(head)}\r\n`, hasEvent)
  return socket
}

async function openMany(count, open) {
  const sockets = []
  let next = 0
  const lane = async () => {
    while (next < count) sockets.push(await open(next++))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  return sockets
}

/** Opens so many, cuts all of them, and waits until the server has noticed. */
async function abandon(server, count, open) {
  const sockets = await openMany(count, (id) => open(server.port, id))
  const during = await server.ask()
  for (const socket of sockets) socket.destroy()
  const deadline = performance.now() + SETTLE_MS
  let after = await server.ask()
  while ((after.connections > 0 || after.sessions > 0) && performance.now() < deadline) after = await server.ask()
  return { during, after }
}

async function startServer() {
  const child = fork(SELF, ['server'], { execArgv: ['--expose-gc'] })
  const said = () => new Promise((resolve) => child.once('message', resolve))
  const ask = () => {
    const answer = said()
    child.send('count')
    return answer
  }
  return { port: await said(), ask, stop: () => child.kill() }
}

async function soak(what, count, open) {
  const server = await startServer()
  await abandon(server, Math.min(count, 1_500), open)
  const before = await server.ask()
  const started = performance.now()
  const { during, after } = await abandon(server, count, open)
  server.stop()
  console.log(`${count} ${what}, in ${((performance.now() - started) / 1000).toFixed(0)} s`)
  for (const [name, counts] of Object.entries({ before, during, after })) {
    const heap = (counts.heap / MIB).toFixed(1)
    console.log(`  ${name.padEnd(7)} ${counts.connections} connections, ${counts.sessions} sessions, heap ${heap} MiB`)
  }
  const isClean = after.connections === 0 && after.sessions === 0 && after.heap - before.heap < MAX_LEFT_BYTES
  if (!isClean) throw new Error('something was left behind')
}

async function main(count) {
  await soak('modern streams, all cut at once', count, openStream)
  await soak('sessions, each with a stream, all cut at once', count, openSession)
  console.log('Nothing was left behind.')
  if (process.argv.includes('--without-long-tests')) return
  const env = { ...process.env, MCPWIRE_LONG_TESTS: '1' }
  run('The long tests', 'vitest', ['run', '--testTimeout=900000', ...LONG_TESTS], { env })
}

await (process.argv[2] === 'server' ? serve() : main(Number(process.argv[2] ?? 10_000)))
