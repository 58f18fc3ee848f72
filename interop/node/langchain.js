// LangChain's client, `@langchain/mcp-adapters`. Its tools return text or content blocks.
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { drive, tell } from './drive.js'

await drive(async ({ target }) => {
  const { command, args, env, url, kind } = target
  const server = command
    ? { transport: 'stdio', command, args, env, stderr: 'ignore' }
    : { transport: kind === 'sse' ? 'sse' : 'http', url }
  const client = new MultiServerMCPClient({
    mcpServers: { server },
    throwOnLoadError: true,
    onMessage: (params) => tell({ event: 'log', params }),
  })
  const tools = await client.getTools()
  const blocksOf = (output) => (typeof output === 'string' ? [{ type: 'text', text: output }] : output)
  return {
    listTools: () => tools.map(({ name }) => ({ name })),
    listResources: async () => (await client.listResources()).server,
    listTemplates: async () => (await client.listResourceTemplates()).server,
    readResource: async (uri) => ({ contents: await client.readResource('server', uri) }),
    callTool: async (name, toolArgs, { signal }) => {
      const tool = tools.find((candidate) => candidate.name === name)
      if (tool === undefined) throw new Error(`there is no tool ${name}`)
      try {
        return { content: blocksOf(await tool.invoke(toolArgs, { signal })) }
      } catch (error) {
        if (error.name !== 'ToolException' || signal.aborted) throw error
        return { isError: true, content: blocksOf(error.message) }
      }
    },
    askForLogs: () => client.setLoggingLevel('info'),
    close: () => client.close(),
  }
})
