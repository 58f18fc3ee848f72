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
