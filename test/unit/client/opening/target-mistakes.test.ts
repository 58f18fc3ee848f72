// Targets and first arguments that are written as another SDK, a shell or a slip of the finger would have them.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { ClientSessionGroup } from '../../../../src/client/group/session-group.ts'
import { ClientSession } from '../../../../src/client/session/session.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'

describe('an invalid target gets advice', () => {
  it.each<[unknown, string]>([
    [{ comand: 'node' }, 'It has "comand". Write command.'],
    [{ Command: 'node' }, 'It has "Command". Write command.'],
    [{ command: 7 }, 'Its command is not a string but number.'],
    [{ url: 'http://localhost/mcp' }, "Pass the URL itself: Client.connect('http://localhost:3000/mcp')."],
    ['node server.js', "To start a program, pass { command: 'node', args: ['server.js'] }"],
    ['./server.js', "To start a program, pass { command: 'node', args: ['server.js'] }"],
    ['file:///server.js', "To start a program, pass { command: 'node', args: ['server.js'] }"],
    [{ command: '' }, 'command must be the name of a program'],
    [{ command: 'node', args: 'x' }, 'args must be an array of strings'],
    [{ command: 'node', args: [1] }, 'args must be an array of strings'],
    [{ command: 'node', cwd: 1 }, 'cwd must be the path of a directory'],
    [{ command: 'node', env: { A: 1 } }, "Environment variable 'A' must be a string without NUL"],
    [{ command: 'node', env: 'A=1' }, 'env must be an object of strings'],
  ])('%j', (target, message) => {
    expect(() => new Client(target as never)).toThrow(TypeError)
    expect(() => new Client(target as never)).toThrow(message)
  })

  it('a command with its arguments in it', async () => {
    await expect(Client.connect({ command: 'node x.mjs' })).rejects.toThrow(
      /not found\. command is the program alone.*args/,
    )
  })
})

it.each([undefined, null, 5, 'http://localhost', {}, () => {}])('a session over %j says what it takes', (peer) => {
  const open = () => new ClientSession(peer as never)
  expect(open).toThrow(TypeError)
  expect(open).toThrow('A ClientSession takes a channel or a dispatcher, not ')
})

describe.each(['modern', 'legacy'] as const)('an object instead of a name in mode %s', (mode) => {
  it('is rejected with advice', async () => {
    const server = new MCPServer('subject')
    server.tool('add', {}, () => 'done')
    await using client = await Client.connect(server, { mode })
    await using group = new ClientSessionGroup()
    await group.connectToServer(server, { mode })
    const given = { name: 'add', arguments: {} } as never
    for (const caller of [client, client.session, group]) {
      const call = caller.callTool(given)
      await expect(call).rejects.toThrow(TypeError)
      await expect(call).rejects.toThrow("callTool('add', { a: 1 })")
    }
    await expect(client.readResource({ uri: 'x:1' } as never)).rejects.toThrow("readResource('file:///notes')")
    await expect(client.getPrompt({ name: 'x' } as never)).rejects.toThrow("getPrompt('greet'")
    await expect(group.readResource({ uri: 'x:1' } as never)).rejects.toThrow("readResource('file:///notes')")
    await expect(group.getPrompt({ name: 'x' } as never)).rejects.toThrow(TypeError)
  })
})
