// Extensions that open with a client: loaded while it opens, found by its own members, closed before the connection.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientExtension } from '../../../../src/client/extensions/extension.ts'
import { Server } from '../../../../src/server/server.ts'

function tasksBy(open: () => object | undefined): ClientExtension {
  return { identifier: 'io.modelcontextprotocol/tasks', forClient: () => ({ settings: { a: 1 }, open }) }
}

describe('client.tasks and client.skills', () => {
  it.each(['tasks', 'skills'] as const)(
    '%s says what to add where the extension is missing, open or not',
    async (name) => {
      const client = new Client(new Server('one'))
      const missing = `client.${name} needs an extension. Add ${name}() from 'mcpwire/extensions/${name}' to the option extensions of the client.`
      expect(() => client[name]).toThrow(new TypeError(missing))
      await client.open()
      expect(() => client[name]).toThrow(new TypeError(missing))
      await client.close()
    },
  )

  it('are what the extension returned, and need an open client', async () => {
    const face = {}
    const client = new Client(new Server('one'), { extensions: [tasksBy(() => face)] })
    expect(() => client.tasks).toThrow('The client is not open.')
    await client.open()
    expect(client.tasks).toBe(face)
    await client.close()
    expect(() => client.tasks).toThrow('it was closed')
  })

  it('have a state of their own in each client', async () => {
    const clients: Client[] = []
    const extension: ClientExtension = {
      identifier: 'io.modelcontextprotocol/tasks',
      forClient: (client) => {
        clients.push(client)
        return { open: () => ({}) }
      },
    }
    const server = new Server('one')
    await using a = await Client.connect(server, { extensions: [extension] })
    await using b = await Client.connect(server, { extensions: [extension] })
    expect(clients).toEqual([a, b])
    expect(a.tasks).not.toBe(b.tasks)
  })
})

describe('an extension of a client', () => {
  it('is closed while the connection is still open', async () => {
    const server = new Server('one', { handlers: { 'tools/list': () => ({ tools: [] }) } })
    let listed: unknown
    const holder: { client?: Client } = {}
    const close = async () => {
      listed = await holder.client?.session.listTools().catch((error: unknown) => error)
    }
    const client = new Client(server, { extensions: [tasksBy(() => ({ close }))] })
    holder.client = client
    await client.open()
    const { session } = client
    Object.defineProperty(client, 'session', { value: session })
    await client.close()
    expect(listed).toMatchObject({ tools: [] })
  })

  it('that fails to open leaves nothing open, and the client says why', async () => {
    const log: string[] = []
    const first = tasksBy(() => ({ close: () => void log.push('closed') }))
    const broken: ClientExtension = {
      identifier: 'com.example/broken',
      open: () => Promise.reject(new Error('no module')),
    }
    const server = new Server('one', {
      lifespan: () => ({ close: () => void log.push('server stopped') }),
    })
    const client = new Client(server, { extensions: [first, broken] })
    await expect(client.open()).rejects.toThrow('no module')
    await client.close()
    expect(log).toEqual(['closed', 'server stopped'])
  })
})
