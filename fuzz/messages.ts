// Messages in all revisions: a server responds to each request once and keeps running; a client settles each call.
import fc from 'fast-check'
import { Client } from '../src/client/client.ts'
import type { Channel } from '../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../src/dispatcher/memory-channel.ts'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../src/primitives/async/promises.ts'
import { MCPError } from '../src/types/errors/errors.ts'
import type { JSONObject } from '../src/types/protocol/json.ts'
import type { JSONRPCMessage } from '../src/types/protocol/jsonrpc.ts'
import { isLegacyVersion, PROTOCOL_VERSIONS } from '../src/types/protocol/versions.ts'
import { NOTIFICATIONS, REQUESTS } from '../src/wire/methods.ts'
import { asProperty, demand, type FuzzTarget } from './target.ts'

type Message = Record<string, unknown>

const scalar: fc.Arbitrary<unknown> = fc.constantFrom(
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    'a',
    'echo',
    'x://a',
    '2026-07-28',
    '2025-11-25',
    'info',
    '__proto__',
    'é',
    '\ud800',
  ],
)
const { loose } = fc.letrec<{ loose: unknown }>((tie) => ({
  loose: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: scalar },
    fc.array(tie('loose'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('name', 'type', 'text', 'uri', 'content', '__proto__', 'a'), tie('loose'), {
      maxKeys: 3,
    }),
  ),
}))
const member = (...names: string[]) => fc.dictionary(fc.constantFrom(...names), loose, { maxKeys: 4 })
const envelope = fc.constantFrom<JSONObject>(
  {},
  {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  },
  { 'io.modelcontextprotocol/protocolVersion': 7, progressToken: {} },
  { progressToken: 1 },
)
const plausible: fc.Arbitrary<JSONObject> = fc.constantFrom<JSONObject>(
  { name: 'echo', arguments: { text: 'hi' } },
  { name: 'hello' },
  { uri: 'x://a' },
  { cursor: 'none' },
  { level: 'debug' },
  { ref: { type: 'ref/prompt', name: 'hello' }, argument: { name: 'a', value: '' } },
  { requestId: 1 },
  { progressToken: 1, progress: 1 },
  { notifications: { toolsListChanged: true } },
)
const params = fc
  .tuple(
    fc.option(plausible, { nil: {} }),
    member(
      'name',
      'uri',
      'arguments',
      'cursor',
      'level',
      'ref',
      'argument',
      'requestId',
      'progressToken',
      'inputResponses',
    ),
    fc.option(envelope, { nil: undefined }),
  )
  .map(([good, changed, _meta]) => ({ ...good, ...changed, ...(_meta !== undefined && { _meta }) }))
const method = fc.constantFrom<unknown>(...Object.keys(REQUESTS), ...Object.keys(NOTIFICATIONS), 'x', '', 7, null)
const id = fc.constantFrom<unknown>(1, 2, '1', 'a', -5, 0, 1.5, null, true, {}, 2 ** 60)
const message: fc.Arbitrary<Message> = fc
  .record(
    {
      jsonrpc: fc.constantFrom<unknown>('2.0', '2.0', '2.0', '1.0', 2),
      id,
      method,
      params: fc.oneof({ weight: 5, arbitrary: params }, scalar),
      result: loose,
      error: fc.oneof(loose, fc.constant({ code: -32000, message: 'no' })),
      extra: scalar,
    },
    { requiredKeys: ['jsonrpc'] },
  )
  .map((whole) => {
    // Requests and notifications more often than responses.
    if (whole.method !== undefined && whole.extra !== true) {
      delete whole.result
      delete whole.error
    }
    return whole
  })
const sent = fc.array(fc.oneof({ weight: 9, arbitrary: message }, fc.array(message, { maxLength: 3 })), {
  minLength: 1,
  maxLength: 6,
})
const version = fc.constantFrom(...PROTOCOL_VERSIONS)

function startServer(): { channel: Channel; faults: unknown[]; close: () => Promise<void> } {
  const faults: unknown[] = []
  const server = new MCPServer('fuzzed', {
    onFault: ({ kind, error }) => {
      // A mistake of the peer is an `MCPError`.
      const isOurs = (kind === 'handler-failed' || kind === 'notification-failed') && !(error instanceof MCPError)
      if (isOurs) faults.push(error)
    },
  })
  const input = { type: 'object', properties: { text: { type: 'string' } } } as const
  server.tool('echo', { input }, ({ text }) => String(text))
  server.resource('x://{name}', ({ name }) => `Hello, ${String(name)}`)
  server.prompt('hello', { input: { type: 'object', properties: { a: { type: 'string' } } } }, () => 'Hello')
  const [here, there] = createMemoryChannelPair()
  void server.connect(there)
  return { channel: here, faults, close: () => server.close() }
}

function modern(requestId: number, name: string): JSONRPCMessage {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { jsonrpc: '2.0', id: requestId, method: name, params: { _meta } }
}

const LAST_ID = 999_999

