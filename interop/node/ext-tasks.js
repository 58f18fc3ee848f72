// The official package for clients of tasks, @modelcontextprotocol/ext-tasks. It brings no transport: in the legacy era it uses the
// official client; in the modern era, where that client has no way for it, it gets one POST per request.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { drive } from './drive.js'

const VERSION = '2026-07-28'
const INFO = { name: 'ext-tasks', version: '1.0.0' }
const TASKS = 'io.modelcontextprotocol/tasks'
let lastId = 0

await drive(async ({ target, era, answers }) => {
  const isModern = era === 'modern'
  const elicitation = { form: {} }
  const client = new Client(INFO, {
    capabilities: { elicitation },
    versionNegotiation: { mode: isModern ? { pin: VERSION } : 'legacy' },
  })
  await client.connect(openTransport(target))
  const declared = []
  for (let cursor; ; ) {
    const page = await client.listTools({ cursor })
    declared.push(...page.tools)
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  const session = createTaskSessionFromClient(client, {
    endpointId: 'interop',
    onInputRequest: async () => answers.form,
    tools: { currentTool: (name) => declarationOf(declared.find((tool) => tool.name === name)) },
    ...(isModern && {
      rawDispatch: (request, options) => post(target.url, request, options),
      v2RequestFraming: {
        protocolVersion: VERSION,
        clientInfo: INFO,
        clientCapabilities: { elicitation, extensions: { [TASKS]: {} } },
      },
    }),
  })
  const executions = new Map()
  return {
    version: client.getNegotiatedProtocolVersion(),
    async callTool(name, args) {
      const execution = await session.callTool(name, args)
      return resultFromTaskOutcome((await execution.settle()).outcome)
    },
    async startTask(name, args) {
      const execution = await session.callTool(name, args, { task: { preference: 'prefer' } })
      if (execution.kind !== 'task') throw new Error('the call was no task')
      const { taskId } = execution.handle
      executions.set(taskId, execution)
      // Its end is looked at by state alone.
      execution.result().catch(() => {})
      return { taskId, status: (await session.task(taskId).snapshot()).status }
    },
    taskState: async (taskId) => ({ status: (await session.task(taskId).snapshot()).status }),
    cancelTask: (taskId) => session.cancelTask(taskId),
    async close() {
      await session.close()
      await client.close()
    },
  }
})

function declarationOf(tool) {
  if (tool === undefined) return undefined
  const { name, inputSchema, outputSchema, execution } = tool
  return {
    name,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(execution?.taskSupport && { taskSupport: execution.taskSupport }),
  }
}

async function post(url, request, { signal } = {}) {
  const { method, params } = request
  const name = params?.taskId ?? params?.name
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params }),
    signal,
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const message = isStream ? lastMessage(text) : JSON.parse(text)
  return message.error === undefined
    ? { kind: 'result', result: message.result }
    : { kind: 'error', error: message.error }
}

/** The response is the last message of its stream. */
function lastMessage(text) {
  const messages = text.split('\n').filter((line) => line.startsWith('data: {'))
  return JSON.parse(messages.at(-1).slice('data: '.length))
}

function openTransport({ command, args, env, url }) {
  if (command !== undefined) return new StdioClientTransport({ command, args, env, stderr: 'ignore' })
  return new StreamableHTTPClientTransport(new URL(url))
}
