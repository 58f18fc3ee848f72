// A server over stdio whose tool returns something nested, from text that was made once: its client is what is measured.
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { info, stamp, trip, tripOutput, withText } from '../schemas.js'

const outputSchema = z.toJSONSchema(tripOutput)
const tools = [{ name: 'trip', inputSchema: { type: 'object' }, outputSchema }]
const capabilities = { tools: {} }
const modern = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta: stamp }
const texts = {
  'server/discover': JSON.stringify({ ...modern, supportedVersions: ['2026-07-28'], capabilities, serverInfo: info }),
  'tools/list': JSON.stringify({ ...modern, tools }),
  'tools/call': JSON.stringify({ resultType: 'complete', _meta: stamp, ...withText(trip) }),
}
const legacyTexts = {
  initialize: JSON.stringify({ protocolVersion: '2025-11-25', capabilities, serverInfo: info }),
  'tools/list': JSON.stringify({ tools }),
  'tools/call': JSON.stringify(withText(trip)),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const isModern = params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
  const result = (isModern ? texts : legacyTexts)[method] ?? '{}'
  if (id !== undefined) process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`)
})
