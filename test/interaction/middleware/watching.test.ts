// The middleware that comes with a server to watch it: a line for each message, and how long each took.
import { expect } from 'vitest'
import { logRequests, type RequestTiming, timeRequests } from '../../../src/server/middleware/log-requests.ts'
import { requirement } from '../kit/requirement.ts'
import { createServer, refusalOf } from '../kit/support-mcpserver.ts'

const PASSWORD = { type: 'object', properties: { password: { type: 'string' } } } as const

requirement('watching:log', async ({ connect, isModern }) => {
  const lines: string[] = []
  const { server } = createServer({ middleware: [logRequests((line) => lines.push(line))] })
  server.tool('login', { input: PASSWORD }, () => 'done')
  server.tool('broken', {}, () => {
    throw new Error('secret')
  })
  await using client = await connect(server)
  await client.callTool('login', { password: 'secret' })
  await client.callTool('broken')
  await refusalOf(client.callTool('none'))

  const opening = isModern ? 'method=server/discover' : 'method=initialize'
  expect(lines[0]).toMatch(new RegExp(`^${opening} id=\\S+ ms=\\d+\\.\\d outcome=ok$`))
  const calls = lines.filter((line) => line.startsWith('method=tools/call'))
  expect(calls.map((line) => line.replace(/id=\S+ ms=\S+ /, ''))).toEqual([
    'method=tools/call name=login outcome=ok',
    'method=tools/call name=broken outcome=tool-error',
    'method=tools/call name=none outcome=error code=-32602',
  ])
  expect(lines.join()).not.toContain('secret')
})

requirement('watching:timing', async ({ connect }) => {
  const timings: RequestTiming[] = []
  const { server } = createServer({ middleware: [timeRequests((timing) => timings.push(timing))] })
  server.tool('tool', {}, () => 'done')
  await using client = await connect(server)
  await client.callTool('tool')
  await refusalOf(client.callTool('none'))
  await client.session.sendNotification('vendor/told')
  await expect.poll(() => timings.some(({ method }) => method === 'vendor/told')).toBe(true)

  const durationMs = expect.any(Number)
  for (const expected of [
    { method: 'tools/call', target: 'tool', isNotification: false, durationMs, outcome: { kind: 'ok' } },
    {
      method: 'tools/call',
      target: 'none',
      isNotification: false,
      durationMs,
      outcome: { kind: 'error', code: -32602 },
    },
    { method: 'vendor/told', target: undefined, isNotification: true, durationMs, outcome: { kind: 'ok' } },
  ]) {
    expect(timings).toContainEqual(expected)
  }
})
