// Functions around every message, on a server and on a client.
import { expect } from 'vitest'
import type { ClientMiddleware } from '../../../src/client/session/middleware.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { Middleware } from '../../../src/server/handlers.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import { settle } from '../../support/peers.ts'
import { requirement } from '../kit/requirement.ts'
import { codeOf, DONE, FaultLog, RawClient, serverWith, text, waitingTool } from '../kit/support-lifecycle.ts'

/** A middleware for one method. */
const at =
  (method: string, layer: Middleware): Middleware =>
  (ctx, next) =>
    ctx.method === method ? layer(ctx, next) : next()

requirement('middleware:server:sees-everything', async ({ connect, isModern }) => {
  const seen: string[] = []
  const server = serverWith(() => DONE, {
    middleware: [
      (ctx, next) => {
        seen.push(ctx.method)
        return next()
      },
    ],
  })
  await using client = await connect(server)
  await client.callTool('run')
  await client.session.sendNotification('vendor/told')
  await expect(client.session.sendRequest('vendor/none')).rejects.toMatchObject({ code: -32601 })

  const opening = isModern ? ['server/discover'] : ['initialize', 'notifications/initialized']
  // Results are checked with a listing, in the revisions that have output schemas.
  const asked = seen.filter((method) => method !== 'tools/list')
  expect(asked).toEqual([...opening, 'tools/call', 'vendor/told', 'vendor/none'])
})

requirement('middleware:server:first-is-outermost', async ({ connect }) => {
  const order: string[] = []
  const layer = (name: string) =>
    at('tools/call', async (_ctx, next) => {
      order.push(`${name} in`)
      const result = await next()
      order.push(`${name} out`)
      return result
    })
  const server = serverWith(() => DONE, { middleware: [layer('a'), layer('b')] }).use(layer('c'))
  await using client = await connect(server)
  await client.callTool('run')
  expect(order).toEqual(['a in', 'b in', 'c in', 'c out', 'b out', 'a out'])
})

requirement('middleware:server:refuses', async ({ connect }) => {
  let ran = 0
  const server = serverWith(
    () => {
      ran += 1
      return DONE
    },
    {
      middleware: [
        at('tools/call', () => {
          throw new MCPError(403, 'not you')
        }),
      ],
    },
  )
  await using client = await connect(server)
  await expect(client.callTool('run')).rejects.toMatchObject({ code: 403, message: 'not you', local: false })
  expect(ran).toBe(0)
})

requirement('middleware:server:rewrites', async ({ connect }) => {
  const server = serverWith((_ctx, { arguments: args }) => text(String(args?.['n'])), {
    middleware: [
      at('tools/call', async (ctx, next) => {
        const result = await next({ ...ctx.params, arguments: { n: 2 } })
        return { ...result, _meta: { ...(result?.['_meta'] as object), 'com.example/seen': true } }
      }),
    ],
  })
  await using client = await connect(server)
  const result = await client.callTool('run', { n: 1 })
  expect(result).toMatchObject({ ...text('2'), _meta: { 'com.example/seen': true } })
})

requirement('middleware:server:answers', async ({ connect }) => {
  let ran = 0
  const server = serverWith(
    () => {
      ran += 1
      return DONE
    },
    { middleware: [at('tools/call', () => ({ content: [{ type: 'text', text: 'instead' }] }))] },
  )
  await using client = await connect(server)
  const result = await client.callTool('run')
  expect(result).toEqual(text('instead'))
  expect(ran).toBe(0)
})

requirement('middleware:server:answers-with-nothing', async ({ connect }) => {
  const log = new FaultLog()
  const server = serverWith(() => DONE, {
    onFault: log.onFault,
    middleware: [at('tools/call', () => undefined)],
  })
  await using client = await connect(server)
  await expect(client.callTool('run')).rejects.toMatchObject({ code: -32603, local: false })
  expect(log.kinds).toEqual(['handler-failed'])
})

requirement('middleware:server:sees-failures', async ({ connect }) => {
  const seen: unknown[] = []
  const thrown = new Error('hunter2')
  const server = serverWith(
    (_ctx, { name }) => {
      if (name === 'throw') throw thrown
      return { content: 'no list' } as never
    },
    {
      middleware: [
        at('tools/call', async (_ctx, next) => {
          try {
            return await next()
          } catch (error) {
            seen.push(error)
            throw error
          }
        }),
      ],
    },
  )
  await using client = await connect(server)
  await expect(client.callTool('throw')).rejects.toMatchObject({ code: -32603 })
  await expect(client.callTool('invalid')).rejects.toMatchObject({ code: -32603 })
  expect(seen).toEqual([thrown, expect.objectContaining({ message: 'Handler returned an invalid result' })])
})

