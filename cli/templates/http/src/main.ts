import { server } from './server.ts'

const { HOST = '127.0.0.1', PORT = '3000', ALLOWED_HOSTS } = process.env

// GET /health answers while the process is alive, GET /ready while it should get requests.
await server.run({
  transport: 'http',
  host: HOST,
  port: Number(PORT),
  // The names that clients reach the server by. Set them wherever the server is not on this machine alone.
  ...(ALLOWED_HOSTS !== undefined && { allowedHosts: ALLOWED_HOSTS.split(',') }),
})
