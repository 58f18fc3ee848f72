// The official SDK v1 as a client of the matrix.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { ANSWERS, answerElicitation, rootsAt } from './answers.js'
import { followPages } from './pages.js'

export const eras = ['legacy']

export async function connect(target, _era, { onLog, root }) {
  const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } }
  const client = new Client({ name: 'official-v1', version: '1.0.0' }, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerElicitation(params))
  client.setRequestHandler(CreateMessageRequestSchema, () => ANSWERS.sample)
  client.setRequestHandler(ListRootsRequestSchema, () => rootsAt(root))
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => onLog(params))
  const transport = openTransport(target)
  await client.connect(transport)
  return {
    version: transport.protocolVersion ?? '2025-11-25',
    listTools: () => followPages((cursor) => client.listTools({ cursor }), 'tools'),
    listResources: () => followPages((cursor) => client.listResources({ cursor }), 'resources'),
    listTemplates: () => followPages((cursor) => client.listResourceTemplates({ cursor }), 'resourceTemplates'),
    listPrompts: () => followPages((cursor) => client.listPrompts({ cursor }), 'prompts'),
    callTool: (name, args, { onProgress, signal } = {}) =>
      client.callTool({ name, arguments: args }, undefined, { onprogress: onProgress, signal }),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    askForLogs: () => client.setLoggingLevel('info'),
    async watch(uri, onUpdate) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdate(params.uri))
      await client.subscribeResource({ uri })
      return () => client.unsubscribeResource({ uri })
    },
    async watchTools(onChange) {
      client.setNotificationHandler(ToolListChangedNotificationSchema, onChange)
      return () => {}
    },
    close: () => client.close(),
  }
}

function openTransport({ command, args, env, url, kind }) {
  if (command !== undefined) return new StdioClientTransport({ command, args, env, stderr: 'ignore' })
  return kind === 'sse' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url))
}
