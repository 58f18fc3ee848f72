// A real HTTP server that records what it is asked, and documents that describe it.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Recorded {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Api {
  readonly origin: string
  readonly requests: Recorded[]
  /** What the next requests are answered with. */
  answer: (request: Recorded, response: ServerResponse) => void
  last(): Recorded
  close(): Promise<void>
}

export async function startApi(): Promise<Api> {
  const requests: Recorded[] = []
  const server: Server = createServer((request, response) => {
    void read(request).then((body) => {
      const recorded = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      requests.push(recorded)
      api.answer(recorded, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const api: Api = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (_request, response) => sendJSON(response, {}),
    last: () => requests.at(-1) as Recorded,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return api
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('latin1')
}

export function sendJSON(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

/** A document with these paths. */
export function documentOf(paths: object, more: object = {}, openapi = '3.1.0'): Record<string, unknown> {
  return {
    openapi,
    info: { title: 'Test API', version: '1.2.3' },
    servers: [{ url: 'https://api.example.com/v1' }],
    paths,
    ...more,
  }
}

export function textOf(result: { content: readonly { type: string; text?: string }[] }): string {
  return result.content.map(({ text = '' }) => text).join('\n')
}
