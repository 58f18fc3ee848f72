import { Client, MCPServer } from 'mcpwire'
import { requireBearer, verifyStaticTokens } from 'mcpwire/auth'
import { createGateway } from 'mcpwire/proxy'

/** For this page: each token stands for a user. */
function protect(resource: string, users: Record<string, string>) {
  const entries = Object.entries(users).map(
    ([token, subject]) => [token, { clientId: 'app', subject, scopes: [] }] as const,
  )
  const verifier = verifyStaticTokens(Object.fromEntries(entries))
  const options = { resource, issuer: false, verifier } as const
  return (handler: Parameters<typeof requireBearer>[0]) => requireBearer(handler, options)
}

const notes = new MCPServer('notes')
notes.tool('whoami', (_args, { auth }) => `${auth?.subject} of the notes`)
const users = { 'notes-token-of-ada': 'Ada', 'notes-token-of-bob': 'Bob' }
const access = protect('https://notes.example.com/mcp', users)
const source = await notes.run({ transport: 'http', port: 0, auth: access })

const gateway = createGateway(
  { notes: source.url },
  {
    credentials: ({ principal }) => ({
      headers: { authorization: `Bearer notes-token-of-${principal?.subject}` },
    }),
  },
)
const callers = { 'gateway-token-of-ada': 'ada', 'gateway-token-of-bob': 'bob' }
const auth = protect('https://gateway.example.com/mcp', callers)
const { url } = await gateway.run({ transport: 'http', port: 0, auth })

for (const token of Object.keys(callers)) {
  const client = await Client.connect(url, { headers: { authorization: `Bearer ${token}` } })
  console.log((await client.callTool('notes_whoami')).content)
  await client.close()
}
await gateway.close()
await source.close()
