import { Client } from 'mcpwire'

await Client.connect({ command: '', args: ['server.js'] })
