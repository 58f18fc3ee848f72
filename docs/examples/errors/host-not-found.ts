import { Client } from 'mcpwire'
import { streamableHttp } from 'mcpwire/client'

// A fetch that fails as it does for a misspelled host.
const fetch = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }))
await Client.connect(streamableHttp('https://mcp.exmaple.com/mcp', { fetch }))
