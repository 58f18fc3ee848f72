// What tools take and return in these workloads, and messages made by hand.
import { z } from 'zod'

export const info = { name: 'bench', version: '1.0.0' }
export const stamp = { 'io.modelcontextprotocol/serverInfo': info }

export const sumInput = z.object({ a: z.number(), b: z.number(), text: z.string().optional() })
export const sumOutput = z.object({ sum: z.number() })

const stay = z.object({
  city: z.string().min(1),
  nights: z.int().min(1),
  price: z.number(),
  guests: z.array(z.string()),
  class: z.enum(['plain', 'fine']),
})

/** An object of 30 properties: five objects of five, and their names. */
export const tripInput = z.object({ first: stay, second: stay, third: stay, fourth: stay, fifth: stay })
export const tripOutput = tripInput

const example = { city: 'Ulm', nights: 2, price: 80.5, guests: ['one', 'two'], class: 'fine' }
export const trip = { first: example, second: example, third: example, fourth: example, fifth: example }

export const large = 'x'.repeat(10_000_000)

export function withText(structuredContent) {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** By name: what the official SDKs register. Their versions differ in the form of schemas only. */
export const OFFICIAL_TOOLS = {
  add: [{ inputSchema: sumInput, outputSchema: sumOutput }, ({ a, b }) => withText({ sum: a + b })],
  plan: [{ inputSchema: tripInput }, ({ first }) => ({ content: [{ type: 'text', text: first.city }] })],
  trip: [{ outputSchema: tripOutput }, () => withText(trip)],
  large: [{}, () => ({ content: [{ type: 'text', text: large }] })],
}

export function addTools(server) {
  server.tool('add', { input: sumInput, output: sumOutput }, ({ a, b }) => ({ sum: a + b }))
  server.tool('plan', { input: tripInput }, ({ first }) => first.city)
  server.tool('trip', { output: tripOutput }, () => trip)
  server.tool('large', () => large)
  return server
}

const byHand = {
  add: (args) => {
    const { a, b } = sumInput.parse(args)
    return withText(sumOutput.parse({ sum: a + b }))
  },
  plan: (args) => ({ content: [{ type: 'text', text: tripInput.parse(args).first.city }] }),
  trip: () => withText(tripOutput.parse(trip)),
  large: () => ({ content: [{ type: 'text', text: large }] }),
}

/** The answer to a message, with the same bytes and checks by hand; `undefined` for a notification. */
export function answerByHand({ id, method, params }) {
  if (id === undefined) return undefined
  const isModern = params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
  if (method === 'initialize') {
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info }
    return { jsonrpc: '2.0', id, result }
  }
  const made = byHand[params.name](params.arguments)
  return { jsonrpc: '2.0', id, result: isModern ? { resultType: 'complete', _meta: stamp, ...made } : made }
}
