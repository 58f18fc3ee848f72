// Streamable HTTP in the modern era: one POST per request, and what every kind of response means to its caller.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { type StreamableHttpOptions, streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { LimitError, TransportError } from '../../../../src/types/errors/failures.ts'
import { LATEST_MODERN_VERSION } from '../../../../src/types/protocol/versions.ts'
import {
  answerTo,
  COMPLETE,
  ENDPOINT,
  EventBody,
  error,
  json,
  never,
  refused,
  result,
  ScriptedHttp,
  type SeenRequest,
} from './scripted-http.ts'

interface SetUp {
  client?: ClientOptions
  transport?: StreamableHttpOptions
}

/** A client that takes the revision on trust, so that the first request is the one under test. */
async function connect(answer: (request: SeenRequest) => Response | Promise<Response>, options: SetUp = {}) {
  const http = new ScriptedHttp(answer)
  const faults: Fault[] = []
  const transport = streamableHttp(ENDPOINT, { fetch: http.fetch, ...options.transport })
  const client = await Client.connect(transport, {
    mode: LATEST_MODERN_VERSION,
    onFault: (fault) => faults.push(fault),
    cache: false,
    ...options.client,
  })
  onTestFinished(() => client.close())
  return { client, http, faults }
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('this should have failed'),
    (failure: unknown) => failure,
  )

describe('a flood of events instead of a response', () => {
  it.each([
    ['lines that mean nothing', 'x\n'.repeat(50_000)],
    ['comments', ':\n'.repeat(50_000)],
    ['events that are no messages', 'data: 1\n\n'.repeat(10_000)],
    ['ids', 'id: 1\n\n'.repeat(10_000)],
  ])('of %s does not keep the limits of a call from ending it', async (_what, text) => {
    const chunk = new TextEncoder().encode(text)
    let isCancelled = false
    // There is always more to read, without a wait.
    const flood = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(chunk),
        cancel: () => {
          isCancelled = true
        },
      })
    const { client } = await connect(() => new Response(flood(), { headers: { 'content-type': 'text/event-stream' } }))
    expect(await failureOf(client.callTool('x', {}, { maxTotalMs: 50 }))).toMatchObject({ code: -32001, local: true })
    await vi.waitFor(() => expect(isCancelled).toBe(true))
  })
})

describe('a request', () => {
  it('C-HTTP-01 C-HTTP-02 C-HTTP-03 C-HTTP-04 C-HTTP-05 C-HTTP-06 C-HTTP-07 C-HTTP-08 C-HTTP-14 is one POST with the headers of the revision', async () => {
    const { client, http } = await connect((request) => result(request, COMPLETE), {
      transport: { headers: { 'X-Tenant': 'blue' } },
    })
    await client.callTool('größe', { a: 1 })
    expect(http.requests).toHaveLength(1)
    expect(http.requests[0]).toMatchObject({
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': LATEST_MODERN_VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': '=?base64?Z3LDtsOfZQ==?=',
        'x-tenant': 'blue',
      },
    })
    expect(http.requests[0]?.message).toMatchObject({
      method: 'tools/call',
      params: { _meta: { 'io.modelcontextprotocol/protocolVersion': LATEST_MODERN_VERSION } },
    })
    expect(http.requests[0]?.headers).not.toHaveProperty('mcp-session-id')
    expect(http.requests[0]?.headers).not.toHaveProperty('last-event-id')
  })

  it('C-HTTP-10 C-HTTP-11 gets its response in events, progress first', async () => {
    const { client } = await connect((request) => {
      const progress = { progressToken: request.message['id'], progress: 1 }
      return new EventBody()
        .write(': hello\n\n')
        .send({ jsonrpc: '2.0', method: 'notifications/progress', params: progress })
        .send(answerTo(request, COMPLETE))
        .end().response
    })
    const order: string[] = []
    await client.callTool('x', {}, { onProgress: () => order.push('progress') }).then(() => order.push('result'))
    expect(order).toEqual(['progress', 'result'])
  })

  it('is settled by its response although the server leaves the stream open, which is then closed', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const body = new EventBody()
    const { client } = await connect((request) => body.send(answerTo(request, COMPLETE)).response)
    await client.callTool('x')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(body.isCancelled).toBe(true)
  })

  it('that cannot be written as headers is not sent', async () => {
    const { client, http } = await connect((request) => result(request, COMPLETE))
    await expect(client.callTool('x'.repeat(10_000))).rejects.toBeInstanceOf(LimitError)
    expect(http.requests).toHaveLength(0)
  })
})

