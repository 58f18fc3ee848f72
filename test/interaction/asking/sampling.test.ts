// Sampling: a server asks the client's model, with or without tools.
import { expect, vi } from 'vitest'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { ServerSession } from '../../../src/server/session.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  SamplingMessage,
} from '../../../src/types/features/sampling.ts'
import type { Setting } from '../kit/requirement.ts'
import { requirement } from '../kit/requirement.ts'
import { connectRawClient, createAsker, SAMPLING, text, toolServer } from '../kit/support-interaction.ts'

const ANSWER: CreateMessageResult = {
  role: 'assistant',
  model: 'a model',
  content: { type: 'text', text: 'hello' },
  stopReason: 'endTurn',
}
const PARAMS = SAMPLING.params as CreateMessageRequestParams
const TOOL = { name: 'search', inputSchema: { type: 'object' as const } }
const USE = { type: 'tool_use' as const, id: 'u1', name: 'search', input: { q: 'x' } }
const RESULT = { type: 'tool_result' as const, toolUseId: 'u1', content: [{ type: 'text' as const, text: 'found' }] }
const WORDS = { type: 'text' as const, text: 'words' }

function sampling(answer: unknown = ANSWER) {
  return { onSampling: vi.fn((_params: CreateMessageRequestParams) => answer as CreateMessageResult) }
}

/** What became of asking the client by its session. */
async function askBy(
  { connect }: Setting,
  options: ClientOptions,
  ask: (session: ServerSession) => Promise<unknown>,
): Promise<unknown> {
  let outcome: unknown
  const server = toolServer(async ({ session }) => {
    outcome = await ask(session).catch((error: unknown) => error)
    return text('')
  })
  await using client = await connect(server, options)
  await client.callTool('tool')
  return outcome
}

requirement('sampling:ask:answer', async ({ connect }) => {
  const { server, answers } = createAsker(SAMPLING)
  const { onSampling } = sampling()
  await using client = await connect(server, { onSampling })

  await client.callTool('tool')

  expect(onSampling.mock.calls[0]?.[0]).toMatchObject(PARAMS)
  expect(answers).toMatchObject([ANSWER])
})

requirement('sampling:ask:all-wishes-reach-the-callback', async ({ connect }) => {
  const params: CreateMessageRequestParams = {
    ...PARAMS,
    maxTokens: 7,
    systemPrompt: 'Be brief.',
    temperature: 0.5,
    stopSequences: ['\n', 'END'],
    metadata: { provider: { seed: 1 } },
    includeContext: 'none',
    modelPreferences: { hints: [{ name: 'small' }, { name: 'large' }], costPriority: 1, speedPriority: 0.5 },
  }
  const { server } = createAsker({ method: 'sampling/createMessage', params })
  const { onSampling } = sampling()
  await using client = await connect(server, { onSampling })

  await client.callTool('tool')

  expect(onSampling.mock.calls[0]?.[0]).toMatchObject(params)
})

requirement('sampling:capability:declared-with-callback', async ({ connect }) => {
  const declared: unknown[] = []
  const server = toolServer(({ clientCapabilities }) => {
    declared.push(clientCapabilities.sampling)
    return text('')
  })
  await using plain = await connect(server)
  await using able = await connect(server, sampling())
  await using withTools = await connect(server, { ...sampling(), samplingCapabilities: { tools: {}, context: {} } })

  for (const client of [plain, able, withTools]) await client.callTool('tool')

  expect(declared).toEqual([undefined, {}, { tools: {}, context: {} }])
})

requirement('sampling:ask:not-declared-not-sent', async (setting) => {
  const failure = await askBy(setting, {}, (session) => session.createMessage(PARAMS))

  expect(failure).toMatchObject({ code: -32021, local: true, data: { requiredCapabilities: { sampling: {} } } })
})

requirement('sampling:ask:client-refuses-undeclared', async (setting) => {
  // Past the check of `createMessage`.
  const failure = await askBy(setting, {}, (session) => session.sendRequest('sampling/createMessage', PARAMS))

  expect(failure).toMatchObject({ code: -32601, local: false })
})

