// The face of a session and a client: what a user finds on them, and that their parts do not call back into them.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { findInternals, internalsOf } from '../../../../src/client/session/internals.ts'
import { ClientSession } from '../../../../src/client/session/session.ts'
import { ScriptedServer } from '../../../support/scripted-server.ts'
import { discoverResult } from '../../../support/sessions.ts'

const VERBS = [
  'callTool',
  'close',
  'complete',
  'getPrompt',
  'instructions',
  'listPrompts',
  'listResourceTemplates',
  'listResources',
  'listTools',
  'protocolVersion',
  'readResource',
  'sendPing',
  'sendProgressNotification',
  'sendRootsListChanged',
  'serverCapabilities',
  'serverInfo',
  'setLoggingLevel',
  'subscribeResource',
  'unsubscribeResource',
]

const OF_SESSION = [
  'adopt',
  'discover',
  'discoverResult',
  'dispatchInputRequest',
  'initialize',
  'initializeResult',
  'sendDiscover',
  'sendNotification',
  'sendRaw',
  'sendRawNotification',
  'sendRequest',
  'start',
  'validateToolResult',
]

const OF_CLIENT = ['listen', 'open', 'prompts', 'resourceTemplates', 'resources', 'session', 'skills', 'tasks', 'tools']

function membersOf(instance: object): string[] {
  const own = Object.keys(instance)
  const inherited = Object.getOwnPropertyNames(Object.getPrototypeOf(instance))
  return [...own, ...inherited].filter((name) => name !== 'constructor').sort()
}

describe('the public face', () => {
  it('a session has the members of its contract and no other', () => {
    expect(membersOf(new ClientSession(new ScriptedServer().channel))).toEqual([...VERBS, ...OF_SESSION].sort())
  })

  it('a client has the members of its contract and no other', () => {
    expect(membersOf(new Client('http://localhost/mcp'))).toEqual([...VERBS, ...OF_CLIENT].sort())
  })

  it('other modules reach the internals of a session, and learn when it comes from another copy of the package', () => {
    const session = new ClientSession(new ScriptedServer().channel)
    expect(internalsOf(session).endSignal.aborted).toBe(false)
    const foreign = Object.create(ClientSession.prototype) as ClientSession
    expect(findInternals(foreign)).toBeUndefined()
    expect(() => internalsOf(foreign)).toThrow('another copy of mcpwire')
  })
})

describe('the direction of calls', () => {
  it('a tool call lists the tools that it needs without calling the session', async () => {
    class Recording extends ClientSession {
      readonly called: string[] = []
      override listTools(): never {
        this.called.push('listTools')
        throw new Error('The tool call came back to the session')
      }
      override sendRequest(): never {
        this.called.push('sendRequest')
        throw new Error('The tool call came back to the session')
      }
    }
    const server = new ScriptedServer()
    const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    server.on('tools/list', { ...complete, tools: [{ name: 'add', inputSchema: { type: 'object' } }] })
    server.on('tools/call', { resultType: 'complete', content: [], structuredContent: { sum: 3 } })
    await using session = new Recording(server.channel)
    await session.start()
    session.adopt(discoverResult())
    const result = await session.callTool('add')
    expect(result.structuredContent).toEqual({ sum: 3 })
    expect(server.received('tools/list')).toHaveLength(1)
    expect(session.called).toEqual([])
  })
})
