import { createHandler, toFetch } from 'mcpwire/server'
import { server } from './server.ts'

// The endpoint is /mcp, GET /health answers without a token. Other platforms with a fetch handler take the same function.
const handle = toFetch(createHandler(server))

export default { fetch: (request: Request): Promise<Response> => handle(request) }
