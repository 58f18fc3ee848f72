import { createGateway } from 'mcpwire/proxy'
import { limitConcurrency, limitRate, principalKey, principalOf } from 'mcpwire/server'

const options = { maxConnections: 500, maxParked: 200 }
const gateway = createGateway({ search: 'https://search.example.com/mcp' }, options)
gateway.use(limitRate({ perSecond: 5, burst: 20 }))
gateway.use(limitConcurrency({ max: 4, key: ({ auth }) => principalKey(principalOf(auth)) }))
await gateway.run({ transport: 'http', port: 3000 })
