import { Client } from 'mcpwire'
import { oauth } from 'mcpwire/auth'

await using client = await Client.connect(
  'https://notes.example.com/mcp',
  {
    auth: oauth({
      client: { id: 'television' },
      device: ({ userCode, verificationUrl }) => {
        console.log(
          `Open ${verificationUrl} on your phone, and type ${userCode}.`,
        )
      },
    }),
  },
)
console.log((await client.callTool('whoami')).content)
