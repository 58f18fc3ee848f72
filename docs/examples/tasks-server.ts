import { Client, MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { z } from 'zod'

const server = new MCPServer('reports', { extensions: [tasks()] })

const input = z.object({ quarter: z.string() })
server.tool(
  'build_report',
  { input, task: 'always' },
  async ({ quarter }, ctx) => {
    const rows = await ctx.step('read ledger', () => [120, 80])
    await ctx.reportProgress(1, 2, 'Ledger read')
    const drafts = await ctx.elicit(
      'Include drafts?',
      z.object({ yes: z.boolean() }),
    )
    const withDrafts = drafts.action === 'accept' && drafts.content.yes
    return `${quarter}: ${rows.length} rows, drafts: ${withDrafts}`
  },
)

await using client = await Client.connect(server, {
  extensions: [tasks()],
  onElicitation: () => ({ action: 'accept', content: { yes: true } }),
})
const { content } = await client.callTool('build_report', {
  quarter: 'Q3',
})
console.log(content)
