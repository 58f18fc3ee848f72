// A short tour of what is there: two peers that call each other, and a schema that explains itself.
import { MCPError } from 'mcpwire'
import {
  type Channel,
  createDirectDispatcherPair,
  createMemoryChannelPair,
  type Dispatcher,
  JSONRPCDispatcher,
} from 'mcpwire/dispatcher'
import { compileSchema } from 'mcpwire/schema'
import { isCallToolResult } from 'mcpwire/types'

const addition = compileSchema({
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
  additionalProperties: false,
})

/** A peer that can add, slowly enough to report progress and to be stopped. */
function serve(dispatcher: Dispatcher): void {
  void dispatcher.run(
    async (context, method, params) => {
      if (method !== 'tools/call') throw new MCPError(-32601, `Method not found: ${method}`)
      if (params === undefined) throw new MCPError(-32602, 'Params are missing')
      if (params['name'] === 'wait') return waitForAbort(context.signal)
      const issues = addition.validate(params['arguments'])
      if (issues.length > 0) throw new MCPError(-32602, issues.map((issue) => issue.message).join('; '))
      const { a, b } = params['arguments'] as { a: number; b: number }
      await context.reportProgress(1, 2, 'thinking')
      await context.reportProgress(2, 2, 'done thinking')
      return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { result: a + b } }
    },
    () => {},
  )
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

async function show(title: string, client: Dispatcher): Promise<void> {
  console.log(`\n${title}`)
  void client.run(
    () => ({}),
    () => {},
  )
  const call = (args: object) => ({ name: 'add', arguments: args })
  const result = await client.sendRawRequest('tools/call', call({ a: 2, b: 40 }), {
    onProgress: ({ progress, total, message }) => console.log(`  progress  ${progress}/${total} ${message}`),
  })
  console.log(
    `  result    ${isCallToolResult(result) ? JSON.stringify(result.structuredContent) : 'not a tool result'}`,
  )

  const refused = await client.sendRawRequest('tools/call', call({ a: '2' })).catch((error: unknown) => error)
  console.log(`  refused   ${refused instanceof MCPError ? `${refused.code} ${refused.message}` : String(refused)}`)

  const stopped = await client
    .sendRawRequest('tools/call', { name: 'wait' }, { signal: AbortSignal.timeout(20) })
    .catch((error: unknown) => error)
  console.log(`  stopped   ${(stopped as Error).name}: ${(stopped as Error).message}`)
  await client.close()
}

/** Prints what crosses a channel. */
function spy(channel: Channel): Channel {
  return {
    start: (receiver) => channel.start(receiver),
    send: (message, hints) => {
      console.log(`  →         ${JSON.stringify(message).slice(0, 110)}`)
      return channel.send(message, hints)
    },
    close: () => channel.close(),
  }
}

const [here, there] = createMemoryChannelPair()
serve(new JSONRPCDispatcher(there))
await show('JSON-RPC over a channel', new JSONRPCDispatcher(spy(here)))

const [caller, callee] = createDirectDispatcherPair()
serve(callee)
await show('In process, without JSON', caller)
