// A call that ends with the request that it is made for, without a signal being made.
import { describe, expect, it } from 'vitest'
import type { AbortListener } from '../../../src/dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'

/** As the context of a request: it ends once, and has no signal before somebody asks for one. */
function context() {
  const listeners: AbortListener[] = []
  let ended: { reason: unknown } | undefined
  return {
    get signal(): AbortSignal {
      throw new Error('A signal was made.')
    },
    onAbort(listener: AbortListener) {
      if (ended === undefined) listeners.push(listener)
      else listener(ended.reason)
    },
    end(reason: unknown) {
      ended = { reason }
      for (const listener of listeners) listener(reason)
    },
  }
}

function pair() {
  const [near, far] = createMemoryChannelPair()
  const [caller, callee] = [new JSONRPCDispatcher(near), new JSONRPCDispatcher(far)]
  const asked: string[] = []
  const cancelled: unknown[] = []
  const begun = new Promise<void>((resolve) => {
    void callee.run(
      (ctx, method) => {
        asked.push(method)
        ctx.onAbort((reason) => cancelled.push(reason))
        resolve()
        return method === 'quick' ? Promise.resolve({ done: true }) : new Promise(() => {})
      },
      async () => {},
    )
  })
  void caller.run(
    async () => ({}),
    async () => {},
  )
  return { caller, callee, asked, cancelled, begun }
}

describe('until', () => {
  it('ends the call, and tells the peer', async () => {
    const { caller, begun, cancelled, callee } = pair()
    const until = context()
    const call = caller.sendRawRequest('slow', {}, { until })
    const rejected = expect(call).rejects.toBe('left')
    await begun
    until.end('left')
    await rejected
    await expect.poll(() => cancelled.length).toBe(1)
    await Promise.all([caller.close(), callee.close()])
  })

  it('sends nothing for a request that has ended', async () => {
    const { caller, asked, callee } = pair()
    const until = context()
    until.end('gone')
    await expect(caller.sendRawRequest('slow', {}, { until })).rejects.toBe('gone')
    expect(await caller.sendRawRequest('quick')).toEqual({ done: true })
    expect(asked).toEqual(['quick'])
    await Promise.all([caller.close(), callee.close()])
  })

  it('changes nothing for a call that was answered', async () => {
    const { caller, cancelled, callee } = pair()
    const until = context()
    expect(await caller.sendRawRequest('quick', {}, { until })).toEqual({ done: true })
    until.end('late')
    expect(await caller.sendRawRequest('quick')).toEqual({ done: true })
    expect(cancelled).toEqual([])
    await Promise.all([caller.close(), callee.close()])
  })
})
