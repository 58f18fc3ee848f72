// The client's callbacks: what reaches them, what becomes of what they return or throw, and what they may do meanwhile.
import { expect, vi } from 'vitest'
import type { ClientRequestContext } from '../../../src/client/session/callbacks.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { ElicitRequestParams } from '../../../src/types/features/elicitation.ts'
import type { CreateMessageRequestParams, CreateMessageResult } from '../../../src/types/features/sampling.ts'
import { settle } from '../../support/peers.ts'
import { requirement } from '../kit/requirement.ts'
import {
  connectScripted,
  createAsker,
  NAME_FORM,
  ROOTS,
  SAMPLING,
  text,
  textOf,
  toolServer,
} from '../kit/support-interaction.ts'

const onListRoots = () => ({ roots: [] })
const answerOf = (model: string): CreateMessageResult => ({
  role: 'assistant',
  model,
  content: { type: 'text', text: '' },
})

requirement('callback:question:checked-before-it-arrives', async (setting) => {
  const onSampling = vi.fn(() => answerOf('m'))
  await using peer = await connectScripted(setting, { onSampling })
  const broken = [
    {},
    { messages: 'x', maxTokens: 1 },
    { messages: [], maxTokens: 'many' },
    { messages: [{}], maxTokens: 1 },
  ]

  for (const params of broken) {
    expect(await peer.server.request('sampling/createMessage', params)).toMatchObject({ error: { code: -32602 } })
  }
  expect(onSampling).not.toHaveBeenCalled()
})

requirement('callback:answer:checked-before-it-leaves', async (setting) => {
  const secret = 'hunter2'
  await using peer = await connectScripted(setting, { onListRoots: () => ({ roots: secret }) as never })

  const { error } = await peer.server.request('roots/list')

  expect(error).toEqual({ code: -32603, message: 'Client callback returned an invalid result' })
  expect(peer.faults).toMatchObject([{ kind: 'callback-failed', method: 'roots/list' }])
  expect(JSON.stringify(peer.faults)).not.toContain(secret)
})

requirement('callback:error:mcp-error-is-the-answer', async (setting) => {
  await using peer = await connectScripted(setting, {
    onListRoots: () => {
      throw new MCPError(-1, 'Not today', { why: 'closed' })
    },
  })

  const { error } = await peer.server.request('roots/list')

  expect(error).toEqual({ code: -1, message: 'Not today', data: { why: 'closed' } })
  expect(peer.faults).toEqual([])
})

requirement('callback:error:others-stay-here', async (setting) => {
  const bugs = [new Error('password=hunter2'), 'hunter2', undefined, Object.freeze({ hunter2: true })]
  let bug: unknown
  await using peer = await connectScripted(setting, {
    onListRoots: () => Promise.reject(bug),
  })

  for (bug of bugs) {
    const { error } = await peer.server.request('roots/list')
    expect(error).toEqual({ code: -32603, message: 'Internal error' })
  }
  expect(peer.faults.map(({ kind, error }) => [kind, error])).toEqual(bugs.map((each) => ['callback-failed', each]))
})

requirement('callback:error:local-errors-stay-here', async (setting) => {
  await using peer = await connectScripted(setting, {
    // Fails with an error of this side, which the server has not caused.
    onListRoots: async (_params, { session }) => {
      await session.callTool('tool', {}, { timeoutMs: 0 })
      return { roots: [] }
    },
  })
  peer.server.on('tools/call', () => undefined)

  const { error } = await peer.server.request('roots/list')

  expect(error).toEqual({ code: -32603, message: 'Internal error' })
  expect(peer.faults).toMatchObject([{ kind: 'callback-failed', error: { code: -32001, local: true } }])
})

requirement('fault:F093:undeclared-never-reaches-user-code', async (setting) => {
  const onMessage = vi.fn()
  await using peer = await connectScripted(setting, { onMessage })

  for (const { method, params } of [SAMPLING, ROOTS, { method: 'elicitation/create', params: NAME_FORM.params }]) {
    expect(await peer.server.request(method, params)).toMatchObject({ error: { code: -32601 } })
  }
  expect(onMessage).not.toHaveBeenCalled()
})

requirement('callback:question:unknown-method', async (setting) => {
  await using peer = await connectScripted(setting, { onListRoots })

  for (const method of ['com.example/x', 'tools/call', '__proto__', 'constructor', 'toString']) {
    expect(await peer.server.request(method), method).toMatchObject({ error: { code: -32601 } })
  }
})

