// What a server is in production: 50 tools with zod schemas, tokens that are JWTs, telemetry, one log line per call. One call in ten
// asks its user. `bare` has the tool alone, over bare Node.
import { createServer } from 'node:http'
import * as jose from 'jose'
import { z } from 'zod'
import { answerByHand, info, sumInput, sumOutput, withText } from '../schemas.js'
import { spansByHand, startTelemetry } from '../spans.js'

const AUDIENCE = 'http://localhost:3000/mcp'
const ISSUER = 'https://id.example.com'
const form = z.object({ name: z.string() })
const { publicKey, privateKey } = await jose.generateKeyPair('ES256', { extractable: true })
const jwk = { ...(await jose.exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
export const token = await new jose.SignJWT({ client_id: 'bench', scope: 'tools' })
  .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
  .setIssuer(ISSUER)
  .setAudience(AUDIENCE)
  .setSubject('somebody')
  .setIssuedAt()
  .setExpirationTime('1h')
  .sign(privateKey)

const listen = (listener) =>
  new Promise((resolve) => {
    const http = createServer(listener).listen(0, '127.0.0.1', () => resolve({ port: http.address().port, token }))
  })

const lines = []

/** As a logger with a buffer does. */
function log(tool) {
  lines.push(JSON.stringify({ time: Date.now(), level: 'info', message: 'call', tool }))
  if (lines.length >= 512) lines.length = 0
}

function bare(request, response) {
  const pieces = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    const body = Buffer.from(JSON.stringify(answerByHand(JSON.parse(Buffer.concat(pieces).toString('utf8')))))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
}

async function ours() {
  const { MCPServer } = await import('mcpwire')
  const { createHandler } = await import('mcpwire/server')
  const { jwtVerifier, requireBearer } = await import('mcpwire/auth')
  const { toNodeHandler } = await import('mcpwire/node')
  const { traceServer } = await import('mcpwire/telemetry')
  const server = new MCPServer('bench', { middleware: [traceServer({ api: startTelemetry() })] })
  for (let index = 0; index < 48; index++) server.tool(`tool_${index}`, { input: sumInput }, () => 'done')
  server.tool('add', { input: sumInput, output: sumOutput }, ({ a, b }) => {
    log('add')
    return { sum: a + b }
  })
  server.tool('ask', { input: sumInput }, async (_args, ctx) => {
    log('ask')
    const { action } = await ctx.elicit('Which one?', form)
    return action
  })
  const verifier = jwtVerifier({ issuer: ISSUER, jwks: { keys: [jwk] } })
  return listen(toNodeHandler(requireBearer(createHandler(server), { resource: AUDIENCE, issuer: ISSUER, verifier })))
}

/** The official SDK takes verified tokens as they come: a program remembers those that it has verified, as its guides do. */
async function officialV2() {
  const { createMcpHandler, inputRequired, McpServer } = await import('@modelcontextprotocol/server')
  const { toNodeHandler } = await import('@modelcontextprotocol/node')
  startTelemetry()
  const trace = spansByHand()
  const traced = (name, run) => (args, ctx) => {
    log(name)
    const seen = { method: 'tools/call', params: { name }, requestId: ctx.mcpReq.id, protocolVersion: '2026-07-28' }
    return trace(seen, async () => run(args, ctx))
  }
  const handler = createMcpHandler(() => {
    const server = new McpServer(info)
    const text = (value) => ({ content: [{ type: 'text', text: value }] })
    for (let index = 0; index < 48; index++)
      server.registerTool(`tool_${index}`, { inputSchema: sumInput }, () => text('done'))
    server.registerTool(
      'add',
      { inputSchema: sumInput, outputSchema: sumOutput },
      traced('add', ({ a, b }) => withText({ sum: a + b })),
    )
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    server.registerTool(
      'ask',
      { inputSchema: sumInput },
      traced('ask', (_args, ctx) => {
        const answer = ctx.mcpReq.inputResponses?.which
        if (answer !== undefined) return text(answer.action)
        return inputRequired({
          inputRequests: { which: inputRequired.elicit({ mode: 'form', message: 'Which one?', requestedSchema }) },
        })
      }),
    )
    return server
  })
  const serve = toNodeHandler(handler)
  const keys = jose.createLocalJWKSet({ keys: [jwk] })
  const verified = new Map()
  return listen(async (request, response) => {
    const given = request.headers.authorization?.slice('Bearer '.length) ?? ''
    let auth = verified.get(given)
    if (auth === undefined) {
      const { payload } = await jose.jwtVerify(given, keys, { issuer: ISSUER, audience: AUDIENCE })
      auth = { token: given, clientId: payload.client_id, scopes: [payload.scope], expiresAt: payload.exp }
      verified.set(given, auth)
    }
    request.auth = auth
    await serve(request, response)
  })
}

export const contenders = { bare: () => listen(bare), mcpwire: ours, 'official v2': officialV2 }
