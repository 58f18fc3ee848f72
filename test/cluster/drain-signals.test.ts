// SIGTERM at a node behind a balancer: it goes on serving until the balancer has noticed.
import { afterEach, beforeAll, expect, test } from 'vitest'
import { bundleProgram } from '../support/bundle.ts'
import { type Child, startNode } from '../support/child.ts'
import { modernBody, modernHeaders } from '../support/modern-messages.ts'

/** Takes `drainDelayMs` as its argument; without one the default holds. */
const PROGRAM = `
  import { memory } from './src/backend/memory/memory.ts'
  import { MCPServer } from './src/mcpserver/mcpserver.ts'
  import { serveHttp } from './src/node/http/serve-http.ts'
  const server = new MCPServer('child', { backend: memory() })
  server.tool('hello', {}, () => 'hello')
  const given = process.argv[2] === undefined ? {} : { drainDelayMs: Number(process.argv[2]) }
  const serving = await serveHttp(server, { port: 0, handleSignals: true, drainMs: 60_000, ...given })
  console.log(serving.url)
`

let program = ''
beforeAll(async () => {
  program = await bundleProgram('drain-signals', PROGRAM)
})

const children: Child[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.process.kill('SIGKILL')
})

async function start(...args: string[]) {
  const child = startNode([program, ...args])
  children.push(child)
  await child.printed('\n')
  const [url = ''] = child.output.stdout.split('\n')
  const probe = async (path: string) => {
    const response = await fetch(new URL(path, url))
    return `${response.status} ${await response.text()}`
  }
  return { child: child.process, exited: child.ended, url, probe }
}

test.each([
  ['as long as drainDelayMs says', ['600000']],
  ['for 5 s by default', []],
])(
  'D048: after SIGTERM /ready is 503 at once and the node serves on, %s; a second SIGTERM ends it',
  async (_, args) => {
    const { child, exited, url, probe } = await start(...args)
    expect(await probe('/ready')).toBe('200 ok')
    child.kill('SIGTERM')
    await expect.poll(() => probe('/ready'), { interval: 5, timeout: 10_000 }).toBe('503 draining')
    expect(await probe('/health')).toBe('200 ok')
    const request = { params: { name: 'hello' } }
    const body = JSON.stringify(modernBody(request))
    expect((await fetch(url, { method: 'POST', headers: modernHeaders(request), body })).status).toBe(200)
    child.kill('SIGTERM')
    expect(await exited).toEqual([null, 'SIGTERM'])
  },
)

test('D048: without a delay SIGTERM ends it at once, and so does SIGINT with one', async () => {
  const first = await start('0')
  first.child.kill('SIGTERM')
  expect(await first.exited).toEqual([null, 'SIGTERM'])
  const second = await start('600000')
  second.child.kill('SIGINT')
  expect(await second.exited).toEqual([null, 'SIGINT'])
})

/** Sends a request, over a connection that was made before, in the moment in which the port closes. Prints the status. */
const LATE_REQUEST = `
  import { connect, Server } from 'node:net'
  import { memory } from './src/backend/memory/memory.ts'
  import { MCPServer } from './src/mcpserver/mcpserver.ts'
  import { serveHttp } from './src/node/http/serve-http.ts'
  const server = new MCPServer('child', { backend: memory() })
  server.tool('hello', {}, () => 'hello')
  const serving = await serveHttp(server, { port: 0, handleSignals: true, drainDelayMs: 1 })
  const sockets = [0, 1].map(() => connect(serving.port, '127.0.0.1'))
  const request = (path, body, headers) =>
    [(body ? 'POST ' : 'GET ') + path + ' HTTP/1.1', 'Host: localhost', ...headers, 'Content-Length: ' + body.length, '', body].join('\\r\\n')
  for (const socket of sockets) socket.on('data', (data) => {
    for (const [status] of String(data).matchAll(/HTTP\\/1.1 \\d+/g)) console.log(status)
  })
  // One connection is new, and one has had a request.
  sockets[1].write(request('/health', '', []))
  const { close } = Server.prototype
  Server.prototype.close = function (...args) {
    close.apply(this, args)
    Server.prototype.close = close
    console.log('closed')
    const [headers, body] = JSON.parse(process.argv[2])
    for (const socket of sockets) socket.write(request('/mcp', body, headers))
    return this
  }
`

test('D048: when the port closes after the delay, requests on connections that were made before are served', async () => {
  const request = { params: { name: 'hello' } }
  const headers = Object.entries(modernHeaders(request) as Record<string, string>).map((header) => header.join(': '))
  const late = JSON.stringify([headers, JSON.stringify(modernBody(request))])
  const child = startNode([await bundleProgram('drain-late-request', LATE_REQUEST), late])
  children.push(child)
  await child.printed('HTTP/1.1 200')
  child.process.kill('SIGTERM')
  expect(await child.ended).toEqual([null, 'SIGTERM'])
  expect(child.output.stdout.trim().split('\n')).toEqual(['HTTP/1.1 200', 'closed', 'HTTP/1.1 200', 'HTTP/1.1 200'])
})
