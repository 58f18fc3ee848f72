// What an extension gets to finish a call, and what holds for the call meanwhile.
import { afterEach, expect, vi } from 'vitest'
import type { ClientToolCallOptions } from '../../../src/client/client-options.ts'
import type {
  ClaimContext,
  ClaimedResult,
  ClientExtension,
  ResultClaim,
} from '../../../src/client/extensions/extension.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { Server } from '../../../src/server/server.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { NAME_FORM, ROOTS, SAMPLING, text, textOf, toolServer } from '../kit/support-interaction.ts'

const TICKET: ClaimedResult = { resultType: 'com.example/ticket', ticket: 'T1' }

afterEach(() => {
  vi.useRealTimers()
})

function tickets(resolve: ResultClaim['resolve']): ClientExtension {
  return { identifier: 'com.example/tickets', claims: [{ resultType: 'com.example/ticket', resolve }] }
}

/** A server that answers every call with a ticket, and counts the tickets that are given back. */
function ticketOffice(): { server: Server; returned: unknown[] } {
  const returned: unknown[] = []
  const server = toolServer(() => TICKET as never, { resultTypes: ['com.example/ticket'] })
  server.setRequestHandler('com.example/return', (_ctx, { ticket }) => {
    returned.push(ticket)
    return {}
  })
  return { server, returned }
}

/** Waits for the signal, then gives the ticket back. */
async function returnWhenAborted({ ticket }: ClaimedResult, { session, signal }: ClaimContext): Promise<never> {
  const aborted = createDeferred<void>()
  signal.addEventListener('abort', () => aborted.resolve())
  await aborted.promise
  await session.sendRequest('com.example/return', { ticket })
  throw signal.reason
}

requirement('client-extension:claim:options', async ({ connect }) => {
  const seen = createDeferred<ClaimContext>()
  const resolve = async (_result: ClaimedResult, context: ClaimContext) => {
    seen.resolve(context)
    return text('redeemed')
  }
  await using client = await connect(ticketOffice().server, { extensions: [tickets(resolve)] })
  const onProgress = vi.fn()
  const own = { urgency: 7 }
  const options: ClientToolCallOptions = {
    requestId: 'first',
    timeoutMs: 5_000,
    maxTotalMs: 60_000,
    onProgress,
    onStop: 'leave',
    leaveAfterMs: 10,
    meta: { traceparent: '00-1' },
    ...own,
  }

  expect(textOf(await client.callTool('tool', {}, options))).toBe('redeemed')

  const context = await seen.promise
  expect(context).toMatchObject({ session: client.session, toolName: 'tool' })
  const { maxTotalMs, signal, ...rest } = context.options
  expect(signal).toBe(context.signal)
  expect(maxTotalMs).toBeLessThanOrEqual(60_000)
  expect(maxTotalMs).toBeGreaterThan(0)
  expect(rest).toEqual({
    timeoutMs: 5_000,
    onProgress,
    onStop: 'leave',
    leaveAfterMs: 10,
    meta: { traceparent: '00-1' },
    ...own,
  })
})

requirement('client-extension:claim:time-in-all', async ({ connect }) => {
  const faults: unknown[] = []
  const late = createDeferred<CallToolResult>()
  const reported = createDeferred<void>()
  const resolve = vi.fn(() => late.promise)
  await using client = await connect(ticketOffice().server, {
    extensions: [tickets(resolve)],
    onFault: (fault) => {
      faults.push(fault)
      reported.resolve()
    },
  })

  const failure = client.callTool('tool', {}, { maxTotalMs: 40 })

  await expect(failure).rejects.toMatchObject({ code: -32001, local: true })
  const bug = new Error('too late')
  late.reject(bug)
  await reported.promise
  expect(faults).toMatchObject([{ kind: 'callback-failed', method: 'tools/call', error: bug }])
})

requirement('client-extension:claim:abort', async ({ connect }) => {
  const { server, returned } = ticketOffice()
  const started = createDeferred<void>()
  const cleaned = createDeferred<void>()
  const resolve = async (claimed: ClaimedResult, context: ClaimContext) => {
    started.resolve()
    return returnWhenAborted(claimed, context).finally(cleaned.resolve)
  }
  const onFault = vi.fn()
  await using client = await connect(server, { extensions: [tickets(resolve)], onFault })
  const controller = new AbortController()
  const calling = client.callTool('tool', {}, { signal: controller.signal })
  await started.promise

  controller.abort(new Error('enough'))

  await expect(calling).rejects.toThrow('enough')
  await cleaned.promise
  expect(returned).toEqual(['T1'])
  expect(onFault).not.toHaveBeenCalled()
})

requirement('client-extension:claim:close', async ({ connect }) => {
  const { server, returned } = ticketOffice()
  const started = createDeferred<void>()
  const resolve = (claimed: ClaimedResult, context: ClaimContext) => {
    started.resolve()
    return returnWhenAborted(claimed, context)
  }
  const client = await connect(server, { extensions: [tickets(resolve)] })
  const failure = client.callTool('tool').catch((error: unknown) => error)
  await started.promise

  await client.close()

  expect(returned).toEqual(['T1'])
  expect(await failure).toMatchObject({ message: expect.stringContaining('closed') })
})

