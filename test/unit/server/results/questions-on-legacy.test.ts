// A handler that asks by returning `input_required`, which no legacy connection carries.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { Server } from '../../../../src/server/server.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import type { InputRequiredResult } from '../../../../src/types/features/input-required.ts'

const params = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } } as const
const question: InputRequiredResult = {
  resultType: 'input_required',
  inputRequests: { sure: { method: 'elicitation/create', params } },
}

const makers = {
  MCPServer: (onFault: (fault: Fault) => void) => {
    const server = new MCPServer('asks', { onFault })
    server.tool('ask', (_args, ctx) => (ctx.inputResponses === undefined ? question : 'answered'))
    server.prompt('ask', () => question as never)
    return server
  },
  Server: (onFault: (fault: Fault) => void) =>
    new Server('asks', {
      onFault,
      handlers: {
        'tools/list': () => ({ tools: [{ name: 'ask', inputSchema: { type: 'object' } }] }),
        'tools/call': (ctx) => (ctx.inputResponses === undefined ? question : { content: [] }),
        'prompts/get': () => question,
      },
    }),
}

const onElicitation = () => ({ action: 'accept' as const, content: {} })

describe.each(Object.keys(makers) as (keyof typeof makers)[])('a handler of %s that returns input_required', (kind) => {
  it.each(['2025-11-25', '2024-11-05'] as const)('says at %s that it cannot, and what can', async (mode) => {
    const faults: Fault[] = []
    await using client = await Client.connect(
      makers[kind]((fault) => faults.push(fault)),
      { mode, onElicitation },
    )
    const failed = await client.callTool('ask').catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(MCPError)
    const { code, message } = failed as MCPError
    expect(code).toBe(-32603)
    expect(message).toBe(
      `The handler of 'tools/call' returned input_required, which a legacy connection (${mode}) can't carry. ` +
        'Ask with ctx.elicit() of an MCPServer, which works in both eras, or with ctx.session of a Server.',
    )
    expect(faults.map((fault) => [fault.kind, fault.method])).toEqual([['handler-failed', 'tools/call']])
    expect(`${faults[0]?.message}. ${faults[0]?.remedy}`).toBe(message)
    await expect(client.getPrompt('ask')).rejects.toThrow("'prompts/get' returned input_required")
  })

  it('is answered on a modern connection', async () => {
    const faults: Fault[] = []
    await using client = await Client.connect(
      makers[kind]((fault) => faults.push(fault)),
      { onElicitation },
    )
    expect((await client.callTool('ask')).isError).toBeFalsy()
    expect(faults).toEqual([])
  })
})
