// Extensions with state of their own for each server: attached when the server is created, started and closed with it.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ServerExtension } from '../../../../src/server/extensions/extension.ts'
import { Server } from '../../../../src/server/server.ts'

const IDENTIFIER = 'com.example/counter'

/** Counts calls, and writes down what happens to it. */
function counter(log: string[] = []): ServerExtension {
  return {
    identifier: IDENTIFIER,
    forServer: (server) => {
      let count = 0
      return {
        requests: { 'counter/next': { isOpenToAll: true, handle: () => ({ count: ++count }) } },
        start: async () => {
          log.push(`start ${server.info.name}`)
          await Promise.resolve()
          log.push('started')
          return { close: () => void log.push('close') }
        },
      }
    },
  }
}

async function next(client: Client): Promise<unknown> {
  return ((await client.session.sendRequest('counter/next', {})) as { count?: unknown }).count
}

describe('an extension in several servers', () => {
  it('has a state of its own in each', async () => {
    const extension = counter()
    await using a = await Client.connect(new Server('a', { extensions: [extension] }))
    await using b = await Client.connect(new Server('b', { extensions: [extension] }))

    expect(await next(a)).toBe(1)
    expect(await next(a)).toBe(2)
    expect(await next(b)).toBe(1)
  })
})

describe('start of an extension', () => {
  it('comes after the lifespan and before the first message, and its close before the end of the lifespan', async () => {
    const log: string[] = []
    const lifespan = () => {
      log.push('lifespan')
      return { close: () => void log.push('lifespan ends') }
    }
    const server = new Server('one', { extensions: [counter(log)], lifespan })
    {
      await using client = await Client.connect(server)
      expect(log).toEqual(['lifespan', 'start one', 'started'])
      expect(await next(client)).toBe(1)
    }
    await server.close()
    expect(log.slice(3)).toEqual(['close', 'lifespan ends'])
  })

  it('happens again when the server starts again', async () => {
    const log: string[] = []
    const server = new Server('one', { extensions: [counter(log)] })
    for (let round = 0; round < 2; round += 1) {
      const lease = await server.start()
      await lease.release()
    }
    expect(log).toEqual(['start one', 'started', 'close', 'start one', 'started', 'close'])
  })

  it('that fails closes the others and the lifespan, and the server does not start', async () => {
    const log: string[] = []
    const broken: ServerExtension = {
      identifier: 'com.example/broken',
      start: () => Promise.reject(new Error('no disk')),
    }
    const server = new Server('one', {
      extensions: [counter(log), broken],
      lifespan: () => ({ close: () => void log.push('lifespan ends') }),
    })
    await expect(server.start()).rejects.toThrow('no disk')
    expect(log).toEqual(['start one', 'started', 'close', 'lifespan ends'])
  })
})

describe('what an extension declares', () => {
  it('can be left undeclared for a while, or at some revisions', async () => {
    let isThere = false
    const extension: ServerExtension = { identifier: IDENTIFIER, settings: { a: 1 }, isDeclared: () => isThere }
    const server = new Server('one', { extensions: [extension] })
    const declared = async () => {
      await using client = await Client.connect(server)
      return client.serverCapabilities.extensions
    }
    expect(await declared()).toBeUndefined()
    isThere = true
    expect(await declared()).toEqual({ [IDENTIFIER]: { a: 1 } })
  })

  it('can be capabilities and handlers of the specification, which the options of the author go over', async () => {
    const extension: ServerExtension = {
      identifier: IDENTIFIER,
      capabilities: (version) => (version === '2025-11-25' ? { completions: { a: 1 }, logging: {} } : {}),
      handlers: { 'tools/list': () => ({ tools: [] }), 'prompts/list': () => ({ prompts: [] }) },
    }
    const server = new Server('one', {
      extensions: [extension],
      capabilities: { completions: { a: 2 } },
      handlers: { 'tools/list': () => ({ tools: [{ name: 'own', inputSchema: { type: 'object' } }] }) },
    })
    await using legacy = await Client.connect(server, { mode: 'legacy' })
    expect(legacy.serverCapabilities).toMatchObject({ completions: { a: 2 }, logging: {} })
    await using modern = await Client.connect(server, { mode: 'modern' })
    expect(modern.serverCapabilities).not.toHaveProperty('logging')
    expect((await modern.listTools()).tools).toHaveLength(1)
    expect(await modern.listPrompts()).toMatchObject({ prompts: [] })
  })
})