requirement('client-extension:claim:close-bounded', async ({ connect }) => {
  const started = createDeferred<void>()
  const resolve = () => {
    started.resolve()
    return new Promise<never>(() => {})
  }
  const client = await connect(ticketOffice().server, { extensions: [tickets(resolve)] })
  const failure = client.callTool('tool').catch((error: unknown) => error)
  await started.promise
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  let isClosed = false

  const closing = client.close().then(() => {
    isClosed = true
  })

  expect(await failure).toMatchObject({ message: expect.stringContaining('closed') })
  await vi.advanceTimersByTimeAsync(999)
  expect(isClosed).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await closing
})

requirement('client-extension:claim:result-in-hand', async ({ connect }) => {
  const { server } = ticketOffice()
  const asked = createDeferred<void>()
  server.setRequestHandler('tools/list', () => {
    asked.resolve()
    return new Promise<never>(() => {})
  })
  const onFault = vi.fn()
  const redeemed = { ...text('redeemed'), structuredContent: { isUnchecked: true } }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const client = await connect(server, { extensions: [tickets(() => redeemed)], onFault })
  const call = client.callTool('tool', {}, { maxTotalMs: 1_000 })
  await asked.promise
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await call).toMatchObject({ structuredContent: { isUnchecked: true } })
  expect(onFault).toHaveBeenCalledWith(expect.objectContaining({ method: 'tools/list' }))
  vi.useRealTimers()
  await client.close()
})

requirement('client-extension:claim:questions', async ({ connect }) => {
  const slow = createDeferred<void>()
  const order: string[] = []
  const resolve = async (_result: ClaimedResult, { ask }: ClaimContext) => {
    const answers = ask({ who: NAME_FORM, where: ROOTS })
    await Promise.all(
      [...answers].map(async ([key, answer]) => {
        await answer
        order.push(key)
        slow.resolve()
      }),
    )
    return text(JSON.stringify(await answers.get('who')))
  }
  await using client = await connect(ticketOffice().server, {
    extensions: [tickets((result, context) => resolve(result, { ...context, ask: context.ask.bind(context) }))],
    onElicitation: async (_params, { requestId }) => {
      expect(requestId).toBe('who')
      await slow.promise
      return { action: 'accept', content: { name: 'Ada' } }
    },
    onListRoots: () => ({ roots: [] }),
  })

  const answer = JSON.parse(textOf(await client.callTool('tool')) ?? '')

  expect(answer).toEqual({ action: 'accept', content: { name: 'Ada' } })
  expect(order).toEqual(['where', 'who'])
})

requirement('client-extension:claim:question-checks', async ({ connect }) => {
  const onElicitation = vi.fn(() => ({ action: 'accept' as const, content: { name: 7 as never } }))
  const questions: JSONObject = {
    unsupported: SAMPLING,
    unfit: { method: 'elicitation/create', params: { message: 5 } },
    unknown: { method: 'tools/list' },
    'wrong answer': NAME_FORM,
  }
  const resolve = async (_result: ClaimedResult, context: ClaimContext) => {
    const answers = [...context.ask(questions as never)].map(([key, answer]) =>
      answer.then(
        () => [key, 'answered'] as const,
        (error: unknown) => [key, error] as const,
      ),
    )
    const outcomes = new Map<string, unknown>(await Promise.all(answers))
    expect(outcomes.get('unsupported')).toMatchObject({ code: -32601, local: true })
    expect(outcomes.get('unfit')).toMatchObject({ code: -32602, local: true })
    expect(outcomes.get('unknown')).toMatchObject({ code: -32601, local: true })
    expect(outcomes.get('wrong answer')).toMatchObject({ code: -32603, local: true })
    expect(() => context.ask('x' as never)).toThrow(InvalidResultError)
    return text('checked')
  }
  await using client = await connect(ticketOffice().server, { extensions: [tickets(resolve)], onElicitation })

  expect(textOf(await client.callTool('tool'))).toBe('checked')
  expect(onElicitation).toHaveBeenCalledOnce()
})

requirement('client-extension:claim:result-form', async ({ connect }) => {
  const results: unknown[] = [
    { content: 'x' },
    { content: [{ type: 'text' }] },
    { resultType: 'input_required', inputRequests: {} },
    TICKET,
    'nothing',
  ]
  const resolve = async (_result: ClaimedResult, context: ClaimContext) => {
    await expect(context.checkResult(results[0] as never)).rejects.toThrow(InvalidResultError)
    return results.shift() as CallToolResult
  }
  await using client = await connect(ticketOffice().server, { extensions: [tickets(resolve)] })

  while (results.length > 0) await expect(client.callTool('tool')).rejects.toThrow(InvalidResultError)
})
