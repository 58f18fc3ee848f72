import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NOTIFICATIONS, REQUESTS } from '../../../../src/wire/methods.ts'
import { settle } from '../../../support/peers.ts'
import { openHandshake, openModern } from '../../../support/sessions.ts'

const methods = fc.constantFrom(...Object.keys(REQUESTS), 'constructor', '__proto__', 'acme/x')
const notifications = fc.constantFrom(...Object.keys(NOTIFICATIONS), 'acme/tick', 'toString')
const params = fc.dictionary(
  fc.constantFrom(
    '_meta',
    'requestId',
    'messages',
    'maxTokens',
    'mode',
    'message',
    'requestedSchema',
    '__proto__',
    'level',
  ),
  fc.jsonValue({ maxDepth: 3 }),
)
const callbacks = {
  onSampling: () => ({ role: 'assistant' as const, content: { type: 'text' as const, text: '' }, model: 'm' }),
  onElicitation: () => ({ action: 'accept' as const, content: {} }),
  onListRoots: () => ({ roots: [] }),
  onLog: () => {},
  onMessage: () => {},
  notificationBindings: [{ method: 'acme/tick', handle: () => {} }],
}

it('I2 whatever a server asks is answered exactly once, whatever it notifies harms nothing', async () => {
  await using connection = await openHandshake(callbacks)
  const { server } = connection
  await fc.assert(
    fc.asyncProperty(methods, params, notifications, params, async (method, asked, notification, told) => {
      const before = server.sent.length
      server.notify(notification, told)
      const answer = await server.request(method, asked)
      await settle()
      expect('result' in answer).not.toBe('error' in answer)
      expect(server.sent.slice(before)).toHaveLength(1)
    }),
    { seed: 20260728, numRuns: 150 },
  )
})

it('I2 B-TR-03 whatever a modern server asks is never answered, whatever it notifies harms nothing', async () => {
  await using connection = await openModern(callbacks)
  const { server } = connection
  const before = server.sent.length
  await fc.assert(
    fc.asyncProperty(methods, params, notifications, params, async (method, asked, notification, told) => {
      server.notify(notification, told)
      void server.request(method, asked)
      await settle()
      expect(server.sent).toHaveLength(before)
    }),
    { seed: 20260728, numRuns: 150 },
  )
})
