// Log messages: who sees which, in either era.
import { expect } from 'vitest'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { Server } from '../../../src/server/server.ts'
import {
  LOGGING_LEVELS,
  type LoggingLevel,
  type LoggingMessageNotificationParams,
} from '../../../src/types/features/logging.ts'
import { requirement } from '../kit/requirement.ts'
import { Inbox, NO_CONTENT, noteMethods, refusalOf, tool, toolServer } from '../kit/support-features.ts'

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

/** A server whose tool logs once at each level, mildest first. */
function chattyServer(): Server {
  const call = async ({ session }: Parameters<Parameters<typeof toolServer>[1] & object>[0]) => {
    for (const level of LOGGING_LEVELS) await session.sendLogMessage(level, level)
    return NO_CONTENT
  }
  return toolServer([tool('chat')], call, { logging: true })
}

/** Takes log messages without asking for any. */
function overhear(logs: Inbox<LoggingMessageNotificationParams>): Pick<ClientOptions, 'onMessage'> {
  return {
    onMessage: ({ method, params }) => {
      if (method === 'notifications/message') logs.push(params as LoggingMessageNotificationParams)
    },
  }
}

function levels(logs: Inbox<LoggingMessageNotificationParams>): LoggingLevel[] {
  return logs.items.map(({ level }) => level)
}

requirement('logging:capability', async ({ connect }) => {
  await using client = await connect(chattyServer())

  expect(client.serverCapabilities.logging).toEqual({})
})

requirement('logging:content', async ({ connect }) => {
  const data = [
    { text: 'plain', logger: undefined },
    { text: { nested: [1, null] }, logger: 'db.pool' },
  ]
  const server = toolServer([tool('log')], async ({ session }) => {
    for (const { text, logger } of data) await session.sendLogMessage('error', text, logger)
    return NO_CONTENT
  })
  const logs = new Inbox<LoggingMessageNotificationParams>()
  await using client = await connect(server, { onLog: logs.push, logLevel: 'debug' })
  await client.callTool('log')

  expect(await logs.first(2)).toEqual([
    { level: 'error', data: 'plain' },
    { level: 'error', data: { nested: [1, null] }, logger: 'db.pool' },
  ])
})

requirement('logging:before-the-result', async ({ connect }) => {
  const logs = new Inbox<LoggingMessageNotificationParams>()
  await using client = await connect(chattyServer(), { onLog: logs.push, logLevel: 'debug' })
  await client.callTool('chat')

  expect(levels(logs)).toEqual([...LOGGING_LEVELS])
})

requirement('logging:listener-first-then-everybody', async ({ connect }) => {
  const told: string[] = []
  const server = toolServer([tool('log')], async ({ session }) => {
    await session.sendLogMessage('alert', 'x')
    return NO_CONTENT
  })
  await using client = await connect(server, {
    logLevel: 'debug',
    onLog: async () => {
      await Promise.resolve()
      told.push('onLog')
    },
    onMessage: ({ method }) => void told.push(method),
  })
  await client.callTool('log')

  await expect.poll(() => told).toEqual(['onLog', 'notifications/message'])
})

requirement('logging:listener-fails', async ({ connect }) => {
  const faults: Fault[] = []
  const messages = new Inbox<string>()
  await using client = await connect(chattyServer(), {
    logLevel: 'emergency',
    onFault: (fault) => faults.push(fault),
    onLog: () => {
      throw new Error('no disk')
    },
    onMessage: ({ method }) => messages.push(method),
  })
  expect(await client.callTool('chat')).toMatchObject(NO_CONTENT)
  await messages.first(1)

  expect(faults[0]).toMatchObject({ kind: 'notification-failed', method: 'notifications/message' })
})

requirement('logging:listener-alone-asks-for-info', async ({ connect }) => {
  const logs = new Inbox<LoggingMessageNotificationParams>()
  await using client = await connect(chattyServer(), { onLog: logs.push })
  await client.callTool('chat')

  expect(levels(logs)).toEqual(LOGGING_LEVELS.slice(LOGGING_LEVELS.indexOf('info')))
})

requirement('logging:handshake:everything-at-first', async ({ connect }) => {
  const logs = new Inbox<LoggingMessageNotificationParams>()
  await using client = await connect(chattyServer(), overhear(logs))
  await client.callTool('chat')

  expect(levels(logs)).toEqual([...LOGGING_LEVELS])
})

requirement('logging:handshake:set-level', async ({ connect }) => {
  for (const [index, level] of LOGGING_LEVELS.entries()) {
    const logs = new Inbox<LoggingMessageNotificationParams>()
    await using client = await connect(chattyServer(), { onLog: logs.push })
    expect(await client.setLoggingLevel(level)).toEqual({})
    await client.callTool('chat')

    expect(levels(logs)).toEqual(LOGGING_LEVELS.slice(index))
  }
})

