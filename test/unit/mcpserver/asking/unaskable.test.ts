// Clients that cannot be asked: their revision or their capabilities lack it, which is no mistake of theirs.
import { MCPServer, MissingClientCapabilityError } from 'mcpwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import type { Context } from '../../../../src/mcpserver/handlers/context.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'

/** Declares everything, whatever its revision has: hosts do, and so do attackers. */
const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} }

const MESSAGES = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }]
const TOOLS = [{ name: 'x', inputSchema: { type: 'object' as const } }]

const QUESTIONS: Record<string, (ctx: Context) => Promise<unknown>> = {
  form: (ctx) => ctx.elicit('Who?', z.object({})),
  url: (ctx) => ctx.elicitUrl('Go', 'https://example.com'),
  sample: (ctx) => ctx.sample({ messages: MESSAGES, maxTokens: 1 }),
  sampleWithTools: (ctx) => ctx.sample({ messages: MESSAGES, maxTokens: 1, tools: TOOLS }),
  roots: (ctx) => ctx.listRoots(),
  sessionForm: (ctx) => ctx.session.elicitForm('Who?', { type: 'object', properties: {} }),
  sessionUrl: (ctx) => ctx.session.elicitUrl('Go', 'https://example.com'),
  sessionSample: (ctx) => ctx.session.createMessage({ messages: MESSAGES, maxTokens: 1, tools: TOOLS }),
  sessionRoots: (ctx) => ctx.session.listRoots(),
}

async function connectLegacy(revision: string, capabilities: JSONObject) {
  const faults: Fault[] = []
  const caught: unknown[] = []
  const server = new MCPServer('asking', { onFault: (fault) => faults.push(fault) })
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    server.tool(name, {}, async (_args, ctx) => JSON.stringify(await ask(ctx)))
    server.resource(`ask://${name}`, async (_variables, ctx) => JSON.stringify(await ask(ctx)))
    server.prompt(name, {}, async (_args, ctx) => JSON.stringify(await ask(ctx)))
    server.tool(`${name}-or-not`, {}, async (_args, ctx) =>
      ask(ctx).then(
        () => 'asked',
        (error: unknown) => {
          caught.push(error)
          return 'did without'
        },
      ),
    )
  }
  const [here, there] = createMemoryChannelPair()
  await server.connect(there)
  const client = new JSONRPCDispatcher(here)
  const asked: string[] = []
  void client.run(
    (_ctx, method) => {
      asked.push(method)
      return { action: 'decline', roots: [], role: 'assistant', model: 'm', content: { type: 'text', text: 'Hi' } }
    },
    () => {},
  )
  await client.sendRawRequest('initialize', {
    protocolVersion: revision,
    capabilities,
    clientInfo: { name: 'raw', version: '1' },
  })
  await client.notify('notifications/initialized')
  const outcomeOf = (method: string, params: JSONObject) =>
    client.sendRawRequest(method, params).then(
      (result) => (result['isError'] === true ? result['content'] : result),
      (error: { code: number; message: string }) => ({ code: error.code, message: error.message }),
    )
  return { client, outcomeOf, asked, faults, caught }
}

/** What each revision has no way to ask, and the capability that is missing. */
const LACKING: [revision: string, questions: Record<string, string>][] = [
  ['2024-11-05', { form: 'elicitation.form', url: 'elicitation.url', sampleWithTools: 'sampling.tools' }],
  [
    '2025-03-26',
    {
      form: 'elicitation.form',
      sessionForm: 'elicitation.form',
      url: 'elicitation.url',
      sessionUrl: 'elicitation.url',
    },
  ],
  ['2025-06-18', { url: 'elicitation.url', sampleWithTools: 'sampling.tools', sessionSample: 'sampling.tools' }],
]

describe.each(LACKING)('a client of %s that declares everything', (revision, questions) => {
  it.each(Object.entries(questions))('cannot be asked by %s, which fails the handler', async (name, lacking) => {
    const { client, outcomeOf, asked, faults, caught } = await connectLegacy(revision, EVERYTHING)
    const message = `This client cannot be asked: protocol revision ${revision} has no ${lacking}`

    expect(await outcomeOf('tools/call', { name })).toEqual([
      { type: 'text', text: `The tool "${name}" failed. ${message}` },
    ])
    const internal = { code: -32603, message }
    expect(await outcomeOf('resources/read', { uri: `ask://${name}` })).toEqual(internal)
    expect(await outcomeOf('prompts/get', { name })).toEqual(internal)
    expect(faults.map(({ kind }) => kind)).toEqual(Array(3).fill('handler-failed'))

    expect(await outcomeOf('tools/call', { name: `${name}-or-not` })).toMatchObject({
      content: [{ text: 'did without' }],
    })
    expect(caught[0]).toBeInstanceOf(MissingClientCapabilityError)
    expect(caught[0]).toMatchObject({ local: true, message })
    expect(asked).toEqual([])
    await client.close()
  })
})

describe.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'a client of %s that declares nothing',
  (revision) => {
    it.each(Object.keys(QUESTIONS))('cannot be asked by %s', async (name) => {
      const { client, outcomeOf, asked } = await connectLegacy(revision, {})
      expect(await outcomeOf('tools/call', { name })).toEqual([
        {
          type: 'text',
          text: expect.stringMatching(/^The tool "\w+" failed\. This client cannot be asked: it did not /),
        },
      ])
      expect(asked).toEqual([])
      await client.close()
    })
  },
)

describe('a client of 2025-11-25 that declares everything', () => {
  it('is asked', async () => {
    const { client, outcomeOf, asked } = await connectLegacy('2025-11-25', EVERYTHING)
    for (const name of Object.keys(QUESTIONS)) {
      expect(await outcomeOf('tools/call', { name: `${name}-or-not` })).toMatchObject({ content: [{ text: 'asked' }] })
    }
    expect(asked).toHaveLength(Object.keys(QUESTIONS).length)
    await client.close()
  })
})

describe('a message of the server that its revision does not have', () => {
  it('is a failure of the handler, not of the caller', async () => {
    const server = new MCPServer('wrong', { onFault: () => {} })
    server.tool('vanished', {}, async (_args, ctx) => {
      await ctx.session.sendNotification('notifications/elicitation/complete', { elicitationId: 'x' })
      return 'sent'
    })
    server.tool('misfit', {}, async (_args, ctx) => {
      await ctx.session.sendRequest('sampling/createMessage', { messages: 5 } as never)
      return 'sent'
    })
    const [here, there] = createMemoryChannelPair()
    await server.connect(there)
    const client = new JSONRPCDispatcher(here)
    void client.run(
      () => ({}),
      () => {},
    )
    const clientInfo = { name: 'raw', version: '1' }
    await client.sendRawRequest('initialize', { protocolVersion: '2025-06-18', capabilities: EVERYTHING, clientInfo })
    for (const name of ['vanished', 'misfit']) {
      expect(await client.sendRawRequest('tools/call', { name })).toMatchObject({ isError: true })
    }
    await client.close()
  })
})
