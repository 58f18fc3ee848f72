import { Client } from 'mcpwire'

await Client.connect({ command: 'no-such-server' })
