// The state of a call that waits for its caller, where the source of the call is mounted in another server.
import { describe, expect, it } from 'vitest'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { searchTools } from '../../../src/exports/transforms.ts'
import { RawClient, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const QUESTION = {
  q: { method: 'elicitation/create', params: { mode: 'form', message: '?', requestedSchema: { type: 'object' } } },
}
const STATE = 'sealed by "its" server.é'

/** A source whose tool asks once, and keeps in its state what it was asked for. */
function asking() {
  const tools = [{ name: 'ask', inputSchema: { type: 'object' } }]
  return rawServer('modern')
    .on('tools/list', { tools, resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
    .on('tools/call', ({ requestState }) =>
      requestState === STATE
        ? { resultType: 'complete', content: [{ type: 'text', text: 'done' }] }
        : { resultType: 'input_required', inputRequests: QUESTION, requestState: STATE },
    )
}

const kinds = {
  proxy: (source: ReturnType<typeof asking>) => createProxy(targetOf(source), { mode: 'modern' }),
  gateway: (source: ReturnType<typeof asking>) =>
    createGateway({ up: { target: targetOf(source), as: '' } }, { mode: 'modern' }),
}

async function connect(parent: MCPServer) {
  const client = await RawClient.open(parent, 'modern')
  open.push(parent, client)
  await client.result('tools/list')
  return client
}

const answers = { inputResponses: { q: { action: 'accept', content: {} } } }

describe.each(['proxy', 'gateway'] as const)('compose K28 a %s in a server', (kind) => {
  it('its states are not sealed again, and come back to it as they were', async () => {
    const source = asking()
    const mounted = kinds[kind](source)
    open.push(mounted)
    const parent = new MCPServer('parent')
    parent.mount(mounted, { as: 'up' })
    const client = await connect(parent)
    const first = await client.result('tools/call', { name: 'up_ask' })
    expect(first['requestState']).toBe(`mounted:${STATE}`)
    const last = await client.result('tools/call', { name: 'up_ask', ...answers, requestState: first['requestState'] })
    expect(last).toMatchObject({ content: [{ text: 'done' }] })
    expect(source.received('tools/call').map(({ params }) => (params as RawMessage)['requestState'])).toEqual([
      undefined,
      STATE,
    ])
  })

  it('a server around that server seals what comes of it', async () => {
    const source = asking()
    const [mounted, child, parent] = [kinds[kind](source), new MCPServer('child'), new MCPServer('parent')]
    open.push(mounted, child)
    child.mount(mounted)
    parent.mount(child, { as: 'up' })
    const client = await connect(parent)
    const { requestState } = await client.result('tools/call', { name: 'up_ask' })
    expect(requestState).not.toContain('sealed by')
    const last = await client.result('tools/call', { name: 'up_ask', ...answers, requestState })
    expect(last).toMatchObject({ content: [{ text: 'done' }] })
    const forged = await client.error('tools/call', { name: 'up_ask', ...answers, requestState: `${requestState}x` })
    expect(forged).toMatchObject({ code: -32602 })
  })

  it('through a tool that calls others', async () => {
    const source = asking()
    const mounted = kinds[kind](source)
    open.push(mounted)
    const parent = new MCPServer('parent')
    parent.mount(mounted, { as: 'up' })
    parent.transform(searchTools({ above: 0 }))
    const client = await connect(parent)
    const call = { name: 'call_tool', arguments: { name: 'up_ask', arguments: {} } }
    const { requestState } = await client.result('tools/call', call)
    const last = await client.result('tools/call', { ...call, ...answers, requestState })
    expect(last).toMatchObject({ content: [{ text: 'done' }] })
  })
})

it('compose K28 a tool of the server itself never reads a state that the server has not sealed', async () => {
  const parent = new MCPServer('parent')
  const seen: unknown[] = []
  parent.tool('own', async (_args, ctx) => {
    seen.push(ctx.request.params?.['requestState'])
    const { action } = await ctx.elicit('?', { type: 'object', properties: {} })
    return action
  })
  const mounted = kinds.proxy(asking())
  open.push(mounted)
  parent.mount(mounted, { as: 'up' })
  const client = await connect(parent)
  const first = await client.result('tools/call', { name: 'own' })
  const state = first['requestState'] as string
  for (const requestState of ['mounted:{}', 'mounted:', `mounted:${state}`]) {
    const again = await client.result('tools/call', { name: 'own', ...answers, requestState })
    expect(again).toMatchObject({ resultType: 'input_required' })
  }
  expect(seen.every((each) => each === undefined)).toBe(true)
  expect(await client.error('tools/call', { name: 'own', ...answers, requestState: 'forged' })).toMatchObject({
    code: -32602,
  })
})
