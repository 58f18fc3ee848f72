// The reference server of the protocol, asked directly and through a proxy over HTTP: what comes is the same JSON.
import { createRequire } from 'node:module'
import { afterEach, expect, it } from 'vitest'
import { Client } from '../../src/exports/client.ts'
import { serveHttp } from '../../src/exports/node.ts'
import { createProxy } from '../../src/exports/proxy.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const require = createRequire(import.meta.url)
const program = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
const everything = { command: process.execPath, args: [program, 'stdio'] }

const callbacks = {
  clientInfo: { name: 'test', version: '1' },
  onSampling: async () => ({
    role: 'assistant' as const,
    model: 'm',
    content: { type: 'text' as const, text: 'sampled' },
  }),
  onElicitation: async () => ({ action: 'decline' as const }),
  onListRoots: async () => ({ roots: [{ uri: 'file:///a', name: 'a' }] }),
}

/** What differs between two calls of the same server, whoever asks: times, ids, and what a process says of itself. */
const steady = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/\d{1,2}:\d\d:\d\d(?: [AP]M)?/g, 'TIME')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
      .replaceAll(/"timestamp":\d+/g, '"timestamp":0'),
  ) as unknown

it('compose X30 compose P01 identity, lists, calls, questions and reads are those of the server', async () => {
  const proxy = createProxy(everything)
  const serving = await serveHttp(proxy.server, { port: 0 })
  open.push(proxy, serving)
  const direct = (await Client.connect(everything, { mode: 'legacy', ...callbacks })) as Client
  const through = (await Client.connect(serving.url, { mode: 'legacy', ...callbacks })) as Client
  open.push(direct, through)

  const same = async (what: string, ask: (client: Client) => unknown) => {
    const outcome = async (client: Client) => {
      try {
        return { result: steady(await ask(client)) }
      } catch (error) {
        const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
        return { code, message, data }
      }
    }
    expect(await outcome(through), what).toEqual(await outcome(direct))
  }
  await same('identity', ({ serverInfo, serverCapabilities, instructions, protocolVersion }) => ({
    serverInfo,
    serverCapabilities,
    instructions,
    protocolVersion,
  }))
  await same('tools', (client) => client.listTools())
  await same('resources', (client) => client.listResources())
  await same('templates', (client) => client.listResourceTemplates())
  await same('prompts', (client) => client.listPrompts())

  const { tools } = await direct.listTools()
  expect(tools.length).toBeGreaterThan(8)
  const known = new Map<string, Record<string, unknown>>([
    ['echo', { message: 'x' }],
    ['get-sum', { a: 1, b: 2 }],
    ['trigger-long-running-operation', { duration: 0.2, steps: 2 }],
    ['trigger-sampling-request', { prompt: 'p', maxTokens: 5 }],
    ['get-structured-content', { location: 'Chicago' }],
    ['get-annotated-message', { messageType: 'success', includeImage: true }],
    ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
    ['get-resource-links', { count: 3 }],
  ])
  /** They change the state of the server, or show that of the process. */
  const stateful = /^(?:toggle-|simulate-|get-env|gzip-)/
  for (const { name } of tools) {
    if (!stateful.test(name)) await same(`tool ${name}`, (client) => client.callTool(name, known.get(name) ?? {}))
  }
  const { resources } = await direct.listResources()
  for (const { uri } of resources.slice(0, 5)) await same(`resource ${uri}`, (client) => client.readResource(uri))
  const { prompts } = await direct.listPrompts()
  for (const { name, arguments: args = [] } of prompts) {
    const given = Object.fromEntries(args.map((arg) => [arg.name, 'x']))
    await same(`prompt ${name}`, (client) => client.getPrompt(name, given))
  }
}, 120_000)
