// Handlers and callbacks below MCPServer take literals too, and what does not fit a method of the specification is refused.
import { Client } from 'mcpwire'
import type { ClientSession } from 'mcpwire/client'
import { Server, type ServerSession } from 'mcpwire/server'

const server = new Server('low-level', {
  handlers: { 'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }) },
})
server.setRequestHandler('tools/call', async (_ctx, { name }) => ({
  content: [{ type: 'text', text: name }],
  isError: true,
}))
server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }))
server.setRequestHandler('prompts/get', () => ({ messages: [{ role: 'user', content: { type: 'text', text: '' } }] }))
server.setRequestHandler('acme/anything', () => ({ any: ['thing'] }))
server.setNotificationHandler('acme/anything', () => {})
declare const anyMethod: string
server.setRequestHandler(anyMethod, () => ({}))

declare const serverSession: ServerSession
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: '' } }]
await serverSession.sendRequest('sampling/createMessage', {
  maxTokens: 1,
  messages: [{ role: 'user', content: { type: 'text', text: '' } }],
})
await serverSession.sendRequest('acme/anything', { any: 'thing' })
await serverSession.createMessage({ maxTokens: 1, messages })

declare const clientSession: ClientSession
await clientSession.sendRequest('logging/setLevel', { level: 'info' })
await clientSession.sendRequest('acme/anything', { any: 'thing' })
await clientSession.complete({ type: 'ref/prompt', name: 'review' }, { name: 'code', value: '' })
await Client.connect(server, {
  onElicitation: () => ({ action: 'accept', content: {} }),
  onSampling: async () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: '' } }),
  onListRoots: () => ({ roots: [{ uri: 'file:///home' }] }),
  logLevel: 'info',
})

// @ts-expect-error: no such kind of content
server.setRequestHandler('tools/call', () => ({ content: [{ type: 'txt', text: '' }] }))
// @ts-expect-error: a result of another method
server.setRequestHandler('tools/list', () => ({ prompts: [] }))
// @ts-expect-error: messages are a list
await serverSession.sendRequest('sampling/createMessage', { maxTokens: 1, messages: 1 })
// @ts-expect-error: no such level
await clientSession.sendRequest('logging/setLevel', { level: 'loud' })
