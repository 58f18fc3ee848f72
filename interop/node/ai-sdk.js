// The AI SDK's client, `@ai-sdk/mcp`.
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'
import { drive } from './drive.js'
import { followPages } from './pages.js'

await drive(async ({ target, era, answers }) => {
  const { command, args, env, url, kind } = target
  const client = await createMCPClient({
    transport: command
      ? new StdioTransport({ command, args, env, stderr: 'ignore' })
      : { type: kind === 'sse' ? 'sse' : 'http', url },
    protocolVersionDiscovery: era === 'modern',
    capabilities: { elicitation: {} },
  })
  client.onElicitationRequest(ElicitationRequestSchema, () => answers.form)
  return {
    version: client.initializeResult?.protocolVersion,
    listTools: () => followPages((params) => client.listTools({ params }), 'tools'),
    listResources: () => followPages((params) => client.listResources({ params }), 'resources'),
    listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    listPrompts: () => followPages((params) => client.listPrompts({ params }), 'prompts'),
    callTool: (name, toolArgs, { signal }) => client.callTool({ name, arguments: toolArgs, options: { signal } }),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, promptArgs) => client.getPrompt({ name, arguments: promptArgs }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    close: () => client.close(),
  }
})
