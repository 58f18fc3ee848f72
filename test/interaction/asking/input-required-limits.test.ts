// Multi-round-trip requests at their edges: time, cancellation, the cache, the session, and what a server may not do.
import { afterEach, expect, vi } from 'vitest'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { Server } from '../../../src/server/server.ts'
import { ErrorCode } from '../../../src/types/errors/error-codes.ts'
import { MissingClientCapabilityError } from '../../../src/types/errors/errors.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type { InputRequest } from '../../../src/types/features/input-required.ts'
import { requirement } from '../kit/requirement.ts'
import {
  asks,
  connectScripted,
  createAsker,
  defers,
  NAME_FORM,
  ROOTS,
  SAMPLING,
  stopTime,
  text,
  textOf,
  toolServer,
} from '../kit/support-interaction.ts'

afterEach(() => {
  vi.useRealTimers()
})

const onElicitation = () => ({ action: 'accept' as const, content: { name: 'Ada' } })
const onListRoots = () => ({ roots: [] })

requirement('mrtr:timeout:answering-not-counted', async ({ connect }) => {
  const { server, answers } = createAsker(ROOTS)
  const answer = createDeferred<void>()
  const asked = createDeferred<void>()
  await using client = await connect(server, {
    onListRoots: async () => {
      asked.resolve()
      await answer.promise
      return { roots: [] }
    },
  })
  stopTime()

  const calling = client.callTool('tool', {}, { timeoutMs: 1_000 })
  await asked.promise
  await vi.advanceTimersByTimeAsync(60_000 - 1)
  answer.resolve()

  expect(textOf(await calling)).toBe('thanks')
  expect(answers).toHaveLength(1)
})

requirement('mrtr:timeout:each-leg', async ({ connect }) => {
  const server = toolServer((ctx) =>
    ctx.inputResponses === undefined ? asks({ a: ROOTS }) : new Promise<never>(() => {}),
  )
  await using client = await connect(server, { onListRoots })
  stopTime()

  const calling = client.callTool('tool', {}, { timeoutMs: 1_000 })
  const failed = expect(calling).rejects.toMatchObject({ code: ErrorCode.RequestTimeout, local: true })
  await vi.advanceTimersByTimeAsync(1_001)
  await failed
})

requirement('mrtr:timeout:total-covers-all-rounds', async ({ connect }) => {
  let legs = 0
  const server = toolServer(() => defers(`${++legs}`))
  await using client = await connect(server, { inputRequiredMaxRounds: 1_000 })
  stopTime()

  const calling = client.callTool('tool', {}, { maxTotalMs: 2_000 })
  const failed = expect(calling).rejects.toMatchObject({ code: ErrorCode.RequestTimeout, local: true })
  await vi.advanceTimersByTimeAsync(2_001)
  await failed

  const sent = legs
  await vi.advanceTimersByTimeAsync(10_000)
  expect(legs).toBe(sent)
})

requirement('mrtr:abort:while-a-callback-answers', async ({ connect }) => {
  let legs = 0
  const server = toolServer(() => {
    legs += 1
    return asks({ a: ROOTS })
  })
  const asked = createDeferred<AbortSignal>()
  await using client = await connect(server, {
    onListRoots: (_params, { signal }) => {
      asked.resolve(signal)
      return new Promise(() => {})
    },
  })
  const controller = new AbortController()
  const reason = new Error('changed my mind')

  const calling = client.callTool('tool', {}, { signal: controller.signal })
  const callbackSignal = await asked.promise
  controller.abort(reason)

  await expect(calling).rejects.toBe(reason)
  expect(callbackSignal.reason).toBe(reason)
  expect(legs).toBe(1)
})

requirement('mrtr:abort:during-backoff', async ({ connect }) => {
  let legs = 0
  const server = toolServer(() => defers(`${++legs}`))
  await using client = await connect(server)
  stopTime()
  const controller = new AbortController()
  const reason = new Error('too slow')

  const calling = client.callTool('tool', {}, { signal: controller.signal })
  const failed = expect(calling).rejects.toBe(reason)
  await vi.advanceTimersByTimeAsync(10)
  controller.abort(reason)
  await failed

  await vi.advanceTimersByTimeAsync(1_000)
  expect(legs).toBe(1)
})

