import { jwtVerifier, memoryTokenStore, requireBearer, type TokenStore } from 'mcpwire/auth'
import { createGateway, perUser } from 'mcpwire/proxy'
import { principalKey } from 'mcpwire/server'

const resource = 'https://gateway.example.com/mcp'
const issuer = 'https://login.example.com'
const stores = new Map<string, TokenStore>()

const signIn = perUser({
  store: (principal) => {
    const key = principalKey(principal)
    const store = stores.get(key) ?? memoryTokenStore()
    stores.set(key, store)
    return store
  },
  callbackUrl: 'https://gateway.example.com/connect',
  clientName: 'Example gateway',
})

const gateway = createGateway({ notes: 'https://notes.example.com/mcp' }, { credentials: signIn })
await gateway.run({
  transport: 'http',
  port: 3000,
  allowedHosts: ['gateway.example.com'],
  auth: (handler) =>
    signIn.pages(requireBearer(handler, { resource, issuer, verifier: jwtVerifier({ issuer }) })),
})
