// A short tour: one server, a client of each era, and what they say to each other.
import { type CallToolResult, type ClientOptions, MCPError } from 'mcpwire'
import { compileSchema } from 'mcpwire/schema'
import { Server, type ServerRequestContext } from 'mcpwire/server'
import { connect, recordWire } from 'mcpwire/testing'
import type { InputRequiredResult } from 'mcpwire/types'

const addition = {
  type: 'object' as const,
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
  additionalProperties: false,
}
const isAddition = compileSchema(addition)

const server = new Server('calculator', {
  version: '1.0.0',
  instructions: 'Ask it to add.',
  subscriptions: true,
  handlers: {
    'tools/list': () => ({
      tools: [
        { name: 'add', description: 'Adds two numbers.', inputSchema: addition },
        { name: 'wait', description: 'Waits until it is stopped.', inputSchema: { type: 'object' } },
        { name: 'confirm', description: 'Asks before it answers.', inputSchema: { type: 'object' } },
      ],
    }),
    'tools/call': async (ctx, { name, arguments: args }) => {
      if (name === 'wait') return waitForAbort(ctx.signal)
      if (name === 'confirm') return confirm(ctx)
      const issues = isAddition.validate(args)
      if (issues.length > 0) throw new MCPError(-32602, issues.map((issue) => issue.message).join('; '))
      const { a, b } = args as { a: number; b: number }
      await ctx.reportProgress(1, 2, 'thinking')
      await ctx.reportProgress(2, 2, 'done thinking')
      return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { result: a + b } }
    },
  },
})

const form = { type: 'object' as const, properties: { sure: { type: 'boolean' as const } }, required: ['sure'] }

/** Asks the user: with a request of its own where the connection carries one, else with a result that asks for input. */
async function confirm(ctx: ServerRequestContext): Promise<CallToolResult | InputRequiredResult> {
  const message = 'Are you sure?'
  if (ctx.session.canSendRequest) {
    const { action } = await ctx.session.elicitForm(message, form)
    return { content: [{ type: 'text', text: `The user chose to ${action}.` }] }
  }
  const answer = ctx.inputResponses?.['sure'] as { action: string } | undefined
  if (answer !== undefined) return { content: [{ type: 'text', text: `The user chose to ${answer.action}.` }] }
  const params = { mode: 'form' as const, message, requestedSchema: form }
  return { resultType: 'input_required', inputRequests: { sure: { method: 'elicitation/create', params } } }
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

const options: ClientOptions = {
  clientInfo: { name: 'tour', version: '1.0.0' },
  onElicitation: () => ({ action: 'accept', content: { sure: true } }),
}

for (const era of ['handshake', 'modern'] as const) {
  const wire = recordWire()
  await using client = await connect(server, { ...options, era, wire })
  console.log(`\n${era} era, protocol revision ${client.protocolVersion}`)
  console.log(`  server    ${client.serverInfo?.name} ${client.serverInfo?.version}: ${client.instructions}`)
  console.log(`  tools     ${(await client.listTools()).tools.map((tool) => tool.name).join(', ')}`)

  const result = await client.callTool(
    'add',
    { a: 2, b: 40 },
    { onProgress: ({ progress, total, message }) => console.log(`  progress  ${progress}/${total} ${message}`) },
  )
  console.log(`  result    ${JSON.stringify(result.structuredContent)}`)

  const refused = await client.callTool('add', { a: '2' }).catch((error: unknown) => error as MCPError)
  console.log(`  refused   ${'code' in refused ? `${refused.code} ${refused.message}` : 'not at all'}`)

  const confirmed = await client.callTool('confirm')
  console.log(`  asked     ${JSON.stringify(confirmed.content[0])}`)

  const signal = AbortSignal.timeout(20)
  const stopped = await client.callTool('wait', {}, { signal }).catch((error: unknown) => error as Error)
  console.log(`  stopped   ${'name' in stopped ? `${stopped.name}: ${stopped.message}` : 'not at all'}`)

  const methods = wire.sent.map((message) => ('method' in message ? message.method : 'answer'))
  console.log(`  sent      ${methods.join(' · ')}`)
}

await using client = await connect(server, options)
const started = performance.now()
const calls = 20_000
for (let n = 0; n < calls; n++) await client.callTool('add', { a: n, b: 1 })
const micros = ((performance.now() - started) * 1000) / calls
console.log(`\nin process, without JSON: ${calls} calls, ${micros.toFixed(1)} µs each`)
await server.close()
