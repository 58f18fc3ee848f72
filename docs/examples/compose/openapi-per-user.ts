import { jwtVerifier, memoryTokenStore, requireBearer, type TokenStore } from 'mcpwire/auth'
import { openAPIServer } from 'mcpwire/openapi'
import { perUser } from 'mcpwire/proxy'
import { principalKey } from 'mcpwire/server'

const resource = 'https://tools.example.com/mcp'
const issuer = 'https://login.example.com'
const stores = new Map<string, TokenStore>()

const signIn = perUser({
  store: (principal) => {
    const key = principalKey(principal)
    const store = stores.get(key) ?? memoryTokenStore()
    stores.set(key, store)
    return store
  },
  callbackUrl: 'https://tools.example.com/connect',
  client: { id: 'tools', issuer: 'https://accounts.notes.example.com' },
})

const server = await openAPIServer('./notes.yaml', {
  auth: { account: signIn },
  authOrigins: ['https://accounts.notes.example.com'],
})
await server.run({
  transport: 'http',
  port: 3000,
  allowedHosts: ['tools.example.com'],
  auth: (handler) =>
    signIn.pages(requireBearer(handler, { resource, issuer, verifier: jwtVerifier({ issuer }) })),
})
