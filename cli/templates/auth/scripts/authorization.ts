// An authorization server on this machine, for development: every name can log in.
import { devAuthorizationServer } from 'mcpwire/auth/dev'

const port = Number(process.env['AUTHORIZATION_PORT'] ?? 4000)
const { issuer } = await devAuthorizationServer({ port, scopes: ['notes:read', 'notes:write'] })
console.error(`Authorization server for development: ${issuer}`)