requirement('sampling:refusal:reaches-the-server', async (setting) => {
  const onSampling = () => {
    throw new MCPError(-1, 'User rejected sampling request')
  }
  const failure = await askBy(setting, { onSampling }, (session) => session.createMessage(PARAMS))

  expect(failure).toMatchObject({ code: -1, message: 'User rejected sampling request', local: false })
})

requirement('sampling:answer:checked-before-it-leaves', async ({ connect }) => {
  for (const answer of [null, 'hello', {}, { ...ANSWER, role: 'system' }, { ...ANSWER, model: 7 }]) {
    const { server, answers } = createAsker(SAMPLING)
    await using client = await connect(server, sampling(answer))
    await expect(client.callTool('tool')).rejects.toMatchObject({ code: -32603 })
    expect(answers).toEqual([])
  }
})

requirement('sampling:tools:not-declared-not-sent', async (setting) => {
  const { onSampling } = sampling()
  for (const extra of [{ tools: [TOOL] }, { toolChoice: { mode: 'auto' as const } }, { tools: [] }]) {
    const failure = await askBy(setting, { onSampling }, (session) => session.createMessage({ ...PARAMS, ...extra }))
    expect(failure).toMatchObject({
      code: -32021,
      local: true,
      data: { requiredCapabilities: { sampling: { tools: {} } } },
    })
  }
  expect(onSampling).not.toHaveBeenCalled()
})

requirement('sampling:tools:client-refuses-undeclared', async (setting) => {
  const { onSampling } = sampling()
  const failure = await askBy(setting, { onSampling }, (session) =>
    session.sendRequest('sampling/createMessage', { ...PARAMS, tools: [TOOL] }),
  )

  expect(failure).toMatchObject({ code: -32602, local: false })
  expect(onSampling).not.toHaveBeenCalled()
})

requirement('sampling:tools:round-trip', async (setting) => {
  const answer = { ...ANSWER, stopReason: 'toolUse', content: [WORDS, { ...USE, _meta: { 'com.example/k': 1 } }] }
  const options = { ...sampling(answer), samplingCapabilities: { tools: {} } }
  const outcome = await askBy(setting, options, (session) => session.createMessage({ ...PARAMS, tools: [TOOL] }))

  expect(outcome).toMatchObject(answer)
})

requirement('sampling:tools:history-keeps-meta', async (setting) => {
  const messages: SamplingMessage[] = [
    { role: 'user', content: WORDS },
    { role: 'assistant', content: [WORDS, { ...USE, _meta: { 'com.example/use': 1 } }] },
    { role: 'user', content: [{ ...RESULT, _meta: { 'com.example/result': 2 } }], _meta: { 'com.example/message': 3 } },
  ]
  const { onSampling } = sampling()
  const options = { onSampling, samplingCapabilities: { tools: {} } }
  await askBy(setting, options, (session) => session.createMessage({ ...PARAMS, messages, tools: [TOOL] }))

  expect(onSampling.mock.calls[0]?.[0]?.messages).toEqual(messages)
})

requirement('sampling:tools:none-given-none-used', async (setting) => {
  for (const content of [[WORDS], [], USE]) {
    const server = toolServer(async ({ session }) => {
      await session.createMessage(PARAMS)
      return text('took it')
    })
    const errors: unknown[] = []
    server.use(async (_ctx, next) => {
      try {
        return await next()
      } catch (error) {
        errors.push(error)
        throw error
      }
    })
    await using raw = await connectRawClient(setting, server, { sampling: {} })
    raw.peer.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tool' } })
    const { id } = await raw.peer.next()
    raw.peer.send({ jsonrpc: '2.0', id, result: { ...ANSWER, content } })

    expect(await raw.peer.next()).toMatchObject({ error: { code: -32603 } })
    expect(errors[0]).toBeInstanceOf(InvalidResultError)
    expect(errors[0]).toMatchObject({ path: 'content' })
  }
})

/** What `createMessage` says to these messages, and how often the client was asked. */
async function sendMessages(setting: Setting, messages: SamplingMessage[]) {
  const { onSampling } = sampling()
  const options = { onSampling, samplingCapabilities: { tools: {} } }
  const outcome = await askBy(setting, options, (session) =>
    session.createMessage({ ...PARAMS, messages, tools: [TOOL] }),
  )
  return { outcome, asked: onSampling.mock.calls.length }
}

