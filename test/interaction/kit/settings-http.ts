// A server of this process behind HTTP, with the whole stack on both sides: over a port of this machine, or by function call.
import { onTestFinished } from 'vitest'
import { sse } from '../../../src/client/transports/sse.ts'
import { streamableHttp } from '../../../src/client/transports/streamable-http.ts'
import type { Transport } from '../../../src/dispatcher/channel.ts'
import { toFetch } from '../../../src/http/to-fetch.ts'
import { serveHttp } from '../../../src/node/http/serve-http.ts'
import { createHandler, type ServerTarget, serverOf } from '../../../src/server/http/handler.ts'
import type { ChannelServer } from '../../../src/testing/connect.ts'

/** A test that is over waits for nobody. */
const AT_ONCE = { drainMs: 0 }

/** Each `open()` is a new client of the endpoint. */
export type Endpoint = (server: ChannelServer) => Transport

/** Real sockets. */
export function socketEndpoint(): Endpoint {
  return shareEndpoints(async (server) => {
    const serving = await serveHttp(server, { port: 0 })
    onTestFinished(() => serving.close(AT_ONCE))
    return streamableHttp(serving.url)
  })
}

/** Web `Request` and `Response` objects, and no network. Runtimes hand over the length of a body. */
export function fetchEndpoint(): Endpoint {
  return shareEndpoints(async (server) => {
    const handler = createHandler(server)
    onTestFinished(() => handler.close(AT_ONCE))
    const answer = toFetch(handler)
    return streamableHttp('http://localhost/mcp', {
      fetch: (input, init) => answer(withLength(new Request(input, init), init)),
    })
  })
}

/** Real sockets, and the two endpoints of 2024-11-05. */
export function sseEndpoint(): Endpoint {
  return shareEndpoints(async (server) => {
    const serving = await serveHttp(server, { port: 0, legacySse: true })
    onTestFinished(() => serving.close(AT_ONCE))
    return sse(new URL('/sse', serving.url))
  })
}

/** A server is served once, from its first client on and until it is closed or the test is over. */
export function shareEndpoints(serve: (server: ServerTarget) => Promise<Transport>): Endpoint {
  const served = new Map<ChannelServer, Promise<Transport>>()
  return (server) => ({
    kind: 'http',
    open: async (options) => {
      const target = server as ChannelServer & ServerTarget
      const serving = served.get(server) ?? serve(target)
      if (!served.has(server)) serverOf(target).closeAlong({ close: async () => void served.delete(server) })
      served.set(server, serving)
      return (await serving).open(options)
    },
  })
}

export function withLength(request: Request, { body }: RequestInit = {}): Request {
  if (typeof body === 'string') request.headers.set('content-length', String(Buffer.byteLength(body)))
  return request
}
