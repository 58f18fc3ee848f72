import { describe, expect, it } from 'vitest'
import type { EventSink, HttpExchange, HttpHandler } from '../../../src/http/exchange.ts'
import { toFetch } from '../../../src/http/to-fetch.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'

/** Runs a handler over one request. */
function run(handler: HttpHandler, url = 'http://localhost:8080/mcp?x=1', init: RequestInit = {}): Promise<Response> {
  return toFetch(handler)(new Request(url, init))
}

const bytesOf =
  (limit: number, timeoutMs = 1_000): HttpHandler =>
  async (exchange) => {
    try {
      exchange.reply(200, await exchange.text(limit, timeoutMs))
    } catch (error) {
      exchange.reply((error as { status?: number }).status ?? 500, String(error))
    }
  }

const stream = (pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void) =>
  ({ method: 'POST', body: new ReadableStream<Uint8Array>({ pull }), duplex: 'half' }) as RequestInit

describe('a web exchange', () => {
  it('tells the parts of the URL and the headers', async () => {
    const seen: unknown[] = []
    await run(
      (exchange) => {
        seen.push(exchange.method, exchange.path, exchange.query, exchange.header('host'), exchange.header('x-a'))
        seen.push(exchange.headers['x-a'], exchange.header('x-b'), exchange.isLoopback, exchange.header(':authority'))
        exchange.reply(204)
      },
      'http://localhost:8080/mcp?x=1#part',
      { method: 'DELETE', headers: { 'X-A': '1' } },
    )
    expect(seen).toEqual(['DELETE', '/mcp', 'x=1', 'localhost:8080', '1', '1', undefined, undefined, undefined])
  })

  it('answers whole, with the headers of everybody', async () => {
    const response = await run((exchange) => {
      exchange.addHeader('X-Added', 'yes')
      exchange.reply(418, 'tea', { 'content-type': 'text/plain' })
    })
    expect([response.status, await response.text()]).toEqual([418, 'tea'])
    expect([response.headers.get('x-added'), response.headers.get('content-type')]).toEqual(['yes', 'text/plain'])
  })

  it('answers once', async () => {
    await run((exchange) => {
      exchange.reply(204)
      expect(() => exchange.reply(200)).toThrow('answered already')
    })
  })

  it('reads a body within its limit', async () => {
    const small = await run(bytesOf(10), undefined, { method: 'POST', body: 'grün' })
    expect(await small.text()).toBe('grün')
    expect((await run(bytesOf(3), undefined, { method: 'POST', body: 'grün' })).status).toBe(413)
    expect(await (await run(bytesOf(3), undefined, { method: 'POST' })).text()).toBe('')
  })

  it('F106 stops reading a body without an end', async () => {
    let pulls = 0
    const endless = stream((controller) => {
      pulls += 1
      controller.enqueue(new Uint8Array(1_000))
    })
    expect((await run(bytesOf(10_000), undefined, endless)).status).toBe(413)
    expect(pulls).toBeLessThan(20)
  })

  it('F107 F108 rejects a body that is compressed, slow, broken or no text', async () => {
    const statusOf = async (init: RequestInit, timeoutMs?: number) =>
      (await run(bytesOf(100, timeoutMs), undefined, init)).status
    expect(await statusOf({ method: 'POST', body: 'x', headers: { 'content-encoding': 'gzip' } })).toBe(415)
    expect(
      await statusOf(
        stream(() => {}),
        5,
      ),
    ).toBe(408)
    expect(await statusOf(stream((controller) => controller.error(new Error('reset'))))).toBe(400)
    expect(await statusOf({ method: 'POST', body: new Uint8Array([0xff]) })).toBe(400)
  })

  it('F106 F108 takes a body whole where its length can be trusted, within the same bounds', async () => {
    const read = (init: RequestInit, limit = 10, timeoutMs?: number) =>
      toFetch(bytesOf(limit, timeoutMs), { trustsLength: true })(
        new Request('http://localhost/', { method: 'POST', ...init }),
      )
    const sized = (length: number) => ({ headers: { 'content-length': String(length) } })
    expect(await (await read({ body: 'whole', ...sized(5) })).text()).toBe('whole')
    expect((await read({ body: 'too long for us', ...sized(15) })).status).toBe(413)
    expect((await read({ body: 'longer than it says', ...sized(5) })).status).toBe(413)
    expect((await read({ ...stream(() => {}), ...sized(5) }, 10, 5)).status).toBe(408)
    const broken = stream((controller) => controller.error(new Error('reset')))
    expect((await read({ ...broken, ...sized(5) })).status).toBe(400)
    const endless = stream((controller) => controller.enqueue(new Uint8Array(1_000)))
    expect((await read(endless)).status).toBe(413)
  })

  it('F106 believes no length where it cannot be trusted', async () => {
    let pulls = 0
    const lying = stream((controller) => {
      pulls += 1
      controller.enqueue(new Uint8Array(1_000))
    })
    const headers = { 'content-length': '5' }
    expect((await run(bytesOf(10_000), undefined, { ...lying, headers })).status).toBe(413)
    expect(pulls).toBeLessThan(20)
  })

  it('F106 takes the body of a stand-in for a request of Node whole, without making a stream or a signal of it', async () => {
    const touched: string[] = []
    const standIn = (text: string) => {
      const whole = new Request('http://localhost/', { method: 'POST', body: text })
      const headers = new Headers({ 'content-length': String(text.length) })
      return Object.create(Request.prototype, {
        method: { value: 'POST' },
        url: { value: 'http://localhost/' },
        headers: { value: headers },
        bodyUsed: { value: false },
        arrayBuffer: { value: () => whole.arrayBuffer() },
        body: { get: () => touched.push('body') },
        signal: { get: () => touched.push('signal') },
      }) as Request
    }
    // As adapters do: an object whose prototype is one of their own.
    const made = (text: string) => Object.setPrototypeOf(standIn(text), Object.create(Request.prototype)) as Request
    expect(await (await toFetch(bytesOf(10))(made('whole'))).text()).toBe('whole')
    expect((await toFetch(bytesOf(10))(made('longer than that'))).status).toBe(413)
    expect(touched).toEqual([])
  })

  it('F140 says so where the body was read before', async () => {
    const request = new Request('http://localhost/', { method: 'POST', body: 'x' })
    await request.text()
    const response = await toFetch(bytesOf(10))(request)
    expect([response.status, (await response.text()).includes('already read')]).toEqual([500, true])
  })

  it('a handler that fails is a 500 without details', async () => {
    const rejected = await run(() => Promise.reject(new Error('secret')))
    const thrown = await run(() => {
      throw new Error('secret')
    })
    expect([rejected.status, await rejected.text(), thrown.status]).toEqual([500, '', 500])
  })

  it('F110 reports a disconnected client to later listeners', async () => {
    const told = createDeferred<string>()
    await run(
      (exchange) => {
        exchange.onGone(() => told.reject(new Error('nobody listens any more')))()
        exchange.onGone(() => told.resolve('gone'))
        exchange.reply(204)
      },
      undefined,
      { signal: AbortSignal.abort() },
    )
    expect(await told.promise).toBe('gone')
  })

  it('reports a client that disconnects before the answer', async () => {
    const controller = new AbortController()
    const gone = createDeferred<boolean>()
    void run(
      (exchange) => {
        exchange.onGone(() => gone.resolve(exchange.signal.aborted))
        expect(exchange.signal.aborted).toBe(false)
      },
      undefined,
      { signal: controller.signal },
    )
    controller.abort()
    expect(await gone.promise).toBe(false)
  })
})