const REFUSED = { outcome: { code: -32602, local: true }, asked: 0 }
const ASKED: SamplingMessage = { role: 'user', content: WORDS }
const USED: SamplingMessage = { role: 'assistant', content: [USE] }

requirement('sampling:rules:results-stand-alone', async (setting) => {
  const mixed: SamplingMessage = { role: 'user', content: [RESULT, WORDS] }
  expect(await sendMessages(setting, [ASKED, USED, mixed])).toMatchObject(REFUSED)
})

requirement('sampling:rules:every-use-has-its-result', async (setting) => {
  const two: SamplingMessage = { role: 'assistant', content: [USE, { ...USE, id: 'u2' }] }
  const one: SamplingMessage = { role: 'user', content: [RESULT] }
  expect(await sendMessages(setting, [ASKED, two, one])).toMatchObject(REFUSED)
  expect(await sendMessages(setting, [ASKED, USED, ASKED])).toMatchObject(REFUSED)
  expect(await sendMessages(setting, [ASKED, USED])).toMatchObject(REFUSED)
})

requirement('sampling:rules:every-result-has-its-use', async (setting) => {
  const lone: SamplingMessage = { role: 'user', content: RESULT }
  const twice: SamplingMessage = { role: 'user', content: [RESULT, RESULT] }
  expect(await sendMessages(setting, [ASKED, lone])).toMatchObject(REFUSED)
  expect(await sendMessages(setting, [ASKED, USED, twice])).toMatchObject(REFUSED)
})

requirement('sampling:rules:roles', async (setting) => {
  expect(
    await sendMessages(setting, [
      { role: 'user', content: USE },
      { role: 'user', content: RESULT },
    ]),
  ).toMatchObject(REFUSED)
  expect(await sendMessages(setting, [ASKED, USED, { role: 'assistant', content: RESULT }])).toMatchObject(REFUSED)
})

requirement('sampling:rules:ids-differ', async (setting) => {
  const same: SamplingMessage = { role: 'assistant', content: [USE, USE] }
  expect(await sendMessages(setting, [ASKED, same, { role: 'user', content: [RESULT] }])).toMatchObject(REFUSED)
})

requirement('sampling:context:not-declared-not-sent', async (setting) => {
  const { onSampling } = sampling()
  const ask = (session: ServerSession) => session.createMessage({ ...PARAMS, includeContext: 'allServers' })

  const failure = await askBy(setting, { onSampling }, ask)
  expect(failure).toMatchObject({
    code: -32021,
    local: true,
    data: { requiredCapabilities: { sampling: { context: {} } } },
  })
  expect(onSampling).not.toHaveBeenCalled()

  const outcome = await askBy(setting, { onSampling, samplingCapabilities: { context: {} } }, ask)
  expect(outcome).toMatchObject(ANSWER)
})

requirement('sampling:content:known-to-the-revision', async (setting) => {
  const { onSampling } = sampling()
  const audio = { type: 'audio' as const, data: 'AAAA', mimeType: 'audio/wav' }
  const outcome = await askBy(setting, { onSampling }, (session) =>
    session.createMessage({ ...PARAMS, messages: [{ role: 'user', content: audio }] }),
  )

  const hasAudio = setting.version !== '2024-11-05'
  expect(outcome).toMatchObject(hasAudio ? ANSWER : { code: -32602 })
  expect(onSampling).toHaveBeenCalledTimes(hasAudio ? 1 : 0)
})

requirement('sampling:rules:client-refuses-broken', async (setting) => {
  const { onSampling } = sampling()
  const messages: SamplingMessage[] = [
    { role: 'assistant', content: [USE] },
    { role: 'user', content: [RESULT, WORDS] },
  ]
  const options = { onSampling, samplingCapabilities: { tools: {} } }
  // Past the server's own check, as a server of another make might.
  const outcome = await askBy(setting, options, (session) =>
    session.sendRequest('sampling/createMessage', { ...PARAMS, messages, tools: [TOOL] }),
  )

  expect(outcome).toMatchObject({ code: -32602, message: expect.stringContaining('messages[1]') })
  expect(onSampling).not.toHaveBeenCalled()
})