describe('cancelling', () => {
  it('C-HTTP-13 aborts the POST and sends nothing, before the head of the response', async () => {
    const { client, http, faults } = await connect(never)
    const controller = new AbortController()
    const call = client.callTool('x', {}, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await vi.waitFor(() => expect(http.requests[0]?.signal?.aborted).toBe(true))
    expect(http.requests).toHaveLength(1)
    expect(faults).toEqual([])
  })

  it('C-HTTP-13 closes the stream and sends nothing, while it is being read', async () => {
    const body = new EventBody()
    const { client, http } = await connect(() => body.write(': working\n\n').response)
    const controller = new AbortController()
    const call = client.callTool('x', {}, { signal: controller.signal })
    await vi.waitFor(() => expect(http.requests).toHaveLength(1))
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await vi.waitFor(() => expect(body.isCancelled).toBe(true))
    expect(http.requests).toHaveLength(1)
  })

  it('F161 settles the caller although a custom fetch ignores the signal', async () => {
    const { client } = await connect(() => new Promise<never>(() => {}))
    await expect(client.callTool('x', {}, { timeoutMs: 5 })).rejects.toMatchObject({ code: -32001, local: true })
  })

  it('F162 leaves nothing behind, wherever the request is', async () => {
    const bodies: EventBody[] = []
    const { client, http } = await connect((request) => {
      if (http.requests.length % 2 === 0) return never(request)
      const body = new EventBody()
      bodies.push(body)
      return body.response
    })
    const calls = Array.from({ length: 100 }, () => {
      const controller = new AbortController()
      const call = client.callTool('x', {}, { signal: controller.signal }).catch(() => {})
      return { controller, call }
    })
    await vi.waitFor(() => expect(http.requests).toHaveLength(100))
    for (const { controller, call } of calls) {
      controller.abort()
      await call
    }
    await vi.waitFor(() => expect(bodies.every((body) => body.isCancelled)).toBe(true))
    expect(http.requests.every(({ signal }) => signal?.aborted)).toBe(true)
  })
})

describe('an HTTP response without a JSON-RPC response', () => {
  it.each([
    ['HTML', () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } }), 200],
    ['nothing', () => new Response('', { status: 200 }), 200],
    ['204', () => new Response(null, { status: 204 }), 204],
    ['202', () => new Response(null, { status: 202 }), 202],
    ['202 with JSON', () => json({ ok: true }, 202), 202],
    [
      'truncated JSON',
      () => new Response('{"jsonrpc":"2.0",', { headers: { 'content-type': 'application/json' } }),
      200,
    ],
    ['JSON that is no JSON-RPC', () => json({ ok: true }), 200],
    ['a JSON array', () => json([]), 200],
    ['an event that is no JSON', () => new EventBody().write('data: {oops\n\n').end().response, 200],
    ['403', () => new Response('go away', { status: 403 }), 403],
    ['413', () => new Response('', { status: 413 }), 413],
    ['431', () => new Response('', { status: 431 }), 431],
    ['500', () => new Response('<h1>Oops</h1>', { status: 500 }), 500],
  ])('C-HTTP-16 F151 is explained with its status: %s', async (_what, respond, status) => {
    const { client, http } = await connect(respond)
    const failure = await failureOf(client.callTool('x'))
    expect(failure).toBeInstanceOf(TransportError)
    expect(failure).toMatchObject({ status })
    expect(http.requests).toHaveLength(1)
  })

  it.each([502, 503, 504])('F145 R50 does not cause a retry of the call: %i', async (status) => {
    const { client, http } = await connect(() => new Response('', { status }))
    await expect(client.callTool('x')).rejects.toMatchObject({ status })
    expect(http.requests).toHaveLength(1)
  })

  it.each([
    ['the id of the request', undefined],
    ['no id', null],
  ])('but a JSON-RPC error with %s is that error, with the status behind it', async (_what, id) => {
    const { client } = await connect((request) => error(request, -32021, 400, id === null ? null : undefined))
    const failure = await failureOf(client.callTool('x'))
    expect(failure).toBeInstanceOf(MCPError)
    expect(failure).toMatchObject({ code: -32021, local: false, cause: { status: 400 } })
  })

  it.each([
    [400, undefined],
    [404, undefined],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [503, 'http-error'],
  ])('whose page is not about HTTP, unless HTTP refuses: %i', async (status, page) => {
    const { client } = await connect((request) => error(request, -32602, status))
    const { help } = (await failureOf(client.callTool('x'))) as MCPError
    expect(help).toBe(page === undefined ? undefined : `mcpwire/docs/errors/${page}.md`)
  })

  it('and a JSON-RPC error for another request is not', async () => {
    const { client } = await connect((request) => error(request, -32021, 400, 'someone-else'))
    expect(await failureOf(client.callTool('x'))).toMatchObject({ status: 400 })
  })
})