requirement('callback:question:refused-in-the-modern-era', async (setting) => {
  const roots = vi.fn(onListRoots)
  await using peer = await connectScripted(setting, { onListRoots: roots })

  const before = peer.server.sent.length
  for (const method of ['roots/list', 'ping', 'sampling/createMessage']) void peer.server.request(method)

  await vi.waitFor(() => expect(peer.faults).toHaveLength(3))
  expect(peer.server.sent).toHaveLength(before)
  expect(roots).not.toHaveBeenCalled()
  expect(peer.faults.map(({ kind }) => kind)).toEqual(['invalid-message', 'invalid-message', 'invalid-message'])
})

requirement('callback:question:any-usable-id', async (setting) => {
  const ids: unknown[] = []
  await using peer = await connectScripted(setting, {
    onListRoots: (_params, { requestId }) => {
      ids.push(requestId)
      return { roots: [] }
    },
  })

  const sent = [0, '', -1, Number.MAX_SAFE_INTEGER, '0', '__proto__']
  for (const id of sent) expect(await peer.server.request('roots/list', {}, id)).toMatchObject({ id, result: {} })

  expect(ids).toEqual(sent)
})

requirement('isolation:R57:question-id-in-flight', async (setting) => {
  const held = createDeferred<void>()
  const roots = vi.fn(async () => {
    await held.promise
    return { roots: [{ uri: 'file:///first' }] }
  })
  await using peer = await connectScripted(setting, { onListRoots: roots })

  const first = peer.server.request('roots/list', {}, 7)
  await settle()
  peer.server.deliver({ jsonrpc: '2.0', id: 7, method: 'roots/list', params: {} })

  expect(await first).toMatchObject({ id: 7, error: { code: -32600 } })
  held.resolve()
  await settle()
  const answers = peer.server.sent.filter(({ message }) => message['id'] === 7).map(({ message }) => message)
  expect(answers).toMatchObject([{ error: { code: -32600 } }, { result: { roots: [{ uri: 'file:///first' }] } }])
  expect(roots).toHaveBeenCalledOnce()
})

requirement('callback:question:any-order', async (setting) => {
  const waiting = new Map<string, () => void>()
  await using peer = await connectScripted(setting, {
    onSampling: ({ systemPrompt }: CreateMessageRequestParams) =>
      new Promise((resolve) => waiting.set(`${systemPrompt}`, () => resolve(answerOf(`${systemPrompt}`)))),
  })

  const ask = (systemPrompt: string) =>
    peer.server.request('sampling/createMessage', { ...SAMPLING.params, systemPrompt })
  const asked = [ask('a'), ask('b')]
  await settle()
  waiting.get('b')?.()
  expect(await asked[1]).toMatchObject({ result: { model: 'b' } })
  waiting.get('a')?.()

  expect(await asked[0]).toMatchObject({ result: { model: 'a' } })
})

requirement('callback:question:may-call-the-server', async ({ connect }) => {
  const { server, answers } = createAsker(ROOTS)
  await using client = await connect(server, {
    onListRoots: async (_params, { session }) => {
      const { tools } = await session.listTools()
      return { roots: tools.map(({ name }) => ({ uri: `file:///${name}` })) }
    },
  })

  expect(textOf(await client.callTool('tool'))).toBe('thanks')
  expect(answers).toEqual([{ roots: [{ uri: 'file:///tool' }] }])
})

requirement('callback:question:endless-one-blocks-nobody', async ({ connect }) => {
  const { server } = createAsker(ROOTS)
  const asked = createDeferred<void>()
  await using client = await connect(server, {
    onListRoots: () => {
      asked.resolve()
      return new Promise(() => {})
    },
  })
  const controller = new AbortController()

  const stuck = client.callTool('tool', {}, { signal: controller.signal }).catch((error: unknown) => error)
  await asked.promise

  expect((await client.listTools()).tools).toHaveLength(1)
  controller.abort('enough')
  expect(await stuck).toBe('enough')
})

requirement('callback:context:what-it-knows', async (setting) => {
  const seen: ClientRequestContext[] = []
  await using peer = await connectScripted(setting, {
    onListRoots: (_params, ctx) => {
      seen.push(ctx)
      return { roots: [] }
    },
  })

  await peer.server.request('roots/list', { _meta: { 'com.example/trace': 'abc' } }, 'q1')
  await peer.server.request('roots/list', undefined, 'q2')

  expect(seen[0]?.session).toBe(peer.client.session)
  expect(seen.map(({ requestId }) => requestId)).toEqual(['q1', 'q2'])
  expect(seen.map(({ meta }) => meta)).toEqual([{ 'com.example/trace': 'abc' }, {}])
  expect(seen[0]?.signal.aborted).toBe(false)
})

