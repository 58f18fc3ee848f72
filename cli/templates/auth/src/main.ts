import { protect } from './auth.ts'
import { server } from './server.ts'

const { HOST = '127.0.0.1', PORT = '3000', ISSUER = 'http://127.0.0.1:4000' } = process.env
const { RESOURCE = `http://127.0.0.1:${PORT}/mcp` } = process.env

await server.run({
  transport: 'http',
  host: HOST,
  port: Number(PORT),
  auth: protect({ resource: RESOURCE, issuer: ISSUER }),
})
