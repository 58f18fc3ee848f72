import { Client } from 'mcpwire'

await Client.connect('http://127.0.0.1:1/mcp')
