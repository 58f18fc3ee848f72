// A server over stdio that lists 1,000 tools, from text that was made once: its client is what is measured.
import { createInterface } from 'node:readline'

const tools = Array.from({ length: 1_000 }, (_, index) => ({
  name: `tool_${index}`,
  title: `Tool ${index}`,
  description: `Finds the entries of list ${index} that fit a query, newest first.`,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to look for' },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      filter: { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
}))
const info = { name: 'listing', version: '1.0.0' }
const capabilities = { tools: {} }
const modern = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': info },
}
const listings = {
  modern: JSON.stringify({ ...modern, tools }),
  legacy: JSON.stringify({ tools }),
}

function answer({ method, params }) {
  if (method === 'initialize')
    return JSON.stringify({ protocolVersion: params.protocolVersion, capabilities, serverInfo: info })
  if (method === 'server/discover') {
    return JSON.stringify({ ...modern, supportedVersions: ['2026-07-28'], capabilities, serverInfo: info })
  }
  if (method !== 'tools/list') return undefined
  return params?._meta?.['io.modelcontextprotocol/protocolVersion'] === undefined ? listings.legacy : listings.modern
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  const result = answer(message)
  if (message.id !== undefined)
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result ?? '{}'}}\n`)
})
