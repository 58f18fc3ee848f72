// The HTTP server of the inspector: the page, its API and its events; and beside it the origin of the sandbox page.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Refusal } from '../protocol/requests.ts'
import { answerApi } from './api.ts'
import { readObject } from './http/body.ts'
import { sendEvents } from './http/event-stream.ts'
import type { Guard, Refused } from './http/guard.ts'
import { readText } from './http/read-body.ts'
import type { Sessions } from './http/sessions.ts'
import { COMMON_HEADERS, type StaticFiles } from './http/static-files.ts'
import type { Inspector } from './inspector.ts'
import { BadRequest } from './log/bad-request.ts'
import { toProblem } from './log/problem.ts'

const MAX_STREAMS = 16

export interface PageServerOptions {
  readonly inspector: Inspector
  readonly guard: Guard
  readonly sessions: Sessions
  readonly files: StaticFiles
  readonly sandboxOrigin: () => string
}

export class PageServer {
  readonly http: Server
  readonly #options: PageServerOptions
  readonly #streams = new Set<() => void>()

  constructor(options: PageServerOptions) {
    this.#options = options
    this.http = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => refuse(response, error))
    })
  }

  async close(): Promise<void> {
    for (const end of this.#streams) end()
    await closeServer(this.http)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { guard, files, sandboxOrigin } = this.#options
    refuseIf(guard.check(request))
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname.startsWith('/api/')) return this.#answerApi(request, response, pathname.slice('/api/'.length))
    if (request.method === 'GET' && files.send(pathname, response, sandboxOrigin())) return
    if (request.method === 'GET' && request.headers['sec-fetch-mode'] === 'navigate') return sendNoPage(response)
    throw new BadRequest('There is no such page.', { status: 404 })
  }

  async #answerApi(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { guard, inspector } = this.#options
    refuseIf(guard.checkBody(request))
    if (path === 'session' && request.method === 'POST') return this.#openSession(request, response)
    const session = guard.sessionOf(request)
    if (typeof session !== 'string') return refuseIf(session)
    if (request.method === 'POST') {
      const answer = await answerApi(inspector, path, await readObject(request), session)
      return sendJson(response, 200, JSON.stringify(answer))
    }
    if (path === 'events') return this.#stream(request, response)
    const [kind, id = ''] = path.split('/')
    const body =
      kind === 'message'
        ? inspector.log.bodyOf(Number(id))
        : kind === 'result'
          ? inspector.calls.resultOf(id)
          : undefined
    if (body === undefined) throw new BadRequest('It is no longer kept.', { status: 404 })
    sendJson(response, 200, body)
  }

  async #openSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const secrets = this.#options.sessions.open(readText(await readObject(request), 'link'))
    if (secrets === undefined)
      throw new BadRequest('The link was used before, or is not a link of this inspector.', { status: 401 })
    sendJson(response, 200, JSON.stringify(secrets))
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    if (this.#streams.size >= MAX_STREAMS) {
      throw new BadRequest(`${MAX_STREAMS} pages are open.`, { status: 409, fix: 'Close one of them.' })
    }
    const { inspector } = this.#options
    const end = sendEvents(response, {
      log: inspector.log,
      changes: inspector.changes,
      snapshot: () => inspector.state,
      lastSeen: Number(request.headers['last-event-id'] ?? 0) || 0,
    })
    this.#streams.add(end)
    response.on('close', () => this.#streams.delete(end))
  }
}

export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

function refuseIf(refused: Refused | undefined): void {
  if (refused !== undefined) throw new BadRequest(refused.message, { status: refused.status })
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, fix } = error instanceof BadRequest ? error : { status: 500, fix: toProblem(error).fix }
  const message = toProblem(error).message
  const refusal: Refusal = { error: { message, ...(fix !== undefined && { fix }) } }
  sendJson(response, status, JSON.stringify(refusal))
}

/** For people, who typed an address. */
function sendNoPage(response: ServerResponse): void {
  response.writeHead(404, {
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  })
  response.end(
    '<!doctype html><html lang="en"><title>mcpwire inspector</title><p>There is no such page. <a href="/">Open the inspector</a></p></html>',
  )
}

function sendJson(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    ...COMMON_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(status === 413 && { connection: 'close' }),
  })
  response.end(text)
}
