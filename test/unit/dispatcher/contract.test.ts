// The contract of a dispatcher, held by both implementations.
import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { DispatchContext, Progress } from '../../../src/dispatcher/dispatcher.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError, NoBackChannelError } from '../../../src/types/errors/errors.ts'
import { LimitError } from '../../../src/types/errors/failures.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { heapUsed, MIB } from '../../support/heap.ts'
import { connectPair, ignoreAll, pairs, refuseAll, settle } from '../../support/peers.ts'
import { volume } from '../../support/volume.ts'

afterEach(() => {
  vi.useRealTimers()
})

const echo = (_context: DispatchContext, _method: string, params: JSONObject | undefined) => ({ params })

/** A handler that never answers, and what it saw. */
function stuck() {
  const contexts: DispatchContext[] = []
  const onRequest = (context: DispatchContext) => {
    contexts.push(context)
    return new Promise<JSONObject>(() => {})
  }
  return { contexts, onRequest }
}

describe.each(pairs)('$kind dispatcher', ({ kind, createPair }) => {
  describe('calls', () => {
    it('returns what the handler returned', async () => {
      await using link = connectPair(createPair, { onRequest: (_context, method) => ({ method }) })
      expect(await link.caller.sendRawRequest('anything/at/all')).toEqual({ method: 'anything/at/all' })
    })

    it('works in both directions', async () => {
      await using link = connectPair(createPair, {
        onRequest: async (context) => ({ fromCaller: await context.sendRawRequest('roots/list') }),
        callerOnRequest: () => ({ roots: [] }),
      })
      expect(await link.caller.sendRawRequest('tools/call')).toEqual({ fromCaller: { roots: [] } })
    })

    it('sends _meta with every request, and params of a notification only where there are some', async () => {
      const notified: unknown[] = []
      await using link = connectPair(createPair, {
        onRequest: echo,
        onNotify: (_context, _method, params) => {
          notified.push(params)
        },
      })
      expect(await link.caller.sendRawRequest('a')).toEqual({ params: { _meta: {} } })
      expect(await link.caller.sendRawRequest('a', { x: 1 })).toEqual({ params: { x: 1, _meta: {} } })
      expect(await link.caller.sendRawRequest('a', { _meta: { k: 1 } })).toEqual({ params: { _meta: { k: 1 } } })
      await link.caller.notify('b')
      await link.caller.notify('b', { y: 1 })
      await settle()
      expect(notified).toEqual([undefined, { y: 1 }])
    })

    it('does not change the params that it was given', async () => {
      await using link = connectPair(createPair, { onRequest: echo })
      const params = Object.freeze({ x: 1, _meta: Object.freeze({ k: 1 }) })
      const result = await link.caller.sendRawRequest('a', params, { wantsProgress: true, requestId: 'id-1' })
      expect(result).toEqual({ params: { x: 1, _meta: { k: 1, progressToken: 'id-1' } } })
    })

    it('mints integers from 1 and steps over ids that a caller chose', async () => {
      const ids: unknown[] = []
      const gate = createDeferred()
      await using link = connectPair(createPair, {
        onRequest: async (context) => {
          ids.push(context.requestId)
          await gate.promise
          return {}
        },
      })
      const calls = [
        link.caller.sendRawRequest('a', {}, { requestId: '2' }),
        link.caller.sendRawRequest('a'),
        link.caller.sendRawRequest('a'),
      ]
      await settle()
      gate.resolve()
      await Promise.all(calls)
      expect(ids).toEqual(['2', 1, 3])
    })

    it.each([[0], [''], [-1], [2 ** 53 - 1], ['listen-1'], ['0x10']])('F046 takes the id %j', async (requestId) => {
      await using link = connectPair(createPair, { onRequest: (context) => ({ id: context.requestId }) })
      expect(await link.caller.sendRawRequest('a', {}, { requestId })).toEqual({ id: requestId })
    })

    it('refuses an id of its own that is in flight, before anything is sent', async () => {
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      const first = link.caller.sendRawRequest('a', {}, { requestId: '7' })
      first.catch(() => {})
      await expect(link.caller.sendRawRequest('a', {}, { requestId: 7 })).rejects.toThrow(RangeError)
      await settle()
      expect(contexts).toHaveLength(1)
    })

    it.each([[Number.NaN], [1.5], [2 ** 53], [true], [null]])('refuses %j as an id', async (requestId) => {
      await using link = connectPair(createPair, { onRequest: echo })
      const options = { requestId: requestId as unknown as number }
      await expect(link.caller.sendRawRequest('a', {}, options)).rejects.toThrow(TypeError)
    })

    it('bounds the number of its own requests under way', async () => {
      const { onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest, callerOptions: { maxPendingRequests: 2 } })
      for (const id of [1, 2]) link.caller.sendRawRequest('a', {}, { requestId: id }).catch(() => {})
      const refused = link.caller.sendRawRequest('a')
      await expect(refused).rejects.toThrow(LimitError)
      await expect(refused).rejects.toMatchObject({ limit: 'pending requests', max: 2 })
    })

    it('runs a handler in the asynchronous context of its caller', async () => {
      const storage = new AsyncLocalStorage<string>()
      await using link = connectPair(createPair, { onRequest: () => ({ user: storage.getStore() }) })
      const as = (user: string) => storage.run(user, () => link.caller.sendRawRequest('whoami'))
      expect(await Promise.all([as('ada'), as('grace'), as('edsger')])).toEqual([
        { user: 'ada' },
        { user: 'grace' },
        { user: 'edsger' },
      ])
    })

    it('makes no AbortController unless someone asks for a signal', async () => {
      const made = vi.spyOn(globalThis, 'AbortController')
      await using link = connectPair(createPair, { onRequest: echo })
      await link.caller.sendRawRequest('a')
      expect(made).not.toHaveBeenCalled()
      made.mockRestore()
    })
  })

  describe('errors', () => {
    it('passes an MCPError on with code, message and data', async () => {
      await using link = connectPair(createPair, {
        onRequest: () => {
          throw new MCPError(-32602, 'No such thing', { uri: 'x:y' })
        },
      })
      const failure = await link.caller.sendRawRequest('a').catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(MCPError)
      expect(failure).toMatchObject({ code: -32602, message: 'No such thing', data: { uri: 'x:y' }, local: false })
    })

    const strange: [string, unknown][] = [
      ['an Error', new Error('password=hunter2')],
      ['undefined', undefined],
      ['a string', 'password=hunter2'],
      ['an object without prototype', Object.create(null)],
      ['a frozen error', Object.freeze(new Error('password=hunter2'))],
      [
        'an error whose message throws',
        Object.defineProperty(new Error(), 'message', {
          get() {
            throw new Error('password=hunter2')
          },
        }),
      ],
      [
        'an MCPError whose message throws',
        Object.defineProperty(new MCPError(-32602, ''), 'message', {
          get() {
            throw new Error('password=hunter2')
          },
        }),
      ],
      ['a local MCPError', new MCPError(-32001, 'password=hunter2', undefined, { local: true })],
      [
        'a revoked proxy',
        (() => {
          const { proxy, revoke } = Proxy.revocable({}, {})
          revoke()
          return proxy
        })(),
      ],
    ]
    it.each(strange)('hides %s, thrown at once or later, behind one constant error', async (_name, thrown) => {
      await using link = connectPair(createPair, {
        onRequest: (_context, method) => {
          if (method === 'later') return Promise.reject(thrown)
          throw thrown
        },
      })
      for (const method of ['now', 'later']) {
        const failure = await link.caller.sendRawRequest(method).catch((error: unknown) => error)
        expect(failure).toMatchObject({ code: -32603, message: 'Internal error', data: undefined })
      }
      expect(link.faults.callee.map((fault) => fault.kind)).toEqual(['handler-failed', 'handler-failed'])
    })

    it.each([[undefined], [null], [7], ['text'], [[]], [Number.NaN]])(
      'F065 answers -32603 when a handler returns %j',
      async (value) => {
        await using link = connectPair(createPair, { onRequest: () => value as unknown as JSONObject })
        await expect(link.caller.sendRawRequest('a')).rejects.toMatchObject({ code: -32603, message: 'Internal error' })
      },
    )

    it.each([['at once'], ['later']])('F065 answers -32603 when a handler returns a revoked proxy %s', async (when) => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      await using link = connectPair(createPair, {
        onRequest: (_context, method) => {
          if (method === 'b') return {}
          return when === 'at once' ? proxy : new Promise((resolve) => setImmediate(resolve)).then(() => [proxy][0]!)
        },
        options: { maxConcurrentRequests: 1 },
      })
      await expect(link.caller.sendRawRequest('a')).rejects.toMatchObject({ code: -32603, message: 'Internal error' })
      expect(await link.caller.sendRawRequest('b')).toEqual({})
    })

    it('leaves other calls alone when one fails', async () => {
      const gate = createDeferred()
      await using link = connectPair(createPair, {
        onRequest: async (_context, method) => {
          if (method === 'bad') throw new Error('x')
          await gate.promise
          return { fine: true }
        },
      })
      const bystander = link.caller.sendRawRequest('good')
      await expect(link.caller.sendRawRequest('bad')).rejects.toMatchObject({ code: -32603 })
      gate.resolve()
      expect(await bystander).toEqual({ fine: true })
    })
  })

  describe('time', () => {
    it('gives a call up after the time allowed, tells the peer, and marks the error as its own', async () => {
      vi.useFakeTimers()
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      const call = link.caller.sendRawRequest('slow', {}, { timeoutMs: 50 })
      const failure = call.catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(49)
      expect(contexts[0]!.signal.aborted).toBe(false)
      await vi.advanceTimersByTimeAsync(2)
      expect(await failure).toMatchObject({ code: -32001, local: true })
      expect((await failure) as Error).toHaveProperty(
        'message',
        "Request 'slow' timed out after 50 ms without a sign of life",
      )
      expect(contexts[0]!.signal.aborted).toBe(true)
    })

    it('has a timeout by default', async () => {
      vi.useFakeTimers()
      const { onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      const failure = link.caller.sendRawRequest('slow').catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(60_001)
      expect(await failure).toMatchObject({ code: -32001 })
    })

    it('counts the time from the last progress', async () => {
      vi.useFakeTimers()
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      let failure: unknown
      link.caller.sendRawRequest('slow', {}, { timeoutMs: 50, wantsProgress: true }).catch((error) => {
        failure = error
      })
      await vi.advanceTimersByTimeAsync(1)
      for (let step = 1; step <= 5; step++) {
        await vi.advanceTimersByTimeAsync(40)
        await contexts[0]!.reportProgress(step)
      }
      await vi.advanceTimersByTimeAsync(40)
      expect(failure).toBeUndefined()
      await vi.advanceTimersByTimeAsync(20)
      expect(failure).toMatchObject({ code: -32001 })
    })

    it('F080 ends a call at its total deadline, however much progress there is', async () => {
      vi.useFakeTimers()
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      const options = { timeoutMs: 50, maxTotalMs: 100, wantsProgress: true }
      const failure = link.caller.sendRawRequest('slow', {}, options).catch((error: unknown) => error)
      for (let step = 1; step <= 10; step++) {
        await vi.advanceTimersByTimeAsync(15)
        await contexts[0]!.reportProgress(step)
      }
      expect(await failure).toMatchObject({ code: -32001, message: expect.stringContaining('within 100 ms in all') })
    })

    it.each([[-1], [Number.NaN], [-Infinity]])('F081 refuses %d as a timeout', async (timeoutMs) => {
      await using link = connectPair(createPair, { onRequest: echo })
      await expect(link.caller.sendRawRequest('a', {}, { timeoutMs })).rejects.toThrow(RangeError)
      await expect(link.caller.sendRawRequest('a', {}, { maxTotalMs: timeoutMs })).rejects.toThrow(RangeError)
    })

    it('F081 waits for timeouts beyond what a timer can hold', async () => {
      vi.useFakeTimers()
      const { onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      let failure: unknown
      link.caller.sendRawRequest('a', {}, { timeoutMs: 2 ** 31 }).catch((error) => {
        failure = error
      })
      await vi.advanceTimersByTimeAsync(2 ** 31 - 1)
      expect(failure).toBeUndefined()
      await vi.advanceTimersByTimeAsync(2)
      expect(failure).toMatchObject({ code: -32001 })
    })

    it('never times out with Infinity, and at once with 0', async () => {
      vi.useFakeTimers()
      const { onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      let failure: unknown
      link.caller.sendRawRequest('a', {}, { timeoutMs: Infinity }).catch((error) => {
        failure = error
      })
      const atOnce = link.caller.sendRawRequest('a', {}, { timeoutMs: 0 }).catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(1)
      expect(await atOnce).toMatchObject({ code: -32001 })
      await vi.advanceTimersByTimeAsync(2 ** 31)
      expect(failure).toBeUndefined()
    })

    it('F208 takes no notice of the system clock', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
      const { onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      let failure: unknown
      link.caller.sendRawRequest('a', {}, { timeoutMs: 50 }).catch((error) => {
        failure = error
      })
      vi.setSystemTime(Date.now() + 3_600_000)
      await vi.advanceTimersByTimeAsync(40)
      expect(failure).toBeUndefined()
      vi.setSystemTime(Date.now() - 7_200_000)
      await vi.advanceTimersByTimeAsync(20)
      expect(failure).toMatchObject({ code: -32001 })
    })

    it('stops the clock of a call while it answers a question of the peer', async () => {
      vi.useFakeTimers()
      const question = createDeferred<JSONObject>()
      await using link = connectPair(createPair, {
        onRequest: async (context) => ({ answer: await context.sendRawRequest('elicit', {}, { timeoutMs: Infinity }) }),
        callerOnRequest: () => question.promise,
        callerOptions: { holdTimeoutsWhileAnswering: true },
      })
      const call = link.caller.sendRawRequest('ask', {}, { timeoutMs: 50 })
      await vi.advanceTimersByTimeAsync(10_000)
      question.resolve({ yes: true })
      expect(await call).toEqual({ answer: { yes: true } })
    })
  })

  it('starts the clock of a call again when the peer takes its question back', async () => {
    vi.useFakeTimers()
    const asking = new AbortController()
    await using link = connectPair(createPair, {
      onRequest: async (context) => {
        const options = { timeoutMs: Infinity, signal: asking.signal }
        await context.sendRawRequest('elicit', {}, options).catch(() => {})
        return new Promise(() => {})
      },
      // Ignores that nobody wants to know any more.
      callerOnRequest: () => new Promise(() => {}),
      callerOptions: { holdTimeoutsWhileAnswering: true },
    })
    let failure: unknown
    link.caller.sendRawRequest('ask', {}, { timeoutMs: 50 }).catch((error) => {
      failure = error
    })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(failure).toBeUndefined()
    asking.abort()
    await vi.advanceTimersByTimeAsync(51)
    expect(failure).toMatchObject({ code: -32001 })
  })

  it('stops the clock of a call for the second question too, after the first was taken back, answered or failed', async () => {
    vi.useFakeTimers()
    const asking = new AbortController()
    const questions: ReturnType<typeof createDeferred<JSONObject>>[] = []
    await using link = connectPair(createPair, {
      onRequest: async (context) => {
        const ask = (signal?: AbortSignal) =>
          context.sendRawRequest('elicit', {}, { timeoutMs: Infinity, signal }).catch(() => ({}))
        await ask(asking.signal)
        await ask()
        await ask()
        return { answer: await ask() }
      },
      callerOnRequest: () => {
        const question = createDeferred<JSONObject>()
        questions.push(question)
        return question.promise
      },
      callerOptions: { holdTimeoutsWhileAnswering: true },
    })
    const call = link.caller.sendRawRequest('ask', {}, { timeoutMs: 50 })
    await vi.advanceTimersByTimeAsync(1_000)
    asking.abort()
    // The callback of the question that was taken back ends in the middle of the next one.
    await vi.advanceTimersByTimeAsync(10)
    questions[0]!.resolve({})
    await vi.advanceTimersByTimeAsync(1_000)
    questions[1]!.reject(new Error('no'))
    await vi.advanceTimersByTimeAsync(1_000)
    questions[2]!.resolve({})
    await vi.advanceTimersByTimeAsync(1_000)
    questions[3]!.resolve({ yes: true })
    expect(await call).toEqual({ answer: { yes: true } })
  })

  it('counts the time again after the second question as after the first', async () => {
    vi.useFakeTimers()
    const questions: ReturnType<typeof createDeferred<JSONObject>>[] = []
    await using link = connectPair(createPair, {
      onRequest: async (context) => {
        for (let n = 0; n < 2; n++) await context.sendRawRequest('elicit', {}, { timeoutMs: Infinity })
        return new Promise(() => {})
      },
      callerOnRequest: () => {
        const question = createDeferred<JSONObject>()
        questions.push(question)
        return question.promise
      },
      callerOptions: { holdTimeoutsWhileAnswering: true },
    })
    let failure: unknown
    link.caller.sendRawRequest('ask', {}, { timeoutMs: 50 }).catch((error) => {
      failure = error
    })
    for (let n = 0; n < 2; n++) {
      await vi.advanceTimersByTimeAsync(1_000)
      expect(failure).toBeUndefined()
      questions[n]!.resolve({})
    }
    await vi.advanceTimersByTimeAsync(51)
    expect(failure).toMatchObject({ code: -32001 })
  })

  describe('cancellation', () => {
    it('rejects with the reason of the signal and aborts the handler', async () => {
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      const controller = new AbortController()
      const call = link.caller.sendRawRequest('a', {}, { signal: controller.signal })
      await settle()
      const reason = new Error('changed my mind')
      controller.abort(reason)
      await expect(call).rejects.toBe(reason)
      await settle()
      expect(contexts[0]!.signal.aborted).toBe(true)
      expect(link.faults.caller).toEqual([])
    })

    it('tells whoever listens for the abort, once, with the reason, and needs no AbortController for that', async () => {
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      const controller = new AbortController()
      const call = link.caller.sendRawRequest('a', {}, { signal: controller.signal })
      call.catch(() => {})
      await settle()
      const made = vi.spyOn(globalThis, 'AbortController')
      const told: unknown[] = []
      contexts[0]!.onAbort((reason) => told.push(['first', reason]))
      contexts[0]!.onAbort((reason) => told.push(['second', reason]))
      controller.abort('enough')
      await settle()
      expect(told.map((one) => (one as [string, unknown])[0])).toEqual(['first', 'second'])
      contexts[0]!.onAbort((reason) => told.push(['late', reason]))
      expect(told).toHaveLength(3)
      expect(made).not.toHaveBeenCalled()
      made.mockRestore()
      const { reason } = contexts[0]!.signal
      expect(told).toEqual(['first', 'second', 'late'].map((name) => [name, reason]))
    })

    it('F095 sends nothing when the signal is aborted already', async () => {
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      await expect(link.caller.sendRawRequest('a', {}, { signal: AbortSignal.abort('no') })).rejects.toBe('no')
      await settle()
      expect(contexts).toEqual([])
    })

    it('F076 drops the answer to a cancelled call without a word', async () => {
      const gate = createDeferred()
      await using link = connectPair(createPair, {
        // The peer does not know of the cancellation, so it answers.
        onRequest: async () => {
          await gate.promise
          return {}
        },
      })
      const controller = new AbortController()
      const call = link.caller.sendRawRequest('a', {}, { signal: controller.signal, cancelOnAbandon: false })
      call.catch(() => {})
      await settle()
      controller.abort(new Error('enough'))
      gate.resolve()
      await settle()
      await expect(call).rejects.toThrow('enough')
      expect(link.faults.caller).toEqual([])
    })

    it('F074 sends nothing for a handler that returns, or throws, after it was cancelled', async () => {
      const gate = createDeferred()
      const outcomes: JSONObject[] = []
      await using link = connectPair(createPair, {
        onRequest: async (_context, method) => {
          await gate.promise
          if (method === 'throws') throw new Error('late')
          return { late: true }
        },
      })
      const controller = new AbortController()
      for (const method of ['returns', 'throws']) {
        link.caller.sendRawRequest(method, {}, { signal: controller.signal }).then(
          (result) => outcomes.push(result),
          () => {},
        )
      }
      await settle()
      controller.abort()
      await settle()
      gate.resolve()
      await settle()
      expect(outcomes).toEqual([])
      expect(link.faults).toEqual({ caller: [], callee: [] })
    })

    it('does not tell the peer when the method forbids it', async () => {
      const { contexts, onRequest } = stuck()
      const notified: string[] = []
      await using link = connectPair(createPair, {
        onRequest,
        onNotify: (_context, method) => {
          notified.push(method)
        },
      })
      const controller = new AbortController()
      const call = link.caller.sendRawRequest('initialize', {}, { signal: controller.signal, cancelOnAbandon: false })
      await settle()
      controller.abort(new Error('stop'))
      await expect(call).rejects.toThrow('stop')
      await settle()
      expect(contexts[0]!.signal.aborted).toBe(false)
      expect(notified).toEqual([])
    })

    it('offers the cancellation to the notification handler too', async () => {
      const { onRequest } = stuck()
      const notified: unknown[] = []
      await using link = connectPair(createPair, {
        onRequest,
        onNotify: (_context, method, params) => {
          notified.push([method, params])
        },
      })
      const controller = new AbortController()
      const call = link.caller.sendRawRequest('a', {}, { signal: controller.signal, requestId: 'r1' })
      call.catch(() => {})
      await settle()
      controller.abort()
      await settle()
      expect(notified).toEqual([['notifications/cancelled', { requestId: 'r1', reason: 'caller cancelled' }]])
    })

    it.each([[{ requestId: 99 }], [{ requestId: true }], [{ requestId: null }], [{}], [undefined]])(
      'F078 ignores a cancellation of %j',
      async (params) => {
        const { contexts, onRequest } = stuck()
        await using link = connectPair(createPair, { onRequest })
        link.caller.sendRawRequest('a').catch(() => {})
        await settle()
        await link.caller.notify('notifications/cancelled', params)
        await settle()
        expect(contexts[0]!.signal.aborted).toBe(false)
      },
    )

    it('takes the id as it was written: 12 and "12" are two requests', async () => {
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      link.caller.sendRawRequest('a', {}, { requestId: 12 }).catch(() => {})
      await settle()
      await link.caller.notify('notifications/cancelled', { requestId: '12' })
      await settle()
      expect(contexts[0]!.signal.aborted).toBe(false)
      await link.caller.notify('notifications/cancelled', { requestId: 12 })
      await settle()
      expect(contexts[0]!.signal.aborted).toBe(true)
    })

    it('F079 never starts a request that was cancelled while it waited in line', async () => {
      const started: string[] = []
      const gate = createDeferred()
      await using link = connectPair(createPair, {
        onRequest: async (_context, method) => {
          started.push(method)
          await gate.promise
          return {}
        },
        options: { maxConcurrentRequests: 1 },
      })
      const controller = new AbortController()
      const first = link.caller.sendRawRequest('first')
      const second = link.caller.sendRawRequest('second', {}, { signal: controller.signal })
      const third = link.caller.sendRawRequest('third')
      second.catch(() => {})
      await settle()
      controller.abort()
      await settle()
      gate.resolve()
      await Promise.all([first, third])
      expect(started).toEqual(['first', 'third'])
    })

    it('F079 gives the place in line of a cancelled request to another', async () => {
      const gate = createDeferred()
      await using link = connectPair(createPair, {
        onRequest: async () => {
          await gate.promise
          return { fine: true }
        },
        callerOnRequest: () => new Promise(() => {}),
        options: { maxConcurrentRequests: 1, maxWaitingBytes: 1_200 },
      })
      // The callee waits for its peer, so it must go on reading whatever comes.
      link.callee.sendRawRequest('back').catch(() => {})
      const first = link.caller.sendRawRequest('first')
      for (let n = 0; n < 3; n++) {
        const controller = new AbortController()
        link.caller.sendRawRequest('second', {}, { signal: controller.signal }).catch(() => {})
        await settle()
        controller.abort()
        await settle()
      }
      const third = link.caller.sendRawRequest('third')
      await settle()
      gate.resolve()
      expect(await Promise.all([first, third])).toEqual([{ fine: true }, { fine: true }])
    })

    it('F079 never starts a request that is cancelled at the moment when its turn comes', async () => {
      const started: string[] = []
      const gate = createDeferred<JSONObject>()
      await using link = connectPair(createPair, {
        onRequest: (_context, method) => {
          started.push(method)
          return method === 'first' ? gate.promise : {}
        },
        options: { maxConcurrentRequests: 1 },
      })
      const first = link.caller.sendRawRequest('first')
      link.caller.sendRawRequest('second', {}, { requestId: 'second' }).catch(() => {})
      const third = link.caller.sendRawRequest('third')
      await settle()
      gate.resolve({})
      // Comes right behind the end of the first one, which lets the second one start.
      void gate.promise.then(() => link.caller.notify('notifications/cancelled', { requestId: 'second' }))
      if (kind === 'JSON-RPC') void link.caller.notify('notifications/cancelled', { requestId: 'second' })
      await Promise.all([first, third])
      expect(started).toEqual(['first', 'third'])
    })

    it('never takes the late answer to a call for the answer to a new one', async () => {
      const gates: (() => void)[] = []
      await using link = connectPair(createPair, {
        onRequest: (_context, method) => new Promise((resolve) => gates.push(() => resolve({ method }))),
      })
      const controller = new AbortController()
      const options = { requestId: 1, signal: controller.signal, cancelOnAbandon: false }
      link.caller.sendRawRequest('old', {}, options).catch(() => {})
      await settle()
      controller.abort()
      const fresh = link.caller.sendRawRequest('new')
      await settle()
      for (const open of gates) open()
      expect(await fresh).toEqual({ method: 'new' })
    })

    it('sends no progress for a request that was cancelled', async () => {
      const notified: string[] = []
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, {
        onRequest,
        callerOnNotify: (_context, method) => {
          notified.push(method)
        },
      })
      const controller = new AbortController()
      const options = { signal: controller.signal, wantsProgress: true }
      link.caller.sendRawRequest('a', {}, options).catch(() => {})
      await settle()
      controller.abort()
      await settle()
      await contexts[0]!.reportProgress(1)
      await settle()
      expect(notified).toEqual([])
    })

    it('F096 leaves no listener behind on a signal that many calls shared', async () => {
      await using link = connectPair(createPair, { onRequest: echo })
      const { signal } = new AbortController()
      const added = vi.spyOn(signal, 'addEventListener')
      const removed = vi.spyOn(signal, 'removeEventListener')
      for (let round = 0; round < 50; round++) {
        await Promise.all(Array.from({ length: 200 }, () => link.caller.sendRawRequest('a', {}, { signal })))
      }
      expect(added.mock.calls.length).toBeGreaterThan(0)
      expect(removed).toHaveBeenCalledTimes(added.mock.calls.length)
    })

    it('F077 settles once when answer, abort and timeout come together', async () => {
      vi.useFakeTimers()
      let settlements = 0
      await using link = connectPair(createPair, {
        onRequest: () => new Promise<JSONObject>((resolve) => setTimeout(() => resolve({}), 10)),
      })
      for (let round = 0; round < 60; round++) {
        const controller = new AbortController()
        setTimeout(() => controller.abort(), round % 3 === 0 ? 9 : 10)
        link.caller.sendRawRequest('a', {}, { signal: controller.signal, timeoutMs: round % 2 === 0 ? 10 : 11 }).then(
          () => (settlements += 1),
          () => (settlements += 1),
        )
      }
      await vi.advanceTimersByTimeAsync(50)
      expect(settlements).toBe(60)
      expect(link.faults.caller).toEqual([])
    })
  })

  describe('progress', () => {
    it('asks for progress exactly where a callback is given or the caller wants it', async () => {
      await using link = connectPair(createPair, { onRequest: echo })
      const token = async (options: object) => {
        const result = (await link.caller.sendRawRequest('a', {}, options)) as { params: { _meta: JSONObject } }
        return result.params._meta
      }
      expect(await token({})).toEqual({})
      expect(await token({ onProgress: () => {}, requestId: 5 })).toEqual({ progressToken: 5 })
      expect(await token({ wantsProgress: true, requestId: 'x' })).toEqual({ progressToken: 'x' })
    })

    it('F083 delivers all progress, in order, before the call resolves', async () => {
      const events: unknown[] = []
      await using link = connectPair(createPair, {
        onRequest: (context) => {
          for (let step = 1; step <= 100; step++) void context.reportProgress(step, 100, `step ${step}`)
          return { done: true }
        },
      })
      const onProgress = (progress: Progress) => events.push(progress.progress)
      events.push(await link.caller.sendRawRequest('a', {}, { onProgress }))
      expect(events).toEqual([...Array.from({ length: 100 }, (_, index) => index + 1), { done: true }])
    })

    it('says nothing to a caller that did not ask', async () => {
      const notified: string[] = []
      await using link = connectPair(createPair, {
        onRequest: async (context) => {
          await context.reportProgress(1)
          return {}
        },
        callerOnNotify: (_context, method) => {
          notified.push(method)
        },
      })
      await link.caller.sendRawRequest('a')
      expect(notified).toEqual([])
    })

    it('F082 ignores progress that is unknown, late, not a number or not increasing, and never throws', async () => {
      const seen: Progress[] = []
      await using link = connectPair(createPair, {
        onRequest: async (context) => {
          const send = (params: JSONObject) => context.notify('notifications/progress', params)
          await send({ progressToken: 'other', progress: 1 })
          await send({ progressToken: true, progress: 1 })
          await send({ progressToken: 'me', progress: true })
          await send({ progressToken: 'me', progress: '2' })
          await send({ progressToken: 'me' })
          await send({ progressToken: 'me', progress: 2, total: 'x', message: 7 })
          await send({ progressToken: 'me', progress: 2 })
          await send({ progressToken: 'me', progress: 1 })
          await send({ progressToken: 'me', progress: 2.5, total: 3, message: 'nearly' })
          return {}
        },
      })
      await link.caller.sendRawRequest('a', {}, { requestId: 'me', onProgress: (progress) => seen.push(progress) })
      await link.callee.notify('notifications/progress', { progressToken: 'me', progress: 9 })
      await settle()
      expect(seen).toEqual([{ progress: 2 }, { progress: 2.5, total: 3, message: 'nearly' }])
    })

    it('contains a callback that throws or rejects', async () => {
      await using link = connectPair(createPair, {
        onRequest: async (context) => {
          await context.reportProgress(1)
          await context.reportProgress(2)
          return { fine: true }
        },
      })
      const onProgress = ({ progress }: Progress) => {
        if (progress === 1) throw new Error('sync')
        return Promise.reject(new Error('async')) as unknown as undefined
      }
      expect(await link.caller.sendRawRequest('a', {}, { onProgress })).toEqual({ fine: true })
      await settle()
      expect(link.faults.caller.map(({ kind }) => kind)).toEqual(['callback-failed', 'callback-failed'])
    })
  })

  describe('notifications', () => {
    it('start in the order received, and before the answer that came after them', async () => {
      const events: unknown[] = []
      await using link = connectPair(createPair, {
        onRequest: async (context) => {
          for (const n of [1, 2, 3]) await context.notify('n', { n })
          return {}
        },
        callerOnNotify: (_context, _method, params) => {
          events.push(params?.['n'])
        },
      })
      await link.caller.sendRawRequest('a')
      events.push('answer')
      expect(events).toEqual([1, 2, 3, 'answer'])
    })

    it('F086 contain a handler that throws, rejects or never ends', async () => {
      const seen: string[] = []
      await using link = connectPair(createPair, {
        onRequest: echo,
        onNotify: (_context, method) => {
          seen.push(method)
          if (method === 'throws') throw new Error('x')
          if (method === 'rejects') return Promise.reject(new Error('y'))
          if (method === 'hangs') return new Promise(() => {})
          return undefined
        },
      })
      for (const method of ['throws', 'rejects', 'hangs', 'fine']) await link.caller.notify(method)
      await link.caller.sendRawRequest('a')
      await settle()
      expect(seen).toEqual(['throws', 'rejects', 'hangs', 'fine'])
      expect(link.faults.callee.map(({ kind }) => kind)).toEqual(['notification-failed', 'notification-failed'])
    })

    it('F085 stay bounded in a flood of handlers that never end, while calls get through', async () => {
      let started = 0
      await using link = connectPair(createPair, {
        onRequest: () => ({ alive: true }),
        onNotify: () => {
          started += 1
          return new Promise(() => {})
        },
        options: { maxNotificationHandlers: 10 },
        callerOnRequest: () => new Promise(() => {}),
      })
      // While the callee waits for its peer it must not ask the channel to pause, so the rest is dropped.
      link.callee.sendRawRequest('back').catch(() => {})
      await settle()
      for (let n = 0; n < 1000; n++) void link.caller.notify('n')
      await settle()
      expect(started).toBe(20)
      expect(link.faults.callee.map(({ kind }) => kind)).toContain('overflow')
      expect(await link.caller.sendRawRequest('a')).toEqual({ alive: true })
    })

    it('F085 take no memory in a flood, however long it lasts', async () => {
      let heard = 0
      await using link = connectPair(createPair, {
        onRequest: () => ({ alive: true }),
        onNotify: () => {
          heard += 1
        },
      })
      const flood = async (count: number) => {
        for (let n = 0; n < count; n++) await link.caller.notify('n', { n })
        expect(await link.caller.sendRawRequest('a')).toEqual({ alive: true })
      }
      await flood(5_000)
      const before = await heapUsed()
      const count = volume(50_000, 1_000_000)
      await flood(count)
      expect(heard).toBe(count + 5_000)
      expect((await heapUsed()) - before).toBeLessThan(MIB)
    })
  })

  describe('concurrency', () => {
    it('works on so many requests at once, the rest in line, in order', async () => {
      const gates = Array.from({ length: 6 }, () => createDeferred())
      const started: number[] = []
      await using link = connectPair(createPair, {
        onRequest: async (_context, _method, params) => {
          const n = params?.['n'] as number
          started.push(n)
          await gates[n]!.promise
          return { n }
        },
        options: { maxConcurrentRequests: 2 },
      })
      const calls = gates.map((_, n) => link.caller.sendRawRequest('a', { n }))
      await settle()
      expect(started).toEqual([0, 1])
      for (const gate of gates) {
        gate.resolve()
        await settle()
      }
      expect(await Promise.all(calls)).toEqual(gates.map((_, n) => ({ n })))
      expect(started).toEqual([0, 1, 2, 3, 4, 5])
    })

    it('refuses what does not fit into the line, and leaves the others alone', async () => {
      const gate = createDeferred()
      await using link = connectPair(createPair, {
        onRequest: async () => {
          await gate.promise
          return {}
        },
        callerOnRequest: () => new Promise(() => {}),
        options: { maxConcurrentRequests: 1, maxWaitingBytes: 2_400 },
      })
      // The callee waits for its peer, so it must go on reading whatever comes.
      link.callee.sendRawRequest('back').catch(() => {})
      const calls = Array.from({ length: 5 }, () => link.caller.sendRawRequest('a'))
      const outcomes = Promise.allSettled(calls)
      await settle()
      gate.resolve()
      const statuses = (await outcomes).map((outcome) =>
        outcome.status === 'fulfilled' ? 'ok' : (outcome.reason as MCPError).code,
      )
      expect(statuses).toEqual(['ok', 'ok', 'ok', -32603, -32603])
    })

    it('holds back what came after an inline request until that is done', async () => {
      const gate = createDeferred()
      const events: string[] = []
      await using link = connectPair(createPair, {
        onRequest: async (_context, method) => {
          events.push(`start ${method}`)
          if (method === 'initialize') {
            await gate.promise
            events.push('committed')
          }
          return {}
        },
        onNotify: (_context, method) => {
          events.push(method)
        },
        options: { inlineMethods: ['initialize'] },
      })
      const calls = [link.caller.sendRawRequest('initialize')]
      void link.caller.notify('initialized')
      calls.push(link.caller.sendRawRequest('tools/list'))
      await settle()
      expect(events).toEqual(['start initialize'])
      gate.resolve()
      await Promise.all(calls)
      expect(events).toEqual(['start initialize', 'committed', 'initialized', 'start tools/list'])
    })

    it('holds back what came after an inline request that has to wait in line itself', async () => {
      const gates = new Map<string, () => void>()
      const events: string[] = []
      await using link = connectPair(createPair, {
        onRequest: (_context, method) => {
          events.push(method)
          return new Promise((resolve) => gates.set(method, () => resolve({})))
        },
        onNotify: (_context, method) => {
          events.push(method)
        },
        options: { inlineMethods: ['inline'], maxConcurrentRequests: 2 },
      })
      const calls = ['first', 'second', 'inline', 'after'].map((method) => link.caller.sendRawRequest(method))
      void link.caller.notify('n')
      await settle()
      for (const method of ['first', 'second']) {
        gates.get(method)!()
        await settle()
      }
      expect(events).toEqual(['first', 'second', 'inline'])
      for (const method of ['inline', 'after']) {
        gates.get(method)!()
        await settle()
      }
      await Promise.all(calls)
      expect(events).toEqual(['first', 'second', 'inline', 'after', 'n'])
    })

    it('holds nothing back any longer when an inline request is cancelled in line', async () => {
      const gate = createDeferred<JSONObject>()
      const events: string[] = []
      await using link = connectPair(createPair, {
        onRequest: (_context, method) => {
          events.push(method)
          return method === 'first' ? gate.promise : {}
        },
        options: { inlineMethods: ['inline'], maxConcurrentRequests: 1 },
      })
      const controller = new AbortController()
      const first = link.caller.sendRawRequest('first')
      link.caller.sendRawRequest('inline', {}, { signal: controller.signal }).catch(() => {})
      const after = link.caller.sendRawRequest('after')
      await settle()
      controller.abort()
      await settle()
      gate.resolve({})
      await Promise.all([first, after])
      expect(events).toEqual(['first', 'after'])
    })

    it('keeps the order when what was held back brings about more', async () => {
      const gate = createDeferred<JSONObject>()
      const events: string[] = []
      await using link = connectPair(createPair, {
        onRequest: () => gate.promise,
        onNotify: (context, method) => {
          events.push(method)
          if (method === 'n1') void context.notify('more')
        },
        callerOnNotify: () => {
          void link.caller.notify('n3')
        },
        options: { inlineMethods: ['inline'] },
      })
      const call = link.caller.sendRawRequest('inline')
      void link.caller.notify('n1')
      void link.caller.notify('n2')
      await settle()
      gate.resolve({})
      await call
      await settle()
      expect(events).toEqual(['n1', 'n2', 'n3'])
    })

    it('lets any number of calls wait that weigh little, and answers all of them', async () => {
      const gate = createDeferred()
      let started = 0
      await using link = connectPair(createPair, {
        onRequest: async () => {
          started += 1
          await gate.promise
          return {}
        },
      })
      const calls = Array.from({ length: 10_000 }, () => link.caller.sendRawRequest('a'))
      await settle()
      expect(started).toBe(256)
      gate.resolve()
      expect(await Promise.all(calls)).toHaveLength(10_000)
    })

    it('refuses by what waits, not by how many, and names the limit', async () => {
      const gate = createDeferred()
      await using link = connectPair(createPair, {
        onRequest: async () => {
          await gate.promise
          return {}
        },
        options: { maxConcurrentRequests: 1, maxWaitingBytes: 100_000 },
      })
      const first = link.caller.sendRawRequest('first')
      const small = Array.from({ length: 10 }, () => link.caller.sendRawRequest('small'))
      const large = link.caller.sendRawRequest('large', { text: 'x'.repeat(100_000) })
      await expect(large).rejects.toMatchObject({ code: -32603, data: { limit: 'maxWaitingBytes', max: 100_000 } })
      const fitting = link.caller.sendRawRequest('fits', { text: 'x'.repeat(50_000) })
      gate.resolve()
      expect(await Promise.all([first, ...small, fitting])).toHaveLength(12)
    })

    it.each(['a line that is full', 'an inline request'])(
      'hears of cancellation and answers urgent requests behind %s',
      async (what) => {
        const contexts: DispatchContext[] = []
        const isInline = what === 'an inline request'
        await using link = connectPair(createPair, {
          onRequest: (context, method) => {
            if (method === 'ping') return {}
            contexts.push(context)
            return new Promise(() => {})
          },
          options: {
            maxConcurrentRequests: 1,
            maxWaitingBytes: 3_000,
            urgentMethods: ['ping'],
            ...(isInline && { inlineMethods: ['hang'] }),
          },
        })
        const controller = new AbortController()
        link.caller.sendRawRequest('hang', {}, { signal: controller.signal }).catch(() => {})
        const refused: unknown[] = []
        for (let n = 0; n < 10; n++) link.caller.sendRawRequest('hang').catch((error: unknown) => refused.push(error))
        expect(await link.caller.sendRawRequest('ping')).toEqual({})
        expect(contexts).toHaveLength(1)
        expect(refused).toHaveLength(8)
        controller.abort()
        await vi.waitFor(() => expect(contexts[0]!.signal.aborted).toBe(true))
        // The place is free although the handler goes on. What an inline request holds back waits for its handler all the same.
        await vi.waitFor(() => expect(contexts).toHaveLength(isInline ? 1 : 2))
      },
    )

    it('lets only so many urgent requests past the line', async () => {
      let started = 0
      await using link = connectPair(createPair, {
        onRequest: () => {
          started += 1
          return new Promise(() => {})
        },
        options: { maxConcurrentRequests: 1, urgentMethods: ['ping'] },
      })
      for (let n = 0; n < 100; n++) link.caller.sendRawRequest('ping').catch(() => {})
      await settle()
      expect(started).toBe(1 + 64)
    })

    it('does not start any number of handlers for a peer that cancels', async () => {
      let started = 0
      await using link = connectPair(createPair, {
        onRequest: () => {
          started += 1
          return new Promise(() => {})
        },
        options: { maxConcurrentRequests: 2 },
      })
      for (let n = 0; n < 2_000; n++) {
        const controller = new AbortController()
        link.caller.sendRawRequest('a', {}, { signal: controller.signal }).catch(() => {})
        if (n % 100 === 0) await settle()
        controller.abort()
      }
      await settle()
      expect(started).toBeLessThanOrEqual(1_024 + 2)
    })

    it('works without a line', async () => {
      const gate = createDeferred()
      await using link = connectPair(createPair, {
        onRequest: async () => {
          await gate.promise
          return {}
        },
        options: { maxConcurrentRequests: 1, maxWaitingBytes: 0 },
      })
      const first = link.caller.sendRawRequest('a')
      await expect(link.caller.sendRawRequest('a')).rejects.toMatchObject({ code: -32603 })
      gate.resolve()
      expect(await first).toEqual({})
      expect(await link.caller.sendRawRequest('a')).toEqual({})
    })

    it('lets an inline request ask the peer something', async () => {
      await using link = connectPair(createPair, {
        onRequest: async (context) => ({ asked: await context.sendRawRequest('ping') }),
        callerOnRequest: () => ({ pong: true }),
        options: { inlineMethods: ['initialize'] },
      })
      expect(await link.caller.sendRawRequest('initialize')).toEqual({ asked: { pong: true } })
    })
  })

  describe('the way back', () => {
    it('ends with the handler', async () => {
      let kept: DispatchContext | undefined
      const notified: string[] = []
      await using link = connectPair(createPair, {
        onRequest: (context) => {
          kept = context
          return {}
        },
        callerOnNotify: (_context, method) => {
          notified.push(method)
        },
      })
      await link.caller.sendRawRequest('a')
      await settle()
      expect(kept!.canSendRequest).toBe(false)
      await expect(kept!.sendRawRequest('ping')).rejects.toThrow(NoBackChannelError)
      await kept!.notify('late')
      await settle()
      expect(notified).toEqual([])
    })
  })

  it('ends the way back of a notification with its handler, too', async () => {
    const kept: DispatchContext[] = []
    const gate = createDeferred()
    await using link = connectPair(createPair, {
      onNotify: (context, method) => {
        kept.push(context)
        return method === 'slow' ? gate.promise : undefined
      },
    })
    for (const method of ['quick', 'slow']) await link.caller.notify(method)
    await settle()
    expect(kept.map((context) => context.canSendRequest)).toEqual([false, true])
    gate.resolve()
    await settle()
    expect(kept.map((context) => context.canSendRequest)).toEqual([false, false])
  })

  describe('lifetime', () => {
    it('F092 refuses requests before run() and after close(), and takes notifications before, drops them after', async () => {
      const [caller, callee] = createPair()
      const notified: string[] = []
      await expect(caller.sendRawRequest('early')).rejects.toThrow("Cannot send 'early': run() was not called yet")
      await caller.notify('early')
      void callee.run(refuseAll, (_context, method) => {
        notified.push(method)
      })
      void caller.run(refuseAll, ignoreAll)
      await settle()
      expect(notified).toEqual(['early'])
      await caller.close()
      await expect(caller.sendRawRequest('late')).rejects.toMatchObject({ code: -32000, local: true })
      await caller.notify('late')
      await callee.close()
    })

    it('F081 refuses a default timeout that is none', () => {
      for (const defaultTimeoutMs of [-1, Number.NaN])
        expect(() => createPair({ defaultTimeoutMs })).toThrow(RangeError)
    })

    it('delivers what came before run() in order, whatever that brings about', async () => {
      const [caller, callee] = createPair()
      const events: string[] = []
      void caller.run(refuseAll, () => {
        void caller.notify('n3')
      })
      void caller.notify('n1')
      void caller.notify('n2')
      void callee.run(refuseAll, (context, method) => {
        events.push(method)
        if (method === 'n1') void context.notify('more')
      })
      await settle()
      expect(events).toEqual(['n1', 'n2', 'n3'])
      await caller.close()
    })

    it('waits for a peer that does not run yet', async () => {
      const [caller, callee] = createPair()
      void caller.run(refuseAll, ignoreAll)
      const call = caller.sendRawRequest('a')
      await settle()
      void callee.run(echo, ignoreAll)
      expect(await call).toEqual({ params: { _meta: {} } })
      await caller.close()
    })

    it('runs once', async () => {
      const [caller] = createPair()
      void caller.run(refuseAll, ignoreAll)
      await expect(caller.run(refuseAll, ignoreAll)).rejects.toThrow('runs already')
      await caller.close()
      await expect(caller.run(refuseAll, ignoreAll)).rejects.toThrow('is closed')
    })

    it('fails all calls on both sides when either side closes, and ends both', async () => {
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest, callerOnRequest: () => new Promise(() => {}) })
      const calls = Array.from({ length: 100 }, () => link.caller.sendRawRequest('a'))
      calls.push(link.callee.sendRawRequest('b'))
      const outcomes = Promise.allSettled(calls)
      await settle()
      await link.callee.close()
      await Promise.all([link.ended.caller, link.ended.callee])
      const codes = (await outcomes).map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'ok'))
      // Requests that the closing side was working on may still be refused by it; nothing is left unsettled.
      expect(new Set(codes)).toSatisfy((seen: Set<number>) =>
        [...seen].every((code) => code === -32000 || code === -32603),
      )
      expect(contexts.every((context) => context.signal.aborted)).toBe(true)
    })

    it('F026 may be closed twice, at once, and from inside a handler', async () => {
      await using link = connectPair(createPair, {
        onRequest: async () => {
          await link.callee.close()
          return {}
        },
      })
      const call = link.caller.sendRawRequest('a').catch((error: unknown) => error)
      await Promise.all([link.caller.close(), link.caller.close(), call])
      await link.callee.close()
      await Promise.all([link.ended.caller, link.ended.callee])
    })

    it('F084 aborts handlers when the caller goes away', async () => {
      const { contexts, onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      link.caller.sendRawRequest('a').catch(() => {})
      await settle()
      const { signal } = contexts[0]!
      await link.caller.close()
      await link.ended.callee
      expect(signal.aborted).toBe(true)
    })

    it('lets work finish while it drains, refuses new work, and then closes', async () => {
      const gate = createDeferred()
      await using link = connectPair(createPair, {
        onRequest: async () => {
          await gate.promise
          return { finished: true }
        },
      })
      const running = link.caller.sendRawRequest('a')
      await settle()
      const closing = link.callee.close({ drainMs: 5_000 })
      await expect(link.caller.sendRawRequest('b')).rejects.toMatchObject({ code: -32603 })
      gate.resolve()
      expect(await running).toEqual({ finished: true })
      await closing
    })

    it('does not drain for ever', async () => {
      vi.useFakeTimers()
      const { onRequest } = stuck()
      await using link = connectPair(createPair, { onRequest })
      const failure = link.caller.sendRawRequest('a').catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(1)
      const closing = link.callee.close({ drainMs: 100 })
      await vi.advanceTimersByTimeAsync(101)
      await closing
      expect(await failure).toMatchObject({ code: -32603, message: 'The connection is closing' })
    })

    it('F216 leaves no timer behind', async () => {
      vi.useFakeTimers()
      await using link = connectPair(createPair, { onRequest: echo })
      await link.caller.sendRawRequest('a')
      await link.caller.close()
      await link.callee.close()
      expect(vi.getTimerCount()).toBe(0)
    })

    it('F087 survives a fault listener that throws, and says so once', async () => {
      const lastResort = vi.spyOn(console, 'error').mockImplementation(() => {})
      await using link = connectPair(createPair, {
        onRequest: () => {
          throw new Error('x')
        },
        options: {
          onFault: () => {
            throw new Error('listener')
          },
        },
      })
      for (let n = 0; n < 3; n++) await expect(link.caller.sendRawRequest('a')).rejects.toMatchObject({ code: -32603 })
      expect(lastResort).toHaveBeenCalledTimes(1)
      lastResort.mockRestore()
    })

    it('F087 survives a fault listener that rejects, and says so once', async () => {
      const lastResort = vi.spyOn(console, 'error').mockImplementation(() => {})
      const unhandled = vi.fn()
      process.on('unhandledRejection', unhandled)
      await using link = connectPair(createPair, {
        onRequest: () => {
          throw new Error('x')
        },
        options: { onFault: () => Promise.reject(new Error('listener')) },
      })
      for (let n = 0; n < 3; n++) await expect(link.caller.sendRawRequest('a')).rejects.toMatchObject({ code: -32603 })
      await settle()
      process.off('unhandledRejection', unhandled)
      expect(unhandled).not.toHaveBeenCalled()
      expect(lastResort).toHaveBeenCalledTimes(1)
      lastResort.mockRestore()
    })

    it('F211 keeps a thousand connections in one process apart', async () => {
      const links = Array.from({ length: 1000 }, (_, n) => connectPair(createPair, { onRequest: () => ({ n }) }))
      const answers = await Promise.all(links.map((link) => link.caller.sendRawRequest('a', {}, { requestId: 1 })))
      expect(answers).toEqual(links.map((_, n) => ({ n })))
      await Promise.all(links.map((link) => link.caller.close()))
    })
  })
})