describe('a stream', () => {
  it('F152 F143 that ends without the response rejects its call at once', async () => {
    const { client } = await connect(() => new EventBody().write('data: {"jsonrpc"').end().response)
    const failure = await failureOf(client.callTool('x'))
    expect(failure).toMatchObject({ code: -32000, local: true })
    expect((failure as Error).message).toMatch(/ended without a result/)
  })

  it('F143 that breaks off rejects its call, once, and nothing is retried', async () => {
    const { client, http } = await connect(() => new EventBody().write(': hi\n\n').cut().response)
    expect(await failureOf(client.callTool('x'))).toMatchObject({ code: -32000, local: true })
    expect(http.requests).toHaveLength(1)
  })

  it.each([
    ['an answer in JSON', (message: unknown) => json(message)],
    ['an answer in events', (message: unknown) => new EventBody().send(message).end().response],
  ])('F152 F164 %s to another request rejects the call, and no other call gets it', async (_what, respond) => {
    const { client, faults, http } = await connect((request) =>
      request.message['method'] === 'tools/call'
        ? respond({ jsonrpc: '2.0', id: http.requests[0]?.message['id'], result: COMPLETE })
        : never(request),
    )
    const other = client.readResource('file:///a')
    other.catch(() => {})
    await failureOf(client.callTool('x'))
    expect(faults).toMatchObject([{ kind: 'invalid-message' }])
    expect(await Promise.race([other, Promise.resolve('still waiting')])).toBe('still waiting')
  })

  it('C-HTTP-09 F219 whose server sends requests, or notifications of other requests, continues without them', async () => {
    const { client, faults, http } = await connect(
      (request) =>
        new EventBody()
          .send({ jsonrpc: '2.0', id: 1, method: 'roots/list' })
          .send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'other', progress: 1 } })
          .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'other' } })
          .send({
            jsonrpc: '2.0',
            method: 'notifications/tools/list_changed',
            params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'listen-7' } },
          })
          .send(answerTo(request, COMPLETE))
          .end().response,
    )
    await expect(client.callTool('x')).resolves.toMatchObject(COMPLETE)
    expect(faults.map(({ kind }) => kind)).toEqual(Array.from({ length: 4 }, () => 'invalid-message'))
    // By the transport: nobody behind it has seen them.
    for (const { message } of faults) expect(message).toMatch(/^On the stream of 'tools\/call'/)
    expect(http.requests).toHaveLength(1)
  })

  it('F149 whose event is too long rejects the call that waits for it', async () => {
    const { client, http } = await connect(
      () => new EventBody().write(`data: ${'x'.repeat(5_000)}\n\n`).end().response,
      { transport: { maxEventBytes: 1_000 } },
    )
    expect(await failureOf(client.callTool('x'))).toBeInstanceOf(LimitError)
    expect(http.requests).toHaveLength(1)
  })

  it('F149 whose JSON is too long rejects the call that waits for it', async () => {
    const { client } = await connect((request) => result(request, { ...COMPLETE, pad: 'x'.repeat(5_000) }), {
      transport: { maxEventBytes: 1_000 },
    })
    expect(await failureOf(client.callTool('x'))).toBeInstanceOf(LimitError)
  })
})

describe('a server that cannot be reached', () => {
  it('F157 is an explained error', async () => {
    const { client } = await connect(refused)
    const failure = await failureOf(client.listTools())
    expect(failure).toBeInstanceOf(TransportError)
    expect((failure as Error).message).toMatch(/check that the server is running/)
  })

  it('is not retried if it never responded before', async () => {
    const { client, http } = await connect(refused)
    await failureOf(client.listTools())
    expect(http.requests).toHaveLength(1)
  })
})

describe('closing', () => {
  it('aborts everything that is open and settles every call', async () => {
    const body = new EventBody()
    const { client, http } = await connect((request) =>
      request.message['method'] === 'tools/call' ? body.response : never(request),
    )
    const calls = [client.callTool('x'), client.listTools(), client.readResource('file:///a')]
    await vi.waitFor(() => expect(http.requests).toHaveLength(3))
    const outcomes = Promise.allSettled(calls)
    await client.close()
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: -32000, local: true } })
    }
    expect(http.requests.every(({ signal }) => signal?.aborted)).toBe(true)
    expect(http.withMethod('DELETE')).toHaveLength(0)
  })
})

describe('options', () => {
  it.each(['MCP-Session-Id', 'Mcp-Method', 'Accept', 'Mcp-Param-Region'])('cannot set the header %s', (name) => {
    expect(() => streamableHttp(ENDPOINT, { headers: { [name]: 'x' } })).toThrow(TypeError)
  })

  it.each([{ maxEventBytes: 0 }, { reconnect: { maxAttempts: -1 } }, { reconnect: { initialDelayMs: Number.NaN } }])(
    '%j are refused at once',
    (options) => {
      expect(() => streamableHttp(ENDPOINT, options)).toThrow(RangeError)
    },
  )
})
