// The official SDK v2 as a client of the matrix.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { ANSWERS, answerElicitation, rootsAt } from './answers.js'
import { followPages } from './pages.js'

export const eras = ['legacy', 'modern']

export async function connect(target, era, { onLog, root }) {
  const client = new Client(
    { name: 'official-v2', version: '1.0.0' },
    {
      capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => answerElicitation(params))
  client.setRequestHandler('sampling/createMessage', () => ANSWERS.sample)
  client.setRequestHandler('roots/list', () => rootsAt(root))
  client.setNotificationHandler('notifications/message', ({ params }) => onLog(params))
  await client.connect(openTransport(target))
  const meta = era === 'modern' ? { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } } : {}
  return {
    version: client.getNegotiatedProtocolVersion(),
    listTools: () => followPages((cursor) => client.listTools({ cursor }), 'tools'),
    listResources: () => followPages((cursor) => client.listResources({ cursor }), 'resources'),
    listTemplates: () => followPages((cursor) => client.listResourceTemplates({ cursor }), 'resourceTemplates'),
    listPrompts: () => followPages((cursor) => client.listPrompts({ cursor }), 'prompts'),
    callTool: (name, args, { onProgress, signal } = {}) =>
      client.callTool({ name, arguments: args, ...meta }, { onprogress: onProgress, signal }),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    askForLogs: async () => {
      if (era === 'legacy') await client.setLoggingLevel('info')
    },
    async watch(uri, onUpdate) {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => onUpdate(params.uri))
      if (era === 'modern') {
        const subscription = await client.listen({ resourceSubscriptions: [uri] })
        return () => subscription.close()
      }
      await client.subscribeResource({ uri })
      return () => client.unsubscribeResource({ uri })
    },
    async watchTools(onChange) {
      client.setNotificationHandler('notifications/tools/list_changed', onChange)
      if (era !== 'modern') return () => {}
      const subscription = await client.listen({ toolsListChanged: true })
      return () => subscription.close()
    },
    close: () => client.close(),
  }
}

function openTransport({ command, args, env, url, kind }) {
  if (command !== undefined) return new StdioClientTransport({ command, args, env, stderr: 'ignore' })
  return kind === 'sse' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url))
}
