// Servers that are wrong in one way each, for tests of `doctor`.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createCertificate } from '../../../test/support/certificate.ts'

interface Listening {
  on(event: 'listening', listener: () => void): unknown
  address(): unknown
  closeAllConnections(): void
  close(): unknown
}

async function opened(server: Listening): Promise<number> {
  await once(server as never, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The origin of an HTTP server that ends with the test. */
export async function listen(handler: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await opened(createServer(handler).listen(0, '127.0.0.1'))}`
}

/** The origin of a port that speaks no HTTP. */
export async function listenOnTcp(handler: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => handler(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  return `http://127.0.0.1:${await opened(Object.assign(server, { closeAllConnections: () => {} }))}`
}

export async function listenWithCertificate(from: string, until: string, host = 'localhost'): Promise<string> {
  const certificate = createCertificate({ host, from: new Date(from), until: new Date(until) })
  const server = createTlsServer(certificate, (_request, response) => response.end()).listen(0, '127.0.0.1')
  return `https://localhost:${await opened(server)}`
}

export type Answer = Record<string, unknown>

/** A legacy server over HTTP that answers by method; `undefined` leaves a request open. */
export function legacyServer(answers: Record<string, Answer | undefined>): RequestListener {
  return async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end()
      return
    }
    const { id, method } = JSON.parse(await readBody(request)) as { id?: number; method: string }
    if (id === undefined) {
      response.writeHead(202).end()
      return
    }
    if (method in answers && answers[method] === undefined) return
    const answer = answers[method] ?? { error: { code: -32601, message: 'Method not found' } }
    const body = 'error' in answer ? answer : { result: answer }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
  }
}

export async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}

export const INITIALIZED: Answer = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'broken', version: '1.0.0' },
}

/** A program for `node -e` that serves MCP over stdio, and prints something first. */
export function stdioProgram(before: string): string {
  return `${before}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const answers = {
    initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'chatty', version: '1' } },
    ping: {},
  }
  const answer = answers[method]
  const body = answer === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result: answer }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n')
})`
}
