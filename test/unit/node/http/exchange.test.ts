// What an exchange over node:http tells its handlers, whatever middleware, HTTP version or impatient client is around it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { BodyError, type HttpExchange, type HttpHandler } from '../../../../src/http/exchange.ts'
import { toNodeHandler } from '../../../../src/node/http/to-node-handler.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { openRaw, rawRequest } from '../../../support/raw-http.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function listen(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const http = createServer(listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    http.closeAllConnections()
    return new Promise((resolve) => http.close(resolve))
  })
  return (http.address() as AddressInfo).port
}

describe('a repeated header', () => {
  const repeated: [string, string][] = [
    ['content-type', 'application/json'],
    ['content-type', 'text/plain'],
    ['x-one', '1'],
  ]

  it('F116 is a list, also where a middleware has added headers of its own', async () => {
    const seen = createDeferred<unknown>()
    const handler = toNodeHandler((exchange) => {
      seen.resolve([exchange.header('content-type'), exchange.header('x-one'), exchange.header('x-request-id')])
      exchange.reply(204)
    })
    const port = await listen((request, response) => {
      request.headers['x-request-id'] = 'r-1'
      handler(request, response)
    })
    openRaw(port).write(rawRequest({ headers: repeated }))
    expect(await seen.promise).toEqual([['application/json', 'text/plain'], '1', 'r-1'])
  })

  it('F116 F141 is a list over HTTP/2', async () => {
    const seen = createDeferred<unknown>()
    const handler = toNodeHandler((exchange) => {
      seen.resolve([exchange.header('x-two'), exchange.header(':authority')])
      exchange.reply(204)
    })
    const http2 = createHttp2Server((request, response) =>
      handler(request as unknown as IncomingMessage, response as unknown as ServerResponse),
    )
    await new Promise<void>((resolve) => http2.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise((resolve) => http2.close(resolve)))
    const { port } = http2.address() as AddressInfo
    const client = connect(`http://127.0.0.1:${port}`)
    cleanups.push(() => client.destroy())
    client.request({ ':path': '/mcp', 'x-two': ['a', 'b'] }).end()
    expect(await seen.promise).toEqual([['a', 'b'], `127.0.0.1:${port}`])
  })
})

describe('a request that names its whole URL', () => {
  const paths = async (url: (port: number) => string): Promise<unknown> => {
    const seen = createDeferred<unknown>()
    const handler = toNodeHandler((exchange) => {
      seen.resolve([exchange.path, exchange.query])
      exchange.reply(204)
    })
    const port = await listen(handler)
    openRaw(port).write(`GET ${url(port)} HTTP/1.1\r\nHost: LocalHost:${port}\r\n\r\n`)
    return seen.promise
  }

  it.each([
    ['/mcp?a=1', ['/mcp', 'a=1']],
    ['?a=1', ['/', 'a=1']],
    ['', ['/', '']],
  ])('is one for its path: %j', async (rest, expected) => {
    expect(await paths((port) => `HTTP://localhost:${port}${rest}`)).toEqual(expected)
  })

  it.each(['http://evil.example/mcp', 'http://user@localhost/mcp'])(
    'is for no path where its host is another: %s',
    async (url) => {
      expect(await paths(() => url)).toEqual([url, ''])
    },
  )
})

describe('a client that left while its token was being checked', () => {
  /** What `look` finds in an exchange whose client has gone before anybody looked. */
  async function lookAfterLeaving<T>(look: (exchange: HttpExchange) => Promise<T>): Promise<T> {
    const arrived = createDeferred()
    const left = createDeferred()
    const found = createDeferred<T>()
    const handler: HttpHandler = async (exchange) => {
      arrived.resolve()
      await left.promise
      found.resolve(await look(exchange))
    }
    const listener = toNodeHandler(handler)
    const port = await listen((request, response) => {
      response.on('close', () => left.resolve())
      listener(request, response)
    })
    const socket = openRaw(port)
    socket.write(rawRequest({ headers: [['content-type', 'application/json']], body: '{}' }))
    await arrived.promise
    socket.destroy()
    return found.promise
  }

  it('F109 has its body rejected at once, instead of waiting for its timeout', async () => {
    const failure = await lookAfterLeaving((exchange) => exchange.bytes(100, 600_000).catch((error: unknown) => error))
    expect(failure).toBeInstanceOf(BodyError)
    expect(failure).toMatchObject({ status: 400 })
  })

  it('F110 is reported to new listeners, unless they have unsubscribed', async () => {
    const told: string[] = []
    await lookAfterLeaving(async (exchange) => {
      exchange.onGone(() => told.push('listening'))
      exchange.onGone(() => told.push('stopped'))()
      await Promise.resolve()
    })
    expect(told).toEqual(['listening'])
  })
})
