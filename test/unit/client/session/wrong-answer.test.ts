// A callback of the application that answers a question wrongly: who learns what is wrong with the answer.
import { Client, MCPServer } from 'mcpwire'
import type { Fault } from 'mcpwire/dispatcher'
import { describe, expect, it } from 'vitest'

const SCHEMA = {
  type: 'object',
  properties: { a: { type: 'string', minLength: 3 } },
  required: ['a'],
} as const
const DETAIL =
  "The callback for 'elicitation/create' returned an invalid result: a: expected at least 3 characters, got 1"

function askingServer(onFault?: (fault: Fault) => void): MCPServer {
  const server = new MCPServer('asking', { ...(onFault && { onFault }) })
  server.tool('ask', async (_args, ctx) => {
    const answer = await ctx.elicit('a?', SCHEMA)
    return answer.action
  })
  return server
}

async function callWrongly(server: MCPServer, mode: 'modern' | 'legacy'): Promise<unknown> {
  await using client = await Client.connect(server, {
    mode,
    onElicitation: () => ({ action: 'accept', content: { a: 'x' } }),
  })
  return await client.callTool('ask').catch((error: unknown) => error)
}

describe('an invalid answer of a callback', () => {
  it('reaches the caller with the reason, where the call fails locally', async () => {
    const failure = await callWrongly(askingServer(), 'modern')
    expect(failure).toMatchObject({ name: 'MCPError', code: -32603, local: true, message: DETAIL })
  })

  it('is not an error of another server: the author of the tool learns whose answer it was', async () => {
    const faults: Fault[] = []
    await callWrongly(
      askingServer((fault) => faults.push(fault)),
      'legacy',
    )
    expect(faults.map(({ remedy }) => remedy)).toEqual([
      'The client answered a question of this tool with this error. Catch it to continue without an answer.',
    ])
  })

  it('reaches the server without the reason', async () => {
    const faults: Fault[] = []
    await callWrongly(
      askingServer((fault) => faults.push(fault)),
      'legacy',
    )
    expect(String(faults[0]?.error)).not.toContain('characters')
  })
})
