// The page on this machine to which a browser is redirected after a login (RFC 8252, section 7.3).

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopbackHost } from '../../http/hosts.ts'
import { unlessAborted } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { rangeError } from '../../primitives/help.ts'
import type { RedirectListener, RedirectListenerOptions } from '../../primitives/platform.ts'

const HOST = '127.0.0.1'
const PATH = '/callback'
const MAX_CONNECTIONS = 32
/** Nothing of a request is ever written into a page, so that there is nothing to escape. */
const PAGES = {
  done: 'You are logged in. You can close this window.',
  failed: 'The login did not succeed. You can close this window.',
  unexpected: 'This is not the login that is being waited for.',
  elsewhere: 'There is nothing here.',
}

interface Expectation {
  readonly state: string
  readonly visit: Deferred<URLSearchParams>
}

/** Listens on loopback only, for one visit. The listener must be closed, and ends no later than that. */
export async function listenForRedirect(options: RedirectListenerOptions = {}): Promise<RedirectListener> {
  const fixed = options.uri === undefined ? undefined : parseLoopback(options.uri)
  const path = fixed?.pathname ?? PATH
  let expected: Expectation | undefined

  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 10_000, keepAliveTimeout: 1 }, answer)
  server.maxConnections = MAX_CONNECTIONS

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.canParse(request.url ?? '', uri) ? new URL(request.url ?? '', uri) : undefined
    // A page of another site that had its name resolve to this machine would bring its own Host.
    const isHere = request.headers.host === new URL(uri).host && url?.pathname === path && request.method === 'GET'
    const parameters = url?.searchParams
    if (parameters === undefined || !isHere) {
      reply(response, 404, PAGES.elsewhere)
      return
    }
    if (expected === undefined || parameters.get('state') !== expected.state) {
      reply(response, 400, PAGES.unexpected)
      return
    }
    reply(response, 200, parameters.has('code') ? PAGES.done : PAGES.failed)
    expected.visit.resolve(parameters)
    expected = undefined
  }

  const port = await listen(server, fixed, options.preferredPort)
  const uri = fixed?.href ?? `http://${HOST}:${port}${PATH}`
  let closing: Promise<void> | undefined

  return {
    uri: options.uri ?? uri,
    visit: async (state, signal) => {
      signal.throwIfAborted()
      const visit = createDeferred<URLSearchParams>()
      expected = { state, visit }
      try {
        return await unlessAborted(visit.promise, signal)
      } finally {
        expected = undefined
      }
    },
    close: () => {
      closing ??= closeServer(server)
      return closing
    },
  }
}

/** Throws `RangeError`: a code must not travel past this machine, and the page has no certificate for https. */
function parseLoopback(uri: string): URL {
  const url = new URL(uri)
  if (url.protocol === 'http:' && isLoopbackHost(url.hostname)) return url
  throw rangeError(
    'wrong-option',
    `${url.origin} is not on this machine by plain http; receive it yourself, with callback`,
  )
}

async function listen(server: Server, fixed: URL | undefined, preferredPort = 0): Promise<number> {
  if (fixed !== undefined) {
    const host = fixed.hostname.replace(/^\[|\]$/g, '')
    return listenOn(server, host, fixed.port === '' ? 80 : Number(fixed.port))
  }
  try {
    return await listenOn(server, HOST, preferredPort)
  } catch (error) {
    if (preferredPort === 0) throw error
    return listenOn(server, HOST, 0)
  }
}

function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, exclusive: true }, () => {
      server.removeListener('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
  response.end(`<!doctype html><title>Login</title><p>${text}</p>`)
}

/** Lets the last page be sent; connections that stay open are closed after 500 ms. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 500).unref()
  })
}
