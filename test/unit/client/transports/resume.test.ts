// Response streams that break off are resumed after their last event.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LimitError, TransportError } from '../../../../src/types/errors/failures.ts'
import { connect, failureOf, isCall } from './legacy-http.ts'
import { answerTo, EventBody, refused, type SeenRequest, TEXT } from './scripted-http.ts'

describe('a stream that breaks off', () => {
  it('C-HTTPL-06 C-HTTPL-08 F143 F146 F147 is resumed after the last event, any number of times, and every message is delivered once', async () => {
    const log = (text: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: text },
    })
    const heard: unknown[] = []
    const { client, http } = await connect(
      (request, http) => {
        if (isCall(request)) return new EventBody().prime('e0').send(log('one'), 'e1').cut().response
        if (request.headers['last-event-id'] === undefined) return undefined
        const resumes = http.requests.filter(({ headers }) => headers['last-event-id'] !== undefined).length
        // Nothing new at all, then a replay of what we had, then the rest.
        if (resumes === 1) return new EventBody().cut().response
        if (resumes === 2) return new EventBody().send(log('one'), 'e1').send(log('two'), 'e2').cut().response
        return new EventBody().send(answerTo(http.sent('tools/call')[0] as SeenRequest, TEXT), 'e3').end().response
      },
      { client: { onLog: ({ data }) => void heard.push(data) } },
    )
    await expect(client.callTool('x')).resolves.toMatchObject(TEXT)
    const resumes = http.requests.filter(({ headers }) => headers['last-event-id'] !== undefined)
    expect(resumes.map(({ headers }) => headers['last-event-id'])).toEqual(['e1', 'e1', 'e2'])
    expect(resumes.every(({ method, headers }) => method === 'GET' && headers['mcp-session-id'] === 'session-1')).toBe(
      true,
    )
    expect(heard).toEqual(['one', 'two'])
    expect(http.sent('tools/call')).toHaveLength(1)
  })

  it('is resumed after an id that came without data, and an empty id clears it', async () => {
    const tokens: string[] = []
    const { client, http } = await connect((request, http) => {
      if (isCall(request)) return new EventBody().prime('e0').write('id: e1\n\n').cut().response
      const last = request.headers['last-event-id']
      if (last === 'e1') return new EventBody().write('id: e2\nevent: other\n\n').cut().response
      if (last === 'e2') return new EventBody().write('id\n\n').cut().response
      if (request.method !== 'GET' || http.withMethod('GET').length < 4) return undefined
      return new EventBody().send(answerTo(http.sent('tools/call')[0] as SeenRequest, TEXT)).end().response
    })
    const hints = { onResumptionToken: (token: string) => void tokens.push(token) }
    await client.callTool('x', {}, { hints })
    const gets = http.withMethod('GET').slice(1)
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual(['e1', 'e2', undefined])
    expect(tokens).toEqual(['e0', 'e1', 'e2', ''])
  })

  it('F152 without an event id rejects its call at once, and nothing is retried', async () => {
    const { client, http } = await connect((request) => (isCall(request) ? new EventBody().cut().response : undefined))
    expect(await failureOf(client.callTool('x'))).toMatchObject({ code: -32000, local: true })
    expect(http.sent('tools/call')).toHaveLength(1)
    expect(http.withMethod('GET')).toHaveLength(1)
  })

  it.each([
    ['retry: 0', 100, 100],
    ['retry: 1000000000000', 60_000, 60_000],
    ['retry: -5', 200, 400],
    ['retry: soon', 200, 400],
    ['retry: 700', 700, 700],
  ])('C-HTTPL-07 F148 is resumed after a pause within reason: %s', async (line, atLeastMs, atMostMs) => {
    const { client, http } = await connect(
      (request, http) => {
        if (isCall(request)) return new EventBody().write(`${line}\n`).prime('e0').end().response
        if (request.headers['last-event-id'] === undefined) return undefined
        return new EventBody().send(answerTo(http.sent('tools/call')[0] as SeenRequest, TEXT)).end().response
      },
      { transport: { reconnect: { initialDelayMs: 400 } } },
    )
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const call = client.callTool('x')
    await vi.advanceTimersByTimeAsync(atLeastMs - 1)
    expect(http.requests.filter(({ headers }) => headers['last-event-id'] !== undefined)).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(atMostMs - atLeastMs + 1)
    await expect(call).resolves.toMatchObject(TEXT)
  })

  it('is not resumed after five failures in a row', async () => {
    const { client, http } = await connect((request) => {
      if (isCall(request)) return new EventBody().prime('e0').end().response
      return request.headers['last-event-id'] === undefined ? undefined : refused()
    })
    expect(await failureOf(client.callTool('x'))).toBeInstanceOf(TransportError)
    expect(http.requests.filter(({ headers }) => headers['last-event-id'] !== undefined)).toHaveLength(5)
  })

  it('is not resumed after a permanent error', async () => {
    const { client, http } = await connect((request) => {
      if (isCall(request)) return new EventBody().prime('e0').end().response
      return undefined
    })
    expect(await failureOf(client.callTool('x'))).toMatchObject({ status: 405 })
    expect(http.withMethod('GET')).toHaveLength(2)
  })

  it('F149 because one event is too long is not resumed', async () => {
    const { client, http } = await connect(
      (request) =>
        isCall(request)
          ? new EventBody()
              .prime('e0')
              .write(`id: e1\ndata: ${'x'.repeat(5_000)}\n\n`)
              .end().response
          : undefined,
      { transport: { maxEventBytes: 1_000 } },
    )
    expect(await failureOf(client.callTool('x'))).toBeInstanceOf(LimitError)
    expect(http.withMethod('GET')).toHaveLength(1)
  })

  it('reports its resumption tokens, with which another call resumes it', async () => {
    const tokens: string[] = []
    const { client, http } = await connect((request) => {
      if (isCall(request))
        return new EventBody().prime('e0').send({ jsonrpc: '2.0', method: 'notifications/x' }, 'e1').response
      if (request.headers['last-event-id'] !== 'e1') return undefined
      return new EventBody().send({ jsonrpc: '2.0', id: 'second', result: TEXT }).end().response
    })
    const hints = { onResumptionToken: (token: string) => void tokens.push(token) }
    const controller = new AbortController()
    const first = client.callTool('x', {}, { hints, signal: controller.signal })
    await vi.waitFor(() => expect(tokens).toEqual(['e0', 'e1']))
    controller.abort()
    await failureOf(first)
    const second = client.callTool('x', {}, { hints: { resumptionToken: 'e1' }, requestId: 'second' })
    await expect(second).resolves.toMatchObject(TEXT)
    expect(http.sent('tools/call')).toHaveLength(1)
    expect(http.sent('notifications/cancelled')).toHaveLength(0)
  })
})
