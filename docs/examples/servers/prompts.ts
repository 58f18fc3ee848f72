import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('translator')
server.prompt(
  'translate',
  {
    description: 'Translate a text',
    input: z.object({ text: z.string(), language: z.string() }),
  },
  ({ text, language }) => `Translate into ${language}: ${text}`,
)

const client = await Client.connect(server)
const { messages } = await client.getPrompt('translate', {
  text: 'Good morning',
  language: 'greek',
})
console.log(messages)
await client.close()
