// `serveHttp`: a server on a port, loopback by default, with the timeouts that a public port needs.

import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDeferred } from '../../primitives/async/promises.ts'
import { rangeError, withHelp } from '../../primitives/help.ts'
import { assertDuration, checkKeys, pickKeys } from '../../primitives/options.ts'
import { quoteShort } from '../../primitives/quote.ts'
import { createHandler, type ServerHandler, type ServerTarget, serverOf } from '../../server/http/handler.ts'
import { HANDLER_KEYS, type HandlerOptions } from '../../server/http/handler-options.ts'
import { type HttpServing, SERVE_HTTP_KEYS, type ServeHttpOptions } from '../../server/http/serve-options.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { loadHttp } from '../runtime/builtins.ts'
import { closeOnSignals } from './close-on-signals.ts'
import type { NodeArrival } from './exchange.ts'
import { isLoopbackAddress } from './exchange.ts'
import { createListener } from './to-node-handler.ts'

const MAX_HEADER_BYTES = 32 * 1024
/** How often Node looks for requests that are late. */
const CHECK_INTERVAL_MS = 1_000
/** Longer than proxies keep their connections, so that the proxy closes them and not we. */
const KEEP_ALIVE_MS = 75_000

const MAX_PORT = 65_535

const NO_ROUTER: NodeArrival = {}
const AFTER_CONTINUE: NodeArrival = { expectsContinue: true }

/**
 * Rejects with `RangeError` for an invalid port or host, with `TransportError` when the port is not available, and with what
 * the lifespan throws.
 */
export async function serveHttp(server: ServerTarget, options: ServeHttpOptions = {}): Promise<HttpServing> {
  checkKeys('serveHttp()', options, SERVE_HTTP_KEYS)
  const { drainMs = 5_000, drainDelayMs = 0, path = '/mcp' } = options
  assertDuration('drainDelayMs', drainDelayMs)
  const { port: givenPort = 3000, host: givenHost = '127.0.0.1' } = options
  const port = readPort(givenPort)
  const host = readHost(givenHost)
  const handler = createHandler(server, pickKeys<HandlerOptions>(options, HANDLER_KEYS))
  const http = createHttpServer(handler, options)
  let isClosed = false
  const forget = serverOf(server).closeAlong({
    close: async () => {
      isClosed = true
    },
  })
  try {
    await handler.start()
    await listen(http, port, host)
    if (isClosed) throw await closedMeanwhile(http, port, host)
  } catch (error) {
    await handler.close({ drainMs: 0 })
    throw error
  } finally {
    forget()
  }
  const address = http.address() as AddressInfo
  if (isLoopbackAddress(address.address) !== true && options.auth === undefined) warnUnprotected(host)
  const serving = createServing(handler, http, urlOf(address, host, path), drainMs)
  if (options.announce === true) console.error(`mcpwire: ${serverOf(server).info.name} listens on ${serving.url}`)
  void serving.closed.then(serverOf(server).closeAlong(serving))
  if (options.handleSignals === true) {
    closeOnSignals({ server, handler, http, serving, drainMs, drainDelayMs: options.drainDelayMs })
  }
  return serving
}

/** The port as a number. Throws `RangeError` otherwise: Node would take another text for the name of a socket file. */
function readPort(given: unknown): number {
  const port = typeof given === 'string' && /^\d{1,5}$/.test(given) ? Number(given) : given
  if (typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= MAX_PORT) return port
  throw rangeError('wrong-option', `port must be a whole number from 0 to ${MAX_PORT}, not ${showOption(given)}`)
}

/** The host itself. Throws `RangeError` for a value that is neither a name nor an address. */
function readHost(given: unknown): string {
  if (typeof given === 'string' && given.trim() !== '') return given
  throw rangeError('wrong-option', `host must be a name or an address, as in '127.0.0.1', not ${showOption(given)}`)
}

function showOption(given: unknown): string {
  if (typeof given === 'string') return quoteShort(given)
  if (typeof given === 'number' || given === null) return String(given)
  return typeof given === 'object' ? 'an object' : `a ${typeof given}`
}

function createHttpServer(
  handler: ServerHandler,
  { headersTimeoutMs = 10_000, ...options }: ServeHttpOptions,
): HttpServer {
  const { bodyTimeoutMs = 30_000 } = options
  const listener = createListener(handler)
  const http = loadHttp().createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: headersTimeoutMs + bodyTimeoutMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Detects peers that have vanished without closing the connection.
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
      noDelay: true,
    },
    (request, response) => listener(request, response, NO_ROUTER),
  )
  // Without a listener Node answers 100 Continue to every client, before the request was checked.
  http.on('checkContinue', (request, response) => listener(request, response, AFTER_CONTINUE))
  if (options.maxConnections !== undefined) http.maxConnections = options.maxConnections
  return http
}

function listen(http: HttpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, port, host))
    http.once('error', fail)
    http.listen(port, host, () => {
      http.off('error', fail)
      resolve()
    })
  })
}

/** The port is free again when this resolves. */
async function closedMeanwhile(http: HttpServer, port: number, host: string): Promise<TransportError> {
  await new Promise((resolve) => http.close(resolve))
  return new TransportError(`Cannot listen on ${host}:${port}: the server was closed before it listened`)
}

function cannotListen(cause: NodeJS.ErrnoException, port: number, host: string): TransportError {
  const reason =
    cause.code === 'EADDRINUSE'
      ? 'the port is in use; choose another one, or 0 for any free port'
      : (cause.code ?? cause.message)
  const slug = cause.code === 'EADDRINUSE' ? 'port-in-use' : 'address-not-available'
  return withHelp(slug, new TransportError(`Cannot listen on ${host}:${port}: ${reason}`, { cause }))
}

function createServing(handler: ServerHandler, http: HttpServer, url: string, drainMs: number): HttpServing {
  const httpClosed = new Promise<void>((resolve) => http.once('close', resolve))
  const closed = createDeferred()
  let closing: Promise<void> | undefined

  async function shutDown(handled: Promise<void>): Promise<void> {
    // Stops listening at once; connections end when they are idle.
    http.close()
    http.closeIdleConnections()
    await handled
    // The last answers are still being written; idle connections are closed.
    http.closeIdleConnections()
    const timer = setTimeout(() => http.closeAllConnections(), 500)
    await httpClosed
    clearTimeout(timer)
    closed.resolve()
  }

  const close = (options: { drainMs?: number } = {}): Promise<void> => {
    const handled = handler.close({ drainMs: options.drainMs ?? drainMs })
    closing ??= shutDown(handled)
    return closing
  }
  const { port } = http.address() as AddressInfo
  return { url, port, closed: closed.promise, close, [Symbol.asyncDispose]: () => close() }
}

/** A URL that a client on this machine can use, whatever address the server listens on. */
function urlOf({ address, family, port }: AddressInfo, host: string, path: string): string {
  const isEverywhere = address === '0.0.0.0' || address === '::'
  const name = isEverywhere ? (family === 'IPv6' ? '::1' : '127.0.0.1') : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}${path}`
}

function warnUnprotected(host: string): void {
  console.warn(
    `mcpwire: this server listens on ${host}, where other machines can reach it, without authorization. ` +
      'Set the option auth, or listen on 127.0.0.1.',
  )
}
