import { Client } from 'mcpwire'

await Client.connect({ command: 'node', args: ['-e', 'process.exit(3)'] })