async function holdServer(revision: string, messages: readonly unknown[]): Promise<void> {
  const { channel, faults, close } = startServer()
  const answers: Message[] = []
  const welcomed = createDeferred()
  const finished = createDeferred<Message | undefined>()
  await channel.start({
    message: (answer) => {
      for (const one of [answer].flat() as Message[]) {
        answers.push(one)
        if (one['id'] === 0) welcomed.resolve()
        if (one['id'] === LAST_ID) finished.resolve(one)
      }
      return undefined
    },
    fault: () => {},
    lost: () => {},
    closed: () => finished.resolve(undefined),
  })
  try {
    const isLegacy = isLegacyVersion(revision)
    if (isLegacy) {
      const clientInfo = { name: 'fuzz', version: '1' }
      const hello = { protocolVersion: revision, capabilities: {}, clientInfo }
      await channel.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello })
      await welcomed.promise
      await channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    } else {
      // The first accepted request decides the era.
      await channel.send(modern(0, 'tools/list'))
      await welcomed.promise
    }
    for (const one of messages) await channel.send(one as JSONRPCMessage)
    await channel.send(isLegacy ? { jsonrpc: '2.0', id: LAST_ID, method: 'ping' } : modern(LAST_ID, 'tools/list'))
    const last = await finished.promise
    demand(last !== undefined, 'the connection ended')
    demand('result' in last, `the last request was answered with ${JSON.stringify(last)}`)
    const internal = answers.find(({ error }) => (error as Message | undefined)?.['code'] === -32603)
    demand(internal === undefined, `answered ${JSON.stringify(internal)}`)
    demand(faults.length === 0, `a handler failed: ${String((faults[0] as Error | undefined)?.stack ?? faults[0])}`)
  } finally {
    await channel.close()
    await close()
  }
}

const content = fc.oneof(loose, fc.constantFrom<unknown>([{ type: 'text', text: 'a' }], [{ type: 'image' }], []))
const result = fc
  .tuple(
    fc.record(
      { content, tools: loose, structuredContent: loose, isError: loose, resultType: scalar, nextCursor: scalar },
      { requiredKeys: [] },
    ),
    fc.boolean(),
  )
  .map(([members, isList]) => (isList ? { tools: [], ...members } : { content: [], ...members }))

/** Names of errors that a caller may get. Any other error is a bug. */
const EXPECTED =
  /^(?:MCPError|InvalidResultError|LimitError|TransportError|ConnectError|UnexpectedClaimedResult|InputRequiredRoundsExceededError|UnsupportedProtocolVersionError|UrlElicitationRequiredError)$/

async function holdClient(revision: string, unasked: readonly unknown[], outcome: unknown): Promise<void> {
  const [here, there] = createMemoryChannelPair()
  const capabilities = { tools: {}, logging: {} }
  const serverInfo = { name: 'fuzz', version: '1' }
  let isGood = false
  await there.start({
    message: async (asked) => {
      const { id: requestId, method: name } = asked as Message
      if (requestId === undefined || name === undefined) return
      const answer = (value: unknown) => there.send({ jsonrpc: '2.0', id: requestId, result: value } as JSONRPCMessage)
      if (name === 'initialize') return await answer({ protocolVersion: revision, capabilities, serverInfo })
      if (name === 'server/discover') {
        const supportedVersions = [revision]
        return await answer({
          resultType: 'complete',
          supportedVersions,
          capabilities,
          ttlMs: 0,
          cacheScope: 'private',
        })
      }
      if (isGood) {
        const good = name === 'tools/list' ? { tools: [], ttlMs: 0, cacheScope: 'private' } : { content: [] }
        return await answer({ resultType: 'complete', ...good })
      }
      for (const one of unasked) await there.send(one as JSONRPCMessage)
      await answer(outcome)
    },
    fault: () => {},
    lost: () => {},
    closed: () => {},
  })
  const transport = { kind: 'fuzz', open: async () => here }
  const client = await Client.connect(transport, { mode: revision as never, onFault: () => {}, cache: false })
  try {
    for (const call of [() => client.callTool('echo', {}), () => client.listTools()]) {
      await call().catch((error: unknown) => {
        const isExpected = error instanceof Error && EXPECTED.test(error.name)
        demand(isExpected, error instanceof Error ? (error.stack ?? error.message) : String(error))
      })
    }
    isGood = true
    await client.callTool('echo', {})
  } finally {
    await client.close()
  }
}

/** A message that is neither a response to a call nor a request. */
const harmless = fc.array(
  message.filter((one) => !('result' in one) && !('error' in one)),
  { maxLength: 3 },
)

export const messagesTarget: FuzzTarget = {
  name: 'messages',
  about: 'after any messages in any revision, a server still serves and a client has settled its call',
  runs: 600,
  property: asProperty(
    fc.asyncProperty(version, sent, harmless, result, async (revision, messages, unasked, outcome) => {
      await holdServer(revision, messages)
      await holdClient(revision, unasked, outcome)
    }),
  ),
}
