// What lives as long as a server runs, or a connection.
import { expect } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { requirement } from '../kit/requirement.ts'
import { DONE, FaultLog, serverWith, text } from '../kit/support-lifecycle.ts'

/** A server whose lifespan counts its starts and ends. */
function living() {
  const log: string[] = []
  let starts = 0
  const ended = [createDeferred(), createDeferred()]
  const server = serverWith(({ lifespan }) => text(String((lifespan as { name: string }).name)), {
    lifespan: () => {
      starts += 1
      const name = `life ${starts}`
      log.push(`${name} begins`)
      return {
        name,
        close: () => {
          log.push(`${name} ends`)
          ended[Number(name.slice(5)) - 1]?.resolve()
        },
      }
    },
  })
  return { server, log, ended }
}

requirement('lifespan:server:once-for-all-connections', async ({ connect }) => {
  const { server, log } = living()
  const clients = await Promise.all([connect(server), connect(server), connect(server)])
  const results = await Promise.all(clients.map((client) => client.callTool('run')))
  for (const result of results) expect(result).toMatchObject(text('life 1'))
  expect(log).toEqual(['life 1 begins'])
  await Promise.all(clients.map((client) => client.close()))
})

requirement('lifespan:server:ends-with-the-last-connection', async ({ connect }) => {
  const { server, log, ended } = living()
  const first = await connect(server)
  const second = await connect(server)
  await first.close()
  expect(log).toEqual(['life 1 begins'])
  await second.close()
  await ended[0]!.promise
  expect(log).toEqual(['life 1 begins', 'life 1 ends'])
})

requirement('lifespan:server:begins-anew', async ({ connect }) => {
  const { server, log, ended } = living()
  await (await connect(server)).close()
  await ended[0]!.promise
  await using client = await connect(server)
  expect(await client.callTool('run')).toMatchObject(text('life 2'))
  expect(log).toEqual(['life 1 begins', 'life 1 ends', 'life 2 begins'])
})

requirement('lifespan:server:held-by-a-lease', async ({ connect }) => {
  const { server, log } = living()
  const lease = await server.start()
  await (await connect(server)).close()
  await (await connect(server)).close()
  expect(log).toEqual(['life 1 begins'])
  await lease.release()
  await lease.release()
  expect(log).toEqual(['life 1 begins', 'life 1 ends'])
})

requirement('lifespan:server:fails-to-begin', async ({ connect }) => {
  let attempts = 0
  const server = serverWith(() => DONE, {
    lifespan: async () => {
      attempts += 1
      if (attempts === 1) throw new Error('no database')
      return {}
    },
  })
  await expect(connect(server)).rejects.toThrow('no database')
  await using client = await connect(server)
  expect(await client.callTool('run')).toMatchObject(DONE)
})

requirement('lifespan:server:fails-to-end', async ({ connect }) => {
  const log = new FaultLog()
  const server = serverWith(() => DONE, {
    onFault: log.onFault,
    lifespan: () => ({
      close: () => {
        throw new Error('the database hangs')
      },
    }),
  })
  await (await connect(server)).close()
  expect(await log.until('handler-failed')).toMatchObject({ error: new Error('the database hangs') })
  await using client = await connect(server)
  expect(await client.callTool('run')).toMatchObject(DONE)
})

requirement('lifespan:server:ways-to-end', async ({ connect }) => {
  const ended: string[] = []
  const kinds = [
    { [Symbol.asyncDispose]: async () => void ended.push('asyncDispose'), close: () => ended.push('wrong') },
    { [Symbol.dispose]: () => void ended.push('dispose'), close: () => ended.push('wrong') },
    { close: async () => ended.push('close') },
    'a plain value',
    undefined,
  ]
  for (const value of kinds) {
    const server = serverWith(({ lifespan }) => text(String(lifespan === value)), { lifespan: () => value })
    const lease = await server.start()
    const client = await connect(server)
    expect(await client.callTool('run')).toMatchObject(text('true'))
    await client.close()
    await server.close()
    await lease.release()
  }
  expect(ended).toEqual(['asyncDispose', 'dispose', 'close'])
})

requirement('lifespan:connection:state', async ({ connect, isModern }) => {
  const server = serverWith(({ connection }) => {
    const count = ((connection.state.get('count') as number | undefined) ?? 0) + 1
    connection.state.set('count', count)
    return text(String(count))
  })
  await using first = await connect(server)
  await using second = await connect(server)
  await first.callTool('run')
  expect(await first.callTool('run')).toMatchObject(text(isModern ? '1' : '2'))
  expect(await second.callTool('run')).toMatchObject(text('1'))
})
