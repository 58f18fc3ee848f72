// The catalogue, served by the official SDK v2 in both eras. Usage: official-v2.js stdio | http-json | http-sse
import { randomUUID } from 'node:crypto'
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node'
import {
  completable,
  createMcpHandler,
  inputRequired,
  isLegacyRequest,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { NAME_FORM, PAGE, QUESTION } from '../catalogue.js'
import { listen, serveSessions } from './http.js'
import { addContents, addTools } from './official-tools.js'

const counters = { stopped: 0 }

/** Asks in the way of the request's own era. */
function asker(key, question, askNow) {
  return async (ctx, done) => {
    if (ctx.mcpReq.envelope === undefined) return done(await askNow(ctx))
    const answer = ctx.mcpReq.inputResponses?.[key]
    if (answer !== undefined) return done(answer)
    return inputRequired({ inputRequests: { [key]: question() } })
  }
}

function createCatalogue(notify) {
  const capabilities = { logging: {}, resources: { subscribe: true, listChanged: true } }
  const server = new McpServer({ name: 'official-v2', version: '1.0.0' }, { capabilities })
  const low = server.server
  const subscribed = new Set()
  low.setRequestHandler('resources/subscribe', ({ params }) => subscribed.add(params.uri) && {})
  low.setRequestHandler('resources/unsubscribe', ({ params }) => subscribed.delete(params.uri) && {})
  addTools(server, {
    counters,
    touched: async (ctx, uri) => {
      if (ctx.mcpReq.envelope !== undefined && notify !== undefined) return notify().resourceUpdated(uri)
      if (ctx.mcpReq.envelope !== undefined || subscribed.has(uri)) await low.sendResourceUpdated({ uri })
    },
    grown: (ctx) => {
      if (ctx.mcpReq.envelope !== undefined) notify?.().toolsChanged()
    },
    ask: {
      signal: (ctx) => ctx.mcpReq.signal,
      progress: async (ctx, progress, total) => {
        const progressToken = ctx.mcpReq._meta?.progressToken
        if (progressToken === undefined) return
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } })
      },
      elicit: asker(
        'name',
        () => inputRequired.elicit({ message: 'Your name?', requestedSchema: NAME_FORM }),
        (ctx) => ctx.mcpReq.elicitInput({ mode: 'form', message: 'Your name?', requestedSchema: NAME_FORM }),
      ),
      visit: asker(
        'visit',
        () => inputRequired.elicitUrl({ message: 'Please visit', url: PAGE }),
        (ctx) =>
          ctx.mcpReq.elicitInput({ mode: 'url', message: 'Please visit', url: PAGE, elicitationId: randomUUID() }),
      ),
      sample: asker(
        'capital',
        () => inputRequired.createMessage(QUESTION),
        (ctx) => ctx.mcpReq.requestSampling(QUESTION),
      ),
      roots: asker(
        'roots',
        () => inputRequired.listRoots(),
        () => low.listRoots(),
      ),
      log: (ctx, data) => ctx.mcpReq.log('info', data),
    },
  })
  addContents(server, { ResourceTemplate, completable })
  return server
}

const [mode = 'stdio'] = process.argv.slice(2)
if (mode === 'stdio') {
  serveStdio(() => createCatalogue())
} else {
  const handler = createMcpHandler(() => createCatalogue(() => handler.notify), {
    responseMode: mode === 'http-json' ? 'auto' : 'sse',
  })
  const serveModern = toNodeHandler(handler)
  const serveSession = serveSessions(NodeStreamableHTTPServerTransport, createCatalogue, mode === 'http-json')
  listen(async (request, response) => {
    let parsed
    if (request.method === 'POST') {
      const chunks = []
      for await (const chunk of request) chunks.push(chunk)
      parsed = JSON.parse(Buffer.concat(chunks).toString())
    }
    const isLegacy = await isLegacyRequest(await toWebRequest(request, parsed), parsed)
    if (isLegacy || request.method !== 'POST') await serveSession(request, response, parsed)
    else await serveModern(request, response, parsed)
  })
}