requirement('middleware:server:around-notifications', async ({ connect }) => {
  const heard: unknown[] = []
  const log = new FaultLog()
  const server = serverWith(() => DONE, {
    onFault: log.onFault,
    middleware: [
      at('vendor/told', (ctx, next) => {
        if (ctx.params?.['n'] === 1) throw new MCPError(403, 'not this one')
        if (ctx.params?.['n'] === 2) return undefined
        return next({ n: 'rewritten' })
      }),
    ],
  })
  server.setNotificationHandler('vendor/told', (_ctx, { n }) => {
    heard.push(n)
  })
  await using client = await connect(server)
  for (const n of [1, 2, 3]) await client.session.sendNotification('vendor/told', { n })
  await client.callTool('run')
  await settle()
  expect(heard).toEqual(['rewritten'])
  expect(log.kinds).toEqual(['notification-failed'])
})

requirement('middleware:server:handshake-commits-at-the-end', async ({ version }) => {
  let refusals = 1
  const server = serverWith(({ clientInfo }) => text(String(clientInfo?.name)), {
    middleware: [
      at('initialize', async (_ctx, next) => {
        const result = await next()
        if (refusals-- > 0) throw new MCPError(403, 'not yet')
        return result
      }),
    ],
  })
  await using raw = await RawClient.open(server)
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }

  expect(codeOf(await raw.ask('initialize', params))).toBe(403)
  expect(codeOf(await raw.ask('tools/call', { name: 'run' }))).toBe(-32600)
  expect(await raw.ask('initialize', params)).toHaveProperty('result.protocolVersion', version)
  expect(await raw.ask('tools/call', { name: 'run' })).toHaveProperty('result.content.0.text', 'raw')
})

requirement('middleware:server:handshake-commits-the-answer', async ({ connect }) => {
  const server = serverWith(({ protocolVersion }) => text(protocolVersion), {
    middleware: [at('initialize', async (_ctx, next) => ({ ...(await next()), protocolVersion: '2025-03-26' }))],
  })
  await using client = await connect(server, { mode: 'legacy' })
  expect(client.protocolVersion).toBe('2025-03-26')
  expect(await client.callTool('run')).toMatchObject(text('2025-03-26'))
})

requirement('middleware:server:added-while-serving', async ({ connect }) => {
  const server = serverWith(() => DONE)
  await using client = await connect(server)
  expect(await client.callTool('run')).toMatchObject(DONE)
  server.use(at('tools/call', () => ({ content: [{ type: 'text', text: 'from now on' }] })))
  expect(await client.callTool('run')).toMatchObject(text('from now on'))
})

const spy =
  (seen: unknown[]): ClientMiddleware =>
  (ctx, next) => {
    seen.push(ctx.method)
    return next()
  }

requirement('middleware:client:sees-every-request', async ({ connect, isModern }) => {
  const seen: unknown[] = []
  await using client = await connect(
    serverWith(() => DONE),
    { middleware: [spy(seen)] },
  )
  await client.callTool('run')
  await client.listTools()
  await client.session.sendRequest('vendor/none').catch(() => {})
  const opening = isModern ? 'server/discover' : 'initialize'
  expect([...new Set(seen)]).toEqual([opening, 'tools/call', 'tools/list', 'vendor/none'])
})

requirement('middleware:client:first-is-outermost', async ({ connect }) => {
  const order: string[] = []
  const layer =
    (name: string): ClientMiddleware =>
    async (ctx, next) => {
      if (ctx.method !== 'tools/call') return next()
      order.push(`${name} in`)
      const result = await next()
      order.push(`${name} out`)
      return result
    }
  await using client = await connect(
    serverWith(() => DONE),
    { middleware: [layer('a'), layer('b')] },
  )
  await client.callTool('run')
  expect(order).toEqual(['a in', 'b in', 'b out', 'a out'])
})

