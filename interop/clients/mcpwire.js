// mcpwire as a client of the matrix.
import { Client } from 'mcpwire'
import { sse, streamableHttp } from 'mcpwire/client'
import { stdio } from 'mcpwire/node'
import { ANSWERS, answerElicitation, rootsAt } from './answers.js'

/** Long enough to see a server exit by itself, on a busy machine too. */
const PATIENT = { graceMs: 30_000 }

export const eras = ['legacy', 'modern']

export async function connect(target, era, { onLog, root, revision }) {
  let onUpdated = () => {}
  let onToolsChanged = () => {}
  const client = await Client.connect(openTransport(target), {
    mode: revision ?? era,
    logLevel: 'info',
    onElicitation: answerElicitation,
    onSampling: () => ANSWERS.sample,
    onListRoots: () => rootsAt(root),
    onLog,
    onMessage: ({ method, params }) => {
      if (method === 'notifications/resources/updated') onUpdated(params.uri)
      if (method === 'notifications/tools/list_changed') onToolsChanged()
    },
  })
  return {
    version: client.protocolVersion,
    listTools: () => collect(client.tools()),
    listResources: () => collect(client.resources()),
    listTemplates: () => collect(client.resourceTemplates()),
    listPrompts: () => collect(client.prompts()),
    callTool: (name, args, options) => client.callTool(name, args, options),
    readResource: (uri) => client.readResource(uri),
    getPrompt: (name, args) => client.getPrompt(name, args),
    complete: (ref, argument) => client.complete(ref, argument),
    askForLogs: async () => {
      if (era === 'legacy') await client.setLoggingLevel('info')
    },
    async watch(uri, onUpdate) {
      if (era === 'modern') {
        const subscription = await client.listen({ resourceSubscriptions: [uri] })
        void (async () => {
          for await (const event of subscription) if (event.type === 'resourceUpdated') onUpdate(event.uri)
        })()
        return () => subscription.close()
      }
      onUpdated = onUpdate
      await client.subscribeResource(uri)
      return () => client.unsubscribeResource(uri)
    },
    async watchTools(onChange) {
      if (era === 'modern') {
        const subscription = await client.listen({ toolsListChanged: true })
        void (async () => {
          for await (const event of subscription) if (event.type === 'toolsListChanged') onChange()
        })()
        return () => subscription.close()
      }
      onToolsChanged = onChange
      return () => {}
    },
    close: () => client.close(),
  }
}

function openTransport({ command, args, env, url, kind }) {
  if (command !== undefined) return stdio({ command, args, env, stderr: 'ignore', shutdown: PATIENT })
  return kind === 'sse' ? sse(url) : streamableHttp(url)
}

async function collect(items) {
  const all = []
  for await (const item of items) all.push(item)
  return all
}