requirement('logging:handshake:level-of-one-connection', async ({ connect }) => {
  const server = chattyServer()
  const [one, two] = [new Inbox<LoggingMessageNotificationParams>(), new Inbox<LoggingMessageNotificationParams>()]
  await using first = await connect(server, { onLog: one.push })
  await using second = await connect(server, overhear(two))
  await first.setLoggingLevel('emergency')
  await first.callTool('chat')
  await second.callTool('chat')

  expect(levels(one)).toEqual(['emergency'])
  expect(levels(two)).toEqual([...LOGGING_LEVELS])
})

requirement('logging:handshake:unknown-level', async ({ connect }) => {
  const logs = new Inbox<LoggingMessageNotificationParams>()
  await using client = await connect(chattyServer(), { onLog: logs.push })
  await client.setLoggingLevel('emergency')

  const refusal = await refusalOf(client.setLoggingLevel('loud' as LoggingLevel))

  expect(refusal).toEqual({ code: -32602, local: false })
  await client.callTool('chat')
  expect(levels(logs)).toEqual(['emergency'])
})

requirement('logging:handshake:not-offered', async ({ connect }) => {
  await using client = await connect(toolServer([]))

  expect(client.serverCapabilities.logging).toBeUndefined()
  expect(await refusalOf(client.setLoggingLevel('info'))).toEqual({ code: -32601, local: false })
})

requirement('logging:modern:silent-unless-asked', async ({ connect }) => {
  const messages = new Inbox<string>()
  await using client = await connect(chattyServer(), { onMessage: ({ method }) => messages.push(method) })
  await client.callTool('chat')

  expect(messages.items).toEqual([])
})

requirement('logging:modern:level-of-the-client', async ({ connect }) => {
  for (const [index, logLevel] of LOGGING_LEVELS.entries()) {
    const logs = new Inbox<LoggingMessageNotificationParams>()
    await using client = await connect(chattyServer(), { onLog: logs.push, logLevel })
    await client.callTool('chat')

    expect(levels(logs)).toEqual(LOGGING_LEVELS.slice(index))
  }
})

requirement('logging:modern:level-of-one-call', async ({ connect }) => {
  const logs = new Inbox<LoggingMessageNotificationParams>()
  await using client = await connect(chattyServer(), { onLog: logs.push, logLevel: 'alert' })
  await client.callTool('chat', {}, { meta: { [LOG_LEVEL]: 'emergency' } })
  expect(levels(logs)).toEqual(['emergency'])
  await client.callTool('chat')

  expect(levels(logs)).toEqual(['emergency', 'alert', 'emergency'])
})

requirement('logging:modern:calls-at-once', async ({ connect }) => {
  const both = createDeferred<void>()
  let waiting = 0
  const server = toolServer([tool('log')], async ({ session }, { arguments: args }) => {
    waiting += 1
    if (waiting === 2) both.resolve()
    await both.promise
    await session.sendLogMessage('info', args?.['who'])
    return NO_CONTENT
  })
  const logs = new Inbox<LoggingMessageNotificationParams>()
  await using client = await connect(server, overhear(logs))
  await Promise.all([
    client.callTool('log', { who: 'asked' }, { meta: { [LOG_LEVEL]: 'debug' } }),
    client.callTool('log', { who: 'did not ask' }),
  ])

  expect(logs.items.map(({ data }) => data)).toEqual(['asked'])
})

requirement('logging:modern:unknown-level', async ({ connect }) => {
  const server = chattyServer()
  const seen = noteMethods(server)
  await using client = await connect(server)

  const call = client.callTool('chat', {}, { meta: { [LOG_LEVEL]: 'loud' as LoggingLevel } })

  expect(await refusalOf(call)).toEqual({ code: -32602, local: false })
  expect(seen.count('tools/call')).toBe(0)
})

requirement('logging:modern:only-on-the-way-of-the-request', async ({ connect }) => {
  const messages = new Inbox<string>()
  const server = toolServer([tool('log')], async ({ session }) => {
    await session.sendLogMessage('emergency', 'nowhere to go', undefined, { related: false })
    return NO_CONTENT
  })
  await using client = await connect(server, {
    logLevel: 'debug',
    onMessage: ({ method }) => messages.push(method),
  })
  await client.callTool('log')

  expect(messages.items).toEqual([])
})

requirement('logging:modern:plain-notification-is-gated-too', async ({ connect }) => {
  const logs = new Inbox<LoggingMessageNotificationParams>()
  const server = toolServer([tool('log')], async ({ session }) => {
    await session.sendNotification('notifications/message', { level: 'info', data: 'quiet' })
    await session.sendNotification('notifications/message', { level: 'alert', data: 'loud' })
    return NO_CONTENT
  })
  await using client = await connect(server, overhear(logs))
  await client.callTool('log')
  expect(logs.items).toEqual([])
  await client.callTool('log', {}, { meta: { [LOG_LEVEL]: 'error' } })

  expect(logs.items.map(({ data }) => data)).toEqual(['loud'])
})
