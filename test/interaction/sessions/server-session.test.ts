// The session that a handler gets: what it knows of the client, and the two ways back to it.
import { afterEach, expect, vi } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../src/server/context.ts'
import type { ServerSession } from '../../../src/server/session.ts'
import { ErrorCode } from '../../../src/types/errors/error-codes.ts'
import { MCPError, NoBackChannelError } from '../../../src/types/errors/errors.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type { CreateMessageRequestParams } from '../../../src/types/features/sampling.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { connectRawClient, SAMPLING, stopTime, text, textOf, toolServer } from '../kit/support-interaction.ts'

afterEach(() => {
  vi.useRealTimers()
})

const PARAMS = SAMPLING.params as CreateMessageRequestParams
const FORM = { type: 'object' as const, properties: {} }
const onListRoots = () => ({ roots: [] })

const QUESTIONS: Record<string, (session: ServerSession, options?: { related: boolean }) => Promise<unknown>> = {
  createMessage: (session, options) => session.createMessage(PARAMS, options),
  elicitForm: (session, options) => session.elicitForm('Who?', FORM, options),
  elicitUrl: (session, options) => session.elicitUrl('Go', 'https://example.com/', 'e1', options),
  listRoots: (session, options) => session.listRoots(options),
  sendPing: (session, options) => session.sendPing(options),
  vendor: (session, options) => session.sendRequest('com.example/ask', {}, options),
}

requirement('fault:F094:no-way-back-fails-at-once', async ({ connect }) => {
  const failures: Record<string, unknown> = {}
  const server = toolServer(async ({ session }) => {
    for (const [name, ask] of Object.entries(QUESTIONS)) {
      failures[name] = await ask(session).catch((error: unknown) => error)
    }
    return text('still here')
  })
  const options = { onListRoots, onSampling: vi.fn(), onElicitation: vi.fn() }
  await using client = await connect(server, options)

  expect(textOf(await client.callTool('tool'))).toBe('still here')

  for (const [name, failure] of Object.entries(failures)) {
    expect(failure, name).toBeInstanceOf(NoBackChannelError)
    expect(failure).toMatchObject({ code: ErrorCode.InvalidRequest, local: true })
  }
  expect(Object.keys(failures)).toHaveLength(6)
})

requirement('back-channel:modern:standalone-fails-too', async ({ connect }) => {
  const server = toolServer(async ({ session, connection }) => {
    const failures = await Promise.all(
      Object.values(QUESTIONS).map((ask) => ask(session, { related: false }).catch((error: unknown) => error)),
    )
    expect(failures.every((failure) => failure instanceof NoBackChannelError)).toBe(true)
    return text(`${session.canSendRequest} ${connection.canSendRequest}`)
  })
  await using client = await connect(server, { onListRoots })

  expect(textOf(await client.callTool('tool'))).toBe('false false')
})

requirement('back-channel:handshake:both-ways', async ({ connect }) => {
  const server = toolServer(async ({ session, connection }) => {
    await session.listRoots()
    await session.listRoots({ related: false })
    return text(`${session.canSendRequest} ${connection.canSendRequest}`)
  })
  const roots = vi.fn(onListRoots)
  await using client = await connect(server, { onListRoots: roots })

  expect(textOf(await client.callTool('tool'))).toBe('true true')
  expect(roots).toHaveBeenCalledTimes(2)
})

requirement('back-channel:handshake:ping', async ({ connect }) => {
  const server = toolServer(async ({ session }) => text(JSON.stringify(await session.sendPing())))
  await using client = await connect(server)

  expect(textOf(await client.callTool('tool'))).toBe('{}')
})

requirement('back-channel:handshake:vendor-method-unknown', async ({ connect }) => {
  const answers: unknown[] = []
  const server = toolServer(async ({ session }) => {
    const asked = session.sendRequest('com.example/ask', { x: 1 })
    asked.catch((error: unknown) => answers.push(error))
    await asked
    return text('')
  })
  await using client = await connect(server)

  // The client's refusal is for the handler to deal with. It is no answer to the client's own call.
  await expect(client.callTool('tool')).rejects.toMatchObject({ code: -32603, local: false })
  expect(answers).toMatchObject([{ code: -32601, local: false }])
})

