import { Client, MCPServer } from 'mcpwire'
import { fetchTools } from 'mcpwire/openapi'
import { z } from 'zod'

const fetch = async (url: string | URL | Request) => Response.json({ name: `asked ${url}` })

const tools = fetchTools(
  {
    get_user: {
      path: '/users/{id}',
      input: z.object({ id: z.string(), full: z.boolean().optional() }),
      output: z.object({ name: z.string() }),
      describe: 'Gets a user.',
    },
  },
  { baseUrl: 'https://api.example.com', auth: () => 'token', fetch },
)

const client = await Client.connect(new MCPServer('users', { tools }))
const { structuredContent } = await client.callTool('get_user', { id: 'ada', full: true })
console.log(structuredContent?.name)
await client.close()
