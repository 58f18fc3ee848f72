import { Client } from 'mcpwire'

const client = await Client.connect({ command: 'npx', args: ['mcpwire', 'run', 'server.ts'] })
for await (const tool of client.tools()) console.log(tool.name)
await client.close()