requirement('back-channel:handshake:after-the-handler', async ({ connect }) => {
  let kept: ServerSession | undefined
  const server = toolServer(({ session }) => {
    kept = session
    return text('')
  })
  await using client = await connect(server, { onListRoots })
  await client.callTool('tool')

  await expect(kept?.listRoots()).rejects.toThrow(NoBackChannelError)
  await expect(kept?.listRoots({ related: false })).resolves.toEqual({ roots: [] })
})

requirement('session:client:facts', async ({ connect, isModern, version }) => {
  let seen: ServerRequestContext | undefined
  const server = toolServer((ctx) => {
    seen = ctx
    return text('')
  })
  await using client = await connect(server, { onListRoots, clientInfo: { name: 'app', version: '3' } })
  await client.callTool('tool')

  expect(seen?.session.protocolVersion).toBe(version)
  expect(seen?.clientInfo).toEqual({ name: 'app', version: '3' })
  expect(seen?.session.clientCapabilities).toHaveProperty('roots')
  if (isModern) expect(seen?.session.clientParams).toBeUndefined()
  else expect(seen?.session.clientParams).toMatchObject({ protocolVersion: version, clientInfo: { name: 'app' } })
})

requirement('session:capability:checked', async ({ connect, version }) => {
  const hasForms = isVersionAtLeast(version, '2025-06-18')
  const hasSamplingTools = isVersionAtLeast(version, '2025-11-25')
  const checks = [
    [{ roots: {} }, true],
    [{ sampling: {} }, true],
    [{ sampling: { tools: {} } }, hasSamplingTools],
    [{ sampling: { context: {} } }, false],
    [{ elicitation: {} }, hasForms],
    [{ elicitation: { form: {} } }, hasForms],
    [{ elicitation: { url: {} } }, false],
    [{ experimental: { other: {} } }, false],
    [{ extensions: { 'com.example/a': {} } }, true],
    [{ extensions: { 'com.example/b': {} } }, false],
    [{ roots: {}, elicitation: { url: {} } }, false],
    [{}, true],
  ] as const
  const found: boolean[] = []
  const server = toolServer(({ session }) => {
    for (const [capability] of checks) found.push(session.checkClientCapability(capability))
    return text('')
  })
  await using client = await connect(server, {
    onListRoots,
    onSampling: vi.fn(),
    samplingCapabilities: { tools: {} },
    onElicitation: vi.fn(),
    elicitationCapabilities: {},
    extensions: [{ identifier: 'com.example/a', settings: { level: 2 } }],
  })
  await client.callTool('tool')

  expect(found).toEqual(checks.map(([, expected]) => expected))
})

requirement('session:request:concurrent', async ({ connect }) => {
  const server = toolServer(async ({ session }) => {
    const ask = (systemPrompt: string) => session.createMessage({ ...PARAMS, systemPrompt })
    const answers = await Promise.all([ask('first'), ask('second'), ask('third')])
    return text(answers.map(({ model }) => model).join())
  })
  const waiting: (() => void)[] = []
  await using client = await connect(server, {
    onSampling: async ({ systemPrompt }) => {
      // Answered only when all are there, the last one first.
      await new Promise<void>((resolve) => {
        waiting.unshift(resolve)
        if (waiting.length === 3) for (const go of waiting) go()
      })
      return { role: 'assistant', model: `${systemPrompt}`, content: { type: 'text', text: '' } }
    },
  })

  expect(textOf(await client.callTool('tool'))).toBe('first,second,third')
})

requirement('session:request:taken-back', async ({ connect }) => {
  const asked = createDeferred<AbortSignal>()
  const controller = new AbortController()
  const reason = new Error('never mind')
  const faults: string[] = []
  const server = toolServer(
    async ({ session }) => {
      const asking = session.listRoots({ signal: controller.signal }).catch((error: unknown) => error)
      return text(String((await asking) === reason))
    },
    { onFault: ({ kind }) => faults.push(kind) },
  )
  const ended = createDeferred<void>()
  await using client = await connect(server, {
    onListRoots: (_params, { signal }) => {
      asked.resolve(signal)
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          ended.resolve()
          resolve({ roots: [] })
        })
      })
    },
  })

  const calling = client.callTool('tool')
  await asked.promise
  controller.abort(reason)

  expect(textOf(await calling)).toBe('true')
  await ended.promise
  await client.sendPing()
  // No answer came for the question that was taken back.
  expect(faults).toEqual([])
})

