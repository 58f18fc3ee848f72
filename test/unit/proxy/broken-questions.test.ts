// A legacy source asks a modern client something that no client could read: the source reads that, and its call goes on.
import { expect, it } from 'vitest'
import { createProxy } from '../../../src/exports/proxy.ts'
import { RawClient, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const FORM = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }

async function connect() {
  const server = rawServer('legacy').on('tools/list', { tools: [] })
  const proxy = createProxy(targetOf(server), { mode: 'legacy', onFault: () => {} })
  const client = await RawClient.open(proxy, 'modern', { capabilities: { sampling: {}, elicitation: { form: {} } } })
  open.push(proxy, client)
  return { server, client }
}

it.each<[string, string, RawMessage]>([
  ['a form without a schema', 'elicitation/create', { message: 'Sure?' }],
  ['a schema that is no object', 'elicitation/create', { message: 'Sure?', requestedSchema: 'x' }],
  ['a mode that nobody knows', 'elicitation/create', { ...FORM, mode: 'telepathy' }],
  ['a sample without messages', 'sampling/createMessage', { name: 'ok', arguments: {} }],
])('compose P20 %s is refused at the source, and its other question is asked', async (_what, method, params) => {
  const { server, client } = await connect()
  const answers: RawMessage[] = []
  server.on('tools/call', (_params, id) => {
    const broken = server.request(method, params)
    const good = server.request('elicitation/create', FORM)
    void Promise.all([broken, good]).then((given) => {
      answers.push(...given)
      server.respond(id, { content: [] })
    })
    return undefined
  })
  const call = { name: 'a', arguments: {} }
  const { result: asked } = (await client.request('tools/call', call)) as { result: RawMessage }
  expect(asked['resultType']).toBe('input_required')
  const [[key, question] = [], ...others] = Object.entries(asked['inputRequests'] as RawMessage)
  expect(others).toEqual([])
  expect(question).toMatchObject({ method: 'elicitation/create', params: FORM })
  const inputResponses = { [String(key)]: { action: 'accept', content: {} } }
  const done = await client.request('tools/call', { ...call, inputResponses, requestState: asked['requestState'] })
  expect(done).toMatchObject({ result: { content: [] } })
  expect(answers).toMatchObject([{ error: { code: -32602 } }, { result: { action: 'accept' } }])
})
