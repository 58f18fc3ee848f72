// A modern source that asks in round after round, and a legacy client that is asked.
import { expect, it } from 'vitest'
import { createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { RawClient, type RawMessage, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach, sourceOf } from './pair.ts'

const open = closedAfterEach()

async function connect(rounds: number, options: ProxyOptions['client'] = {}) {
  let calls = 0
  const server = sourceOf('modern').on('tools/call', () => {
    calls += 1
    if (calls > rounds) return { resultType: 'complete', content: [] }
    const requestedSchema = { type: 'object', properties: {} }
    const params = { mode: 'form', message: `Question ${calls}`, requestedSchema }
    const inputRequests = { q: { method: 'elicitation/create', params } }
    return { resultType: 'input_required', inputRequests, requestState: `${calls}` }
  })
  const proxy = createProxy(targetOf(server), { mode: 'modern', onFault: () => {}, client: options })
  const client = await RawClient.open(proxy, 'legacy')
  client.onRequest = () => ({ result: { action: 'accept', content: {} } })
  open.push(proxy, client)
  const answer = (await client.request('tools/call', { name: 'ask' })) as { error?: RawMessage; result?: RawMessage }
  return { ...answer, asked: client.told('elicitation/create').length, calls }
}

it.each([
  [undefined, 10],
  [3, 3],
  [0, 0],
])('compose P21 inputRequiredMaxRounds %s: %i rounds are answered, and not one more', async (given, limit) => {
  const options = given === undefined ? {} : { inputRequiredMaxRounds: given }
  const within = await connect(limit, options)
  expect(within.result).toMatchObject({ content: [] })
  expect(within).toMatchObject({ asked: limit, calls: limit + 1 })
  const beyond = await connect(limit + 1, options)
  expect(beyond.error).toMatchObject({
    code: -32603,
    message: `The source asked more than ${limit} times within one call.`,
  })
  expect(beyond).toMatchObject({ asked: limit, calls: limit + 1 })
})
