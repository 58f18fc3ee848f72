import { Client } from 'mcpwire'
import { Server } from 'mcpwire/server'

const question = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Which city?',
    requestedSchema: {
      type: 'object',
      properties: { city: { type: 'string' } },
    },
  },
} as const

const server = new Server('weather', {
  handlers: {
    'tools/list': () => ({
      tools: [{ name: 'now', inputSchema: { type: 'object' } }],
    }),
    'tools/call': (ctx) => {
      const answer = ctx.inputResponses?.['city']
      if (answer === undefined) {
        const inputRequests = { city: question }
        return { resultType: 'input_required', inputRequests }
      }
      const text = `Answered: ${JSON.stringify(answer)}`
      return { content: [{ type: 'text', text }] }
    },
  },
})

const client = await Client.connect(server, {
  mode: 'modern',
  onElicitation: () => ({
    action: 'accept',
    content: { city: 'Rome' },
  }),
})
console.log((await client.callTool('now')).content)
await client.close()