requirement('callback:cancel:by-the-server', async (setting) => {
  const asked = createDeferred<AbortSignal>()
  const messages: string[] = []
  await using peer = await connectScripted(setting, {
    onListRoots: (_params, { signal }) => {
      asked.resolve(signal)
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ roots: [] })))
    },
    onMessage: ({ method }) => void messages.push(method),
  })

  void peer.server.request('roots/list', {}, 'q1')
  const signal = await asked.promise
  peer.server.notify('notifications/cancelled', { requestId: 'q1', reason: 'never mind' })
  await settle()

  expect(signal.aborted).toBe(true)
  expect(peer.server.sent.filter(({ message }) => message['id'] === 'q1')).toEqual([])
  expect(messages).toEqual([])
})

requirement('callback:cancel:of-something-else', async (setting) => {
  const held = createDeferred<void>()
  await using peer = await connectScripted(setting, {
    onListRoots: async () => {
      await held.promise
      return { roots: [] }
    },
  })
  peer.server.on('tools/call', () => undefined)
  const calling = peer.client.callTool('tool', {}, { requestId: 'ours' }).catch(() => 'ended')

  const asked = peer.server.request('roots/list', {}, 'q1')
  for (const requestId of ['q2', 'ours', 1, null, {}, undefined]) {
    peer.server.notify('notifications/cancelled', { requestId })
  }
  await settle()
  held.resolve()

  expect(await asked).toMatchObject({ result: { roots: [] } })
  peer.server.respond('ours', text('done'))
  expect(await calling).toMatchObject(text('done'))
})

requirement('callback:close:signals-abort', async ({ connect }) => {
  const { server } = createAsker(ROOTS)
  const asked = createDeferred<AbortSignal>()
  const client = await connect(server, {
    onListRoots: (_params, { signal }) => {
      asked.resolve(signal)
      return new Promise(() => {})
    },
  })

  const calling = client.callTool('tool', {}, { signal: new AbortController().signal }).catch(() => 'failed')
  const signal = await asked.promise
  await client.close()

  expect(await Promise.race([calling, settle().then(() => 'hangs')])).toBe('failed')
  expect(signal.aborted).toBe(true)
})

requirement('fault:F086:listener-fails', async ({ connect }) => {
  const faults: string[] = []
  const heard: string[] = []
  const server = toolServer(
    async ({ session }) => {
      await session.sendLogMessage('error', 'one')
      await session.sendLogMessage('error', 'two')
      return text('done')
    },
    { logging: true },
  )
  await using client = await connect(server, {
    logLevel: 'debug',
    onLog: ({ data }) => {
      heard.push(`log ${data}`)
      throw new Error('a bug')
    },
    onMessage: async ({ params }) => {
      heard.push(`message ${(params as { data: unknown }).data}`)
      throw new Error('another bug')
    },
    onFault: ({ kind }) => faults.push(kind),
  })

  expect(textOf(await client.callTool('tool'))).toBe('done')
  await settle()

  expect(heard.sort()).toEqual(['log one', 'log two', 'message one', 'message two'])
  expect(faults).toEqual(Array(4).fill('notification-failed'))
})

requirement('fault:F086:listener-never-ends', async ({ connect }) => {
  const heard: unknown[] = []
  const server = toolServer(
    async ({ session }) => {
      for (let n = 0; n < 5; n += 1) await session.sendLogMessage('error', n)
      return text('done')
    },
    { logging: true },
  )
  await using client = await connect(server, {
    logLevel: 'debug',
    onLog: ({ data }) => {
      heard.push(data)
      return new Promise(() => {})
    },
  })

  expect(textOf(await client.callTool('tool'))).toBe('done')
  expect(heard).toEqual([0, 1, 2, 3, 4])
})

requirement('callback:elicitation:plain-data', async ({ connect }) => {
  const { server, answers } = createAsker(NAME_FORM)
  await using client = await connect(server, {
    onElicitation: (params: ElicitRequestParams) => {
      // What a callback does to its params is its own affair.
      params.message = 'changed'
      return { action: 'accept', content: { name: 'Ada' } }
    },
  })

  await client.callTool('tool')
  await client.callTool('tool')

  expect(answers).toHaveLength(2)
})
