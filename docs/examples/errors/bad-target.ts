import { Client } from 'mcpwire'

await Client.connect('server.js')
