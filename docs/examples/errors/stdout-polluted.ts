import { Client } from 'mcpwire'

await Client.connect({ command: 'node', args: ['-e', 'console.log("Listening on stdio")'] })
