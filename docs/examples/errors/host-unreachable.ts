import { Client } from 'mcpwire'
import { streamableHttp } from 'mcpwire/client'

// A fetch that fails as it does without a route to the host.
const fetch = () => Promise.reject(Object.assign(new Error('connect'), { code: 'EHOSTUNREACH' }))
await Client.connect(streamableHttp('http://192.0.2.1/mcp', { fetch }))