/** A server whose resource asks before it is read, where `isAsking` says so, and counts what was asked of it. */
function createReader(isAsking: () => boolean) {
  const reads: string[] = []
  const server = new Server('reader', {
    cacheHints: { 'resources/read': { ttlMs: 60_000, scope: 'public' } },
    handlers: {
      'resources/read': (ctx, { uri }) => {
        reads.push(uri)
        if (isAsking() && ctx.inputResponses === undefined) return asks({ where: ROOTS })
        return { contents: [{ uri, text: `read ${reads.length}` }] }
      },
    },
  })
  return { server, reads }
}

requirement('mrtr:cache:result-not-kept', async ({ connect }) => {
  const { server, reads } = createReader(() => true)
  await using client = await connect(server, { onListRoots })

  await client.readResource('a:b')
  await client.readResource('a:b')

  expect(reads).toHaveLength(4)
})

requirement('mrtr:cache:seeded-not-kept', async ({ connect }) => {
  const { server, reads } = createReader(() => false)
  await using client = await connect(server, { onListRoots })

  await client.readResource('a:b', { requestState: 'kept' })
  await client.readResource('a:b', { requestState: 'kept' })
  expect(reads).toHaveLength(2)

  await client.readResource('a:b')
  await client.readResource('a:b')
  expect(reads).toHaveLength(3)
})

requirement('mrtr:cache:question-purges', async ({ connect }) => {
  let isAsking = false
  const { server, reads } = createReader(() => isAsking)
  await using client = await connect(server, { onListRoots })
  await client.readResource('a:b')
  await client.readResource('a:b')
  expect(reads).toHaveLength(1)

  isAsking = true
  await client.readResource('a:b', { cacheMode: 'refresh' })
  isAsking = false
  const { contents } = await client.readResource('a:b')

  expect(contents).toMatchObject([{ text: 'read 4' }])
})

requirement('mrtr:cache:no-hints-on-question', async ({ connect }) => {
  const { server } = createReader(() => true)
  await using client = await connect(server, { onListRoots })

  const question = await client.session.readResource('a:b', { allowInputRequired: true })
  const answer = await client.session.readResource('a:b', { inputResponses: {} })

  expect(question).toMatchObject({ resultType: 'input_required' })
  expect(question).not.toHaveProperty('ttlMs')
  expect(question).not.toHaveProperty('cacheScope')
  expect(answer).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
})

requirement('mrtr:session:returns-question', async ({ connect }) => {
  const server = toolServer((ctx) => (ctx.requestState === 's' ? text('done') : asks({ a: ROOTS }, 's')))
  await using client = await connect(server, { onListRoots })

  const question = await client.session.callTool('tool', {}, { allowInputRequired: true })
  expect(question).toMatchObject({ resultType: 'input_required', inputRequests: { a: ROOTS }, requestState: 's' })
  const answer = await client.session.dispatchInputRequest({ requestId: 'a' }, ROOTS)
  const result = await client.session.callTool('tool', {}, { inputResponses: { a: answer }, requestState: 's' })

  expect(textOf(result)).toBe('done')
})

requirement('mrtr:session:refuses-otherwise', async ({ connect }) => {
  const server = toolServer(() => asks({ a: ROOTS }))
  await using client = await connect(server, { onListRoots })

  await expect(client.session.callTool('tool')).rejects.toThrow(/allowInputRequired/)
})

requirement('mrtr:server:request-is-over', async ({ connect }) => {
  const ended: number[] = []
  let legs = 0
  const server = toolServer((ctx) => {
    const leg = ++legs
    ctx.connection.defer(() => ended.push(leg))
    return leg === 1 ? asks({ a: ROOTS }) : text(`after ${ended}`)
  })
  await using client = await connect(server, { onListRoots })

  expect(textOf(await client.callTool('tool'))).toBe('after 1')
})

requirement('mrtr:server:malformed-responses', async ({ connect }) => {
  const run = vi.fn(() => text('done'))
  await using client = await connect(toolServer(run), { onListRoots })

  for (const inputResponses of [7, { a: 'yes' }, { a: { action: 'perhaps' } }, []]) {
    const params = { name: 'tool', inputResponses } as never
    await expect(client.session.sendRequest('tools/call', params)).rejects.toMatchObject({ code: -32602 })
  }
  expect(run).not.toHaveBeenCalled()
})

requirement('mrtr:server:asks-again', async ({ connect }) => {
  const server = toolServer((ctx) => {
    const answer = ctx.inputResponses?.['wanted']
    return answer === undefined ? asks({ wanted: NAME_FORM }) : text(JSON.stringify(answer))
  })
  await using client = await connect(server, { onElicitation })

  const unknown = { nobody: { action: 'decline' as const } }
  const result = await client.callTool('tool', {}, { inputResponses: unknown })

  expect(textOf(result)).toBe(JSON.stringify(onElicitation()))
})