requirement('session:request:aborted-before-it-is-sent', async ({ connect }) => {
  const reason = new Error('too late')
  const server = toolServer(async ({ session }) => {
    const failure = await session.listRoots({ signal: AbortSignal.abort(reason) }).catch((error: unknown) => error)
    return text(String(failure === reason))
  })
  const roots = vi.fn(onListRoots)
  const messages = vi.fn()
  await using client = await connect(server, { onListRoots: roots, onMessage: messages })

  expect(textOf(await client.callTool('tool'))).toBe('true')
  expect(roots).not.toHaveBeenCalled()
  expect(messages).not.toHaveBeenCalled()
})

requirement('session:request:timeout', async ({ connect }) => {
  let failure: unknown
  const server = toolServer(async ({ session }) => {
    failure = await session.listRoots({ timeoutMs: 500 }).catch((error: unknown) => error)
    return text('')
  })
  const asked = createDeferred<AbortSignal>()
  await using client = await connect(server, {
    onListRoots: (_params, { signal }) => {
      asked.resolve(signal)
      return new Promise(() => {})
    },
  })
  stopTime()

  const calling = client.callTool('tool')
  const signal = await asked.promise
  await vi.advanceTimersByTimeAsync(501)
  await calling

  expect(failure).toMatchObject({ code: ErrorCode.RequestTimeout, local: true })
  expect(signal.aborted).toBe(true)
})

requirement('session:request:progress-of-the-client', async ({ connect }) => {
  const told: number[] = []
  const server = toolServer(async ({ session }) => {
    await session.listRoots({ onProgress: ({ progress }) => told.push(progress) })
    return text('')
  })
  await using client = await connect(server, {
    onListRoots: async (_params, { session, meta }) => {
      const token = meta['progressToken'] as number
      await session.sendProgressNotification(token, 1, 2)
      await session.sendProgressNotification(token, 2, 2)
      return { roots: [] }
    },
  })

  await client.callTool('tool')

  expect(told).toEqual([1, 2])
})

requirement('session:request:answer-checked', async (setting) => {
  const failures: unknown[] = []
  const server = toolServer(async ({ session }) => {
    await session.listRoots().catch((error: unknown) => failures.push(error))
    return text('')
  })
  await using raw = await connectRawClient(setting, server, { roots: {} })
  for (const result of [{}, { roots: 'x' }, { roots: [{ uri: 7 }] }, 7, []]) {
    raw.peer.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tool' } })
    const { id } = await raw.peer.next()
    raw.peer.send({ jsonrpc: '2.0', id, result })
    await raw.peer.next()
  }

  expect(failures.map((failure) => failure instanceof InvalidResultError)).toEqual([true, true, true, true, true])
})

requirement('session:request:client-goes-away', async (setting) => {
  const failed = createDeferred<unknown>()
  const server = toolServer(async ({ session }) => {
    await session.listRoots().catch(failed.resolve)
    return text('')
  })
  await using raw = await connectRawClient(setting, server, { roots: {} })

  raw.peer.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tool' } })
  await raw.peer.next()
  await raw.peer.channel.close()

  expect(await failed.promise).toMatchObject({ code: ErrorCode.ConnectionClosed, local: true })
})

requirement('session:request:client-closes', async ({ connect }) => {
  const failed = createDeferred<unknown>()
  const server = toolServer(async ({ session }) => {
    await session.listRoots().catch(failed.resolve)
    return text('')
  })
  const asked = createDeferred<AbortSignal>()
  const client = await connect(server, {
    onListRoots: (_params, { signal }) => {
      asked.resolve(signal)
      return new Promise(() => {})
    },
  })

  const calling = client.callTool('tool').catch((error: unknown) => error)
  const signal = await asked.promise
  await client.close()

  expect(signal.aborted).toBe(true)
  expect(await failed.promise).toBeInstanceOf(MCPError)
  expect(await calling).toMatchObject({ code: ErrorCode.ConnectionClosed, local: true })
})

requirement('session:notify:never-rejects', async ({ connect }) => {
  let kept: ServerSession | undefined
  const server = toolServer(({ session }) => {
    kept = session
    return text('')
  })
  const client = await connect(server)
  await client.callTool('tool')
  await client.close()

  await expect(kept?.sendToolListChanged()).resolves.toBeUndefined()
  await expect(kept?.sendNotification('com.example/told', {}, { related: false })).resolves.toBeUndefined()
})
