import { Client } from 'mcpwire'

const silent = 'setInterval(() => {}, 1000)'
await Client.connect({ command: 'node', args: ['-e', silent] }, { connectTimeoutMs: 300 })
