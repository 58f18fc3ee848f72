import { Client } from 'mcpwire'
import { streamableHttp } from 'mcpwire/client'

// A fetch that fails as it does for a certificate that the server signed itself.
const fetch = () => Promise.reject(Object.assign(new Error('tls'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }))
await Client.connect(streamableHttp('https://localhost:8443/mcp', { fetch }))
