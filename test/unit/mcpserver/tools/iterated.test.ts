// Tools that yield: whatever ends them early, their iterator is closed.
import { expect, it } from 'vitest'
import type { Context } from '../../../../src/mcpserver/handlers/context.ts'
import { collectItems } from '../../../../src/mcpserver/handlers/run-handler.ts'
import { createServer, inBothEras } from '../support.ts'

inBothEras('a tool that yields', ({ connect }) => {
  it('is closed when an item has no JSON form', async () => {
    const { server, faults } = createServer()
    const events: string[] = []
    server.tool('t', {}, async function* () {
      try {
        yield 1n
        events.push('went on')
      } finally {
        events.push('closed')
      }
    })
    await using client = await connect(server)

    expect(await client.callTool('t')).toMatchObject({ isError: true })
    expect(events).toEqual(['closed'])
    expect(faults).toMatchObject([{ kind: 'handler-failed', error: expect.any(TypeError) }])
  })

  it('may yield whole results, among other values: they become one', async () => {
    const { server, faults } = createServer()
    const text = (value: string) => ({ type: 'text', text: value }) as const
    server.tool('parts', {}, async function* () {
      yield { content: [text('a'), text('b')], structuredContent: { part: 1 }, _meta: { 'example.com/part': 1 } }
      yield 'c'
      yield undefined
      yield { content: [text('d')], structuredContent: { part: 2 } }
    })
    server.tool('fails', {}, function* () {
      yield { content: [text('no such item')], isError: true }
      yield { content: [text('nothing more')] }
    })
    server.tool('wrong', {}, async function* () {
      yield { content: ['a'] }
    })
    await using client = await connect(server)
    const messages: (string | undefined)[] = []

    const parts = await client.callTool('parts', {}, { onProgress: ({ message }) => messages.push(message) })

    expect(parts.content).toEqual([text('a'), text('b'), text('c'), text('d')])
    expect(parts).toMatchObject({ structuredContent: { part: 2 }, _meta: { 'example.com/part': 1 } })
    expect(parts.isError).not.toBe(true)
    expect(messages).toEqual(['a\nb', 'c', undefined, 'd'])
    const failed = await client.callTool('fails')
    expect(failed).toMatchObject({ isError: true, content: [text('no such item'), text('nothing more')] })
    expect(faults).toEqual([])
    // As from a tool that returns it.
    expect(await client.callTool('wrong')).toMatchObject({ isError: true })
    expect(faults).toMatchObject([{ kind: 'handler-failed', error: expect.any(TypeError) }])
  })
})

const LISTENER = (signal: AbortSignal) => ({ signal, reportProgress: async () => {} }) as unknown as Context

it('fails with the reason for closing it, not with an error while closing', async () => {
  const reason = new Error('cancelled')
  const noisy = {
    [Symbol.asyncIterator]: () => noisy,
    next: async () => ({ done: false, value: 1 }),
    return: async () => {
      throw new Error('cannot be closed')
    },
  }
  await expect(collectItems(noisy, LISTENER(AbortSignal.abort(reason)))).rejects.toBe(reason)
})

it('is not closed when it has failed by itself', async () => {
  let isClosed = false
  const broken = {
    [Symbol.asyncIterator]: () => broken,
    next: async () => Promise.reject(new Error('broken')),
    return: async () => {
      isClosed = true
      return { done: true as const, value: undefined }
    },
  }
  await expect(collectItems(broken, LISTENER(new AbortController().signal))).rejects.toThrow('broken')
  expect(isClosed).toBe(false)
})