requirement('middleware:client:notifications', async ({ connect }) => {
  const seen: string[] = []
  const told = createDeferred<unknown>()
  const layer = (name: string): ClientMiddleware =>
    Object.assign<ClientMiddleware, Pick<ClientMiddleware, 'onNotification'>>((_ctx, next) => next(), {
      onNotification: async ({ method, params }, next) => {
        if (!method.startsWith('com.example/')) return next()
        seen.push(name)
        if (method === 'com.example/told') await next({ ...params, [name]: true })
      },
    })
  const server = serverWith(() => DONE)
  server.setNotificationHandler('com.example/told', (_ctx, params) => told.resolve(params))
  server.setNotificationHandler('com.example/held-back', () => told.resolve('held back'))
  await using client = await connect(server, { middleware: [layer('a'), spy([]), layer('b')] })

  await client.session.sendNotification('com.example/held-back')
  expect(seen).toEqual(['a'])
  await client.session.sendNotification('com.example/told', { n: 1 })

  expect(await told.promise).toMatchObject({ n: 1, a: true, b: true })
  expect(seen).toEqual(['a', 'a', 'b'])
})

/** A client middleware for tool calls. */
const onCall =
  (layer: ClientMiddleware): ClientMiddleware =>
  (ctx, next) =>
    ctx.method === 'tools/call' ? layer(ctx, next) : next()

requirement('middleware:client:refuses', async ({ connect }) => {
  let ran = 0
  const server = serverWith(() => {
    ran += 1
    return DONE
  })
  const refuse = onCall(() => {
    throw new Error('not from here')
  })
  await using client = await connect(server, { middleware: [refuse] })
  await expect(client.callTool('run')).rejects.toThrow('not from here')
  expect(ran).toBe(0)
})

requirement('middleware:client:rewrites', async ({ connect }) => {
  const server = serverWith(({ meta }, { arguments: args }) => text(`${args?.['n']} ${meta['com.example/by']}`))
  const rewrite = onCall(async (ctx, next) => {
    const meta = { 'com.example/by': 'middleware' }
    const result = await next({ ...ctx.params, arguments: { n: 2 } }, { ...ctx.options, meta })
    return { ...result, _meta: { 'com.example/seen': true } }
  })
  await using client = await connect(server, { middleware: [rewrite] })
  const result = await client.callTool('run', { n: 1 })
  expect(result).toMatchObject({ ...text('2 middleware'), _meta: { 'com.example/seen': true } })
})

requirement('middleware:client:answers', async ({ connect }) => {
  let ran = 0
  const server = serverWith(() => {
    ran += 1
    return DONE
  })
  const answer = onCall((ctx) => (ctx.params?.['name'] === 'bad' ? { content: 7 } : { content: [] }))
  await using client = await connect(server, { middleware: [answer] })
  expect(await client.callTool('good')).toEqual(DONE)
  await expect(client.callTool('bad')).rejects.toBeInstanceOf(InvalidResultError)
  expect(ran).toBe(0)
})

requirement('middleware:client:before-the-stamps', async ({ connect }) => {
  const seen: unknown[] = []
  const look = onCall((ctx, next) => {
    seen.push(ctx.params)
    return next()
  })
  await using client = await connect(
    serverWith(() => DONE),
    { middleware: [look] },
  )
  await client.callTool('run', { n: 1 })
  expect(seen).toEqual([{ name: 'run', arguments: { n: 1 } }])
})

requirement('middleware:client:tries-again', async ({ connect }) => {
  const ids: unknown[] = []
  const server = serverWith(({ requestId }) => {
    ids.push(requestId)
    if (ids.length === 1) throw new MCPError(503, 'busy')
    return DONE
  })
  const retry = onCall((_ctx, next) => next().catch(() => next()))
  await using client = await connect(server, { middleware: [retry] })
  expect(await client.callTool('run')).toMatchObject(DONE)
  expect(new Set(ids).size).toBe(2)
})

requirement('middleware:client:cancels-what-it-sent', async ({ connect }) => {
  const { handler, entered, aborted } = waitingTool()
  const give = onCall(async (ctx, next) => {
    const controller = new AbortController()
    void entered.then(() => controller.abort('too slow'))
    return next(undefined, { ...ctx.options, signal: controller.signal })
  })
  await using client = await connect(serverWith(handler), { middleware: [give] })
  await expect(client.callTool('run')).rejects.toBe('too slow')
  await aborted
})