describe('an event stream over the web', () => {
  async function open(): Promise<{ response: Response; sink: EventSink; exchange: HttpExchange }> {
    const opened = createDeferred<{ sink: EventSink; exchange: HttpExchange }>()
    const response = await run((exchange) => opened.resolve({ sink: exchange.stream(), exchange }))
    return { response, ...(await opened.promise) }
  }

  it('carries events and comments in order, and ends', async () => {
    const { response, sink } = await open()
    void sink.send({ data: '{"a":1}' })
    sink.comment('still\nhere')
    void sink.send({ data: 'two\nlines', event: 'x', id: '7', retryMs: 100 })
    sink.close()
    void sink.send({ data: 'late' })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe(
      'data: {"a":1}\n\n: still here\n\nevent: x\nid: 7\nretry: 100\ndata: two\ndata: lines\n\n',
    )
  })

  it('F111 returns a promise while the stream is not read, and counts what waits', async () => {
    const { response, sink } = await open()
    const waiting = sink.send({ data: 'x'.repeat(100_000) })
    expect(waiting).toBeInstanceOf(Promise)
    expect(sink.queuedBytes).toBeGreaterThan(100_000)
    const reader = response.body?.getReader()
    await reader?.read()
    await waiting
    expect(sink.queuedBytes).toBe(0)
    sink.close()
  })

  it('F110 reports that its reader has disconnected', async () => {
    const { response, sink, exchange } = await open()
    const gone = createDeferred()
    exchange.onGone(() => gone.resolve())
    const waiting = sink.send({ data: 'x'.repeat(100_000) })
    await response.body?.cancel()
    await Promise.all([gone.promise, waiting])
    expect([sink.isClosed, sink.send({ data: 'late' })]).toEqual([true, undefined])
  })

  it('can be cut', async () => {
    const { response, sink } = await open()
    void sink.send({ data: 'x' })
    sink.destroy()
    sink.destroy()
    await expect(response.text()).rejects.toThrow()
  })
})