const QUESTIONS: { needs: object; question: InputRequest; declares: ClientOptions }[] = [
  { needs: { roots: {} }, question: ROOTS, declares: { onElicitation } },
  { needs: { sampling: {} }, question: SAMPLING, declares: { onElicitation } },
  {
    needs: { sampling: { tools: {} } },
    question: { method: 'sampling/createMessage', params: { ...SAMPLING.params, toolChoice: {} } as never },
    declares: { onSampling: () => Promise.reject() },
  },
  { needs: { elicitation: { form: {} } }, question: NAME_FORM, declares: { onListRoots } },
  {
    needs: { elicitation: { url: {} } },
    question: { method: 'elicitation/create', params: { mode: 'url', message: 'Go', url: 'https://example.com/' } },
    declares: { onElicitation, elicitationCapabilities: {} },
  },
]

requirement('mrtr:server:undeclared-question', async ({ connect }) => {
  for (const { needs, question, declares } of QUESTIONS) {
    await using client = await connect(
      toolServer(() => asks({ a: question })),
      declares,
    )
    const failure = await client.callTool('tool').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(MissingClientCapabilityError)
    expect(failure).toMatchObject({ code: -32021, requiredCapabilities: needs, local: false })
  }
})

requirement('mrtr:server:neither-question-nor-state', async ({ connect }) => {
  const faults: string[] = []
  const server = toolServer(() => ({ resultType: 'input_required' }), { onFault: ({ kind }) => faults.push(kind) })
  await using client = await connect(server)

  await expect(client.callTool('tool')).rejects.toMatchObject({ code: -32603 })
  expect(faults).toEqual(['handler-failed'])
})

requirement('mrtr:server:only-known-questions', async ({ connect }) => {
  const server = toolServer(() => asks({ a: { method: 'ping' } as never }))
  await using client = await connect(server)

  await expect(client.callTool('tool')).rejects.toMatchObject({ code: -32603 })
})

requirement('mrtr:server:only-three-methods', async ({ connect }) => {
  const server = toolServer(() => text(''), { handlers: { 'tools/list': () => asks({ a: ROOTS }) as never } })
  await using client = await connect(server, { onListRoots })

  await expect(client.listTools()).rejects.toMatchObject({ code: -32603 })
})

requirement('mrtr:client:other-methods-refused', async (setting) => {
  const onRoots = vi.fn(onListRoots)
  await using peer = await connectScripted(setting, { onListRoots: onRoots })
  peer.server.on('tools/list', asks({ a: ROOTS })).on('completion/complete', asks({ a: ROOTS }))

  await expect(peer.client.listTools()).rejects.toThrow(InvalidResultError)
  const ref = { type: 'ref/prompt' as const, name: 'p' }
  await expect(peer.client.complete(ref, { name: 'a', value: '' })).rejects.toThrow(InvalidResultError)
  expect(onRoots).not.toHaveBeenCalled()
})

requirement('mrtr:client:neither-question-nor-state', async (setting) => {
  await using peer = await connectScripted(setting)
  peer.server.on('tools/call', { resultType: 'input_required' })

  await expect(peer.client.callTool('tool')).rejects.toThrow(InvalidResultError)
  expect(peer.server.received('tools/call')).toHaveLength(1)
})

requirement('fault:F093:undeclared-question-in-a-result', async (setting) => {
  const onRoots = vi.fn(onListRoots)
  await using peer = await connectScripted(setting, { onListRoots: onRoots })
  peer.server.on('tools/call', asks({ a: SAMPLING }))

  await expect(peer.client.callTool('tool')).rejects.toMatchObject({ code: -32601, local: true })

  expect(onRoots).not.toHaveBeenCalled()
  expect(peer.server.received('tools/call')).toHaveLength(1)
})

requirement('mrtr:handshake:not-a-result', async ({ connect }) => {
  await using client = await connect(
    toolServer(() => asks({ a: ROOTS })),
    { onListRoots },
  )

  await expect(client.callTool('tool')).rejects.toMatchObject({ code: -32603 })
})

requirement('mrtr:handshake:fields-not-sent', async ({ connect }) => {
  const seen: object[] = []
  const server = toolServer((_ctx, params) => {
    seen.push(params)
    return text('done')
  })
  await using client = await connect(server)

  await client.callTool('tool', {}, { inputResponses: {}, requestState: 's' })

  expect(seen[0]).not.toHaveProperty('requestState')
  expect(seen[0]).not.toHaveProperty('inputResponses')
})
