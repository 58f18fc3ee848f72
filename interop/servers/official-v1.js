// The catalogue, served by the official SDK v1. Usage: official-v1.js stdio | http-json | http-sse | sse
import { randomUUID } from 'node:crypto'
import { completable } from '@modelcontextprotocol/sdk/server/completable.js'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { NAME_FORM, PAGE, QUESTION } from '../catalogue.js'
import { listen, serveSessions } from './http.js'
import { addContents, addTools } from './official-tools.js'

const counters = { stopped: 0 }

function createCatalogue() {
  const capabilities = { logging: {}, resources: { subscribe: true } }
  const server = new McpServer({ name: 'official-v1', version: '1.0.0' }, { capabilities })
  const low = server.server
  const subscribed = new Set()
  low.setRequestHandler(SubscribeRequestSchema, ({ params }) => subscribed.add(params.uri) && {})
  low.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => subscribed.delete(params.uri) && {})
  addTools(server, {
    counters,
    shape: (members) => members,
    touched: async (_ctx, uri) => {
      if (subscribed.has(uri)) await low.sendResourceUpdated({ uri })
    },
    ask: {
      signal: (ctx) => ctx.signal,
      progress: async (ctx, progress, total) => {
        const progressToken = ctx._meta?.progressToken
        if (progressToken === undefined) return
        await ctx.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total } })
      },
      elicit: async (_ctx, done) =>
        done(await low.elicitInput({ mode: 'form', message: 'Your name?', requestedSchema: NAME_FORM })),
      visit: async (_ctx, done) =>
        done(await low.elicitInput({ mode: 'url', message: 'Please visit', url: PAGE, elicitationId: randomUUID() })),
      sample: async (_ctx, done) => done(await low.createMessage(QUESTION)),
      roots: async (_ctx, done) => done(await low.listRoots()),
      log: async (ctx, data) =>
        ctx.sendNotification({ method: 'notifications/message', params: { level: 'info', data } }),
    },
  })
  addContents(server, { ResourceTemplate, completable, shape: (members) => members })
  return server
}

const sessions = new Map()

async function serveLegacySse(request, response) {
  const url = new URL(request.url, 'http://localhost')
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/messages', response)
    sessions.set(transport.sessionId, transport)
    return createCatalogue().connect(transport)
  }
  return sessions.get(url.searchParams.get('sessionId')).handlePostMessage(request, response)
}

const [mode = 'stdio'] = process.argv.slice(2)
if (mode === 'stdio') {
  await createCatalogue().connect(new StdioServerTransport())
} else {
  const isSse = mode === 'sse'
  const serveStreamable = serveSessions(StreamableHTTPServerTransport, createCatalogue, mode === 'http-json')
  listen(isSse ? serveLegacySse : serveStreamable, isSse ? 'sse' : 'mcp')
}
