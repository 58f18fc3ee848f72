import { expect, it, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import type { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import type { AuthInfo } from '../../../../src/types/protocol/auth.ts'
import { signedChannel } from '../../../support/signed-channel.ts'
import { createServer, inBothEras, refusalOf } from '../support.ts'

const admin: AuthInfo = { clientId: 'console', subject: 'ada', scopes: ['notes:write', 'notes:read'] }
const reader: AuthInfo = { clientId: 'console', subject: 'bob', scopes: ['notes:read'] }

/** A client whose every message comes with a verified caller. */
function connectAs(server: MCPServer, auth: AuthInfo | undefined, mode: string): Promise<Client> {
  const open = async () => {
    const [here, there] = createMemoryChannelPair()
    await server.connect(auth === undefined ? there : signedChannel(there, auth))
    return here
  }
  return Client.connect({ kind: 'memory', open }, { mode: mode === 'legacy' ? 'legacy' : 'auto' })
}

inBothEras('visibility', ({ mode }) => {
  const onlyAdmin = { visible: (ctx: { auth: AuthInfo | undefined }) => ctx.auth?.subject === 'ada' }

  it('R31 I10 is checked in lists and calls alike, as if the name did not exist', async () => {
    const { server } = createServer()
    const run = vi.fn(() => 'done')
    server.tool('open', {}, run)
    server.tool('secret', onlyAdmin, run)
    server.prompt('secret', onlyAdmin, run)
    server.resource('notes://secret', onlyAdmin, run)
    server.resource('notes://secret/{x}', { ...onlyAdmin, list: () => [{ uri: 'notes://secret/1' }] }, run)
    await using ada = await connectAs(server, admin, mode)
    await using bob = await connectAs(server, reader, mode)
    await using anyone = await connectAs(server, undefined, mode)

    expect((await ada.listTools()).tools.map(({ name }) => name)).toEqual(['open', 'secret'])
    expect((await ada.listResources()).resources).toHaveLength(2)
    for (const client of [bob, anyone]) {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['open'])
      expect((await client.listPrompts()).prompts).toEqual([])
      expect((await client.listResources()).resources).toEqual([])
      expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
      const hidden = await refusalOf(client.callTool('secret'))
      const unknown = await refusalOf(client.callTool('absent'))
      expect(JSON.stringify(hidden.toErrorData()).replaceAll('secret', 'absent')).toBe(
        JSON.stringify(unknown.toErrorData()),
      )
      const unread = await refusalOf(client.readResource('notes://secret'))
      const missing = await refusalOf(client.readResource('notes://absent'))
      expect(JSON.stringify(unread.toErrorData()).replaceAll('secret', 'absent')).toBe(
        JSON.stringify(missing.toErrorData()),
      )
      await refusalOf(client.getPrompt('secret'))
      await refusalOf(client.readResource('notes://secret/1'))
    }
    expect(run).not.toHaveBeenCalled()
    await ada.callTool('secret')
    expect(run).toHaveBeenCalledOnce()
  })

  it('I9 hides a tool whose visible function throws', async () => {
    const { server, faults } = createServer()
    const visible = () => {
      throw new Error('no database')
    }
    server.tool('guarded', { visible }, () => 'done')
    server.tool('truthy', { visible: () => 'yes' as unknown as boolean }, () => 'done')
    await using client = await connectAs(server, admin, mode)

    expect((await client.listTools()).tools).toEqual([])
    expect(await refusalOf(client.callTool('guarded'))).toMatchObject({ code: -32602 })
    expect(await refusalOf(client.callTool('truthy'))).toMatchObject({ code: -32602 })
    expect(faults[0]).toMatchObject({
      kind: 'handler-failed',
      message: 'The visible function of tool "guarded" threw',
    })
  })

  it('reports once a visible function that returns no boolean', async () => {
    const { server, faults } = createServer()
    const answers: Record<string, () => unknown> = {
      promise: async () => true,
      rejected: () => Promise.reject(new Error('no database')),
      truthy: () => 1,
      nothing: () => undefined,
    }
    for (const [name, visible] of Object.entries(answers)) {
      server.tool(name, { visible: visible as () => boolean }, () => 'done')
    }
    await using client = await connectAs(server, admin, mode)

    for (let round = 0; round < 3; round++) {
      expect((await client.listTools()).tools).toEqual([])
      for (const name of Object.keys(answers)) {
        expect(await refusalOf(client.callTool(name))).toMatchObject({ code: -32602 })
      }
    }
    expect(faults.map(({ kind, message }) => `${kind}: ${message.replace(/, so it .*/, '')}`)).toEqual([
      'configuration-warning: The visible function of tool "promise" returns a promise',
      'configuration-warning: The visible function of tool "rejected" returns a promise',
      'configuration-warning: The visible function of tool "truthy" returns a number instead of a boolean',
      'configuration-warning: The visible function of tool "nothing" returns undefined instead of a boolean',
    ])
  })

  it('rejects callers without the scopes, and names them', async () => {
    const { server } = createServer()
    server.tool('write', { scopes: ['notes:write'] }, () => 'written')
    await using ada = await connectAs(server, admin, mode)
    await using bob = await connectAs(server, reader, mode)
    await using anyone = await connectAs(server, undefined, mode)

    expect(await ada.callTool('write')).toMatchObject({ content: [{ text: 'written' }] })
    for (const client of [bob, anyone]) {
      expect((await client.listTools()).tools).toEqual([])
      expect(await refusalOf(client.callTool('write'))).toMatchObject({
        code: -32600,
        data: { reason: 'insufficient_scope', requiredScopes: ['notes:write'] },
      })
    }
  })
})

it('makes a list once for all callers who see the same', async () => {
  const { server } = createServer()
  server.tool('open', {}, () => 1)
  server.tool('secret', { visible: (ctx) => ctx.auth?.subject === 'ada' }, () => 1)
  const [first, second, other] = [
    await server.listTools({ auth: admin }),
    await server.listTools({ auth: admin }),
    await server.listTools({ auth: reader }),
  ]

  expect(second).toBe(first)
  expect(other.tools).toHaveLength(1)
  expect(other.tools[0]).toBe(first.tools[0])
})
