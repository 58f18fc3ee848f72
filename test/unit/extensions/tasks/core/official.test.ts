// Core tasks with the official SDK of that revision as the other side: its client with our server, and our client with its server.
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  type JSONRPCMessage as OfficialMessage,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { Client } from '../../../../../src/client/client.ts'
import type { Channel } from '../../../../../src/dispatcher/channel.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../../../src/node/http/serve-http.ts'
import type { CallToolResult } from '../../../../../src/types/features/tools.ts'

const YES = { type: 'object', properties: { yes: { type: 'boolean' } } } as const

function createServer(): MCPServer {
  const server = new MCPServer('ours', {
    extensions: [tasks()],
    requestState: { keys: [new Uint8Array(32).fill(1)] },
  })
  const task = { mode: 'required', pollIntervalMs: 100 } as const
  server.tool('report', { task, input: z.object({ quarter: z.string() }) }, async ({ quarter }, ctx) => {
    await ctx.reportProgress(1, 2, 'read')
    const answer = await ctx.elicit('Include drafts?', YES)
    return `${quarter}: ${JSON.stringify(answer)}`
  })
  server.tool('refuse', { task }, () => ({ content: [{ type: 'text', text: 'No ink' }], isError: true }))
  server.tool('slow', { task }, async (_args, ctx) => {
    await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('stopped'))))
  })
  server.tool('plain', () => 'plain')
  return server
}

async function connectOfficial(): Promise<OfficialClient> {
  const serving = await serveHttp(createServer(), { port: 0 })
  onTestFinished(() => serving.close({ drainMs: 0 }))
  const client = new OfficialClient({ name: 'official', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { yes: true } }))
  await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)))
  onTestFinished(() => client.close())
  await client.listTools()
  return client
}

describe('tasks L-07, L-08, L-09: the client of the official SDK with our server', () => {
  it('calls a tool as a task, answers its question and gets its result', async () => {
    const client = await connectOfficial()
    const stream = client.experimental.tasks.callToolStream(
      { name: 'report', arguments: { quarter: 'Q3' } },
      CallToolResultSchema,
      { task: { ttl: 60_000 } },
    )
    const messages: { type: string; task?: { status: string }; result?: object }[] = []
    for await (const message of stream) messages.push(message)
    expect(messages[0]).toMatchObject({ type: 'taskCreated', task: { status: 'working', ttl: 60_000 } })
    expect(messages.at(-1)).toMatchObject({
      type: 'result',
      result: { content: [{ text: 'Q3: {"action":"accept","content":{"yes":true}}' }] },
    })
  })

  it('reads failed tools, cancels, and is refused what is not offered', async () => {
    const client = await connectOfficial()
    const start = async (name: string) => {
      const stream = client.experimental.tasks.callToolStream({ name, arguments: {} }, CallToolResultSchema, {
        task: {},
      })
      for await (const message of stream) if (message.type === 'taskCreated') return message.task.taskId
      throw new Error('no task')
    }
    const refused = await start('refuse')
    const result = await client.experimental.tasks.getTaskResult(refused, CallToolResultSchema)
    expect(result).toMatchObject({ isError: true, content: [{ text: 'No ink' }] })
    expect((await client.experimental.tasks.getTask(refused)).status).toBe('failed')

    const slow = await start('slow')
    expect((await client.experimental.tasks.cancelTask(slow)).status).toBe('cancelled')
    await expect(client.experimental.tasks.cancelTask(slow)).rejects.toMatchObject({ code: -32602 })
    await expect(client.experimental.tasks.listTasks()).rejects.toThrow()
  })
})

/** The in-memory transport of the official SDK as a channel of ours. */
function toChannel(transport: InMemoryTransport): Channel {
  return {
    async start(receiver) {
      transport.onmessage = (message) => void receiver.message(message as never)
      transport.onclose = () => receiver.closed()
      await transport.start()
    },
    send: (message) => transport.send(message as unknown as OfficialMessage),
    close: () => transport.close(),
  }
}

/** What the handlers of its task tools get, as far as it is used here. */
interface OfficialExtra {
  readonly taskId: string
  readonly taskStore: {
    createTask(options: object): Promise<{ taskId: string }>
    getTask(taskId: string): Promise<object>
    getTaskResult(taskId: string): Promise<object>
    updateTaskStatus(taskId: string, status: string): Promise<void>
    storeTaskResult(taskId: string, status: string, result: CallToolResult): Promise<void>
  }
  sendRequest(request: object, schema: object, options: object): Promise<unknown>
}

/** A task tool whose work goes on after the task was created. */
function handlersOf(work: (taskId: string, extra: OfficialExtra) => Promise<CallToolResult | undefined>) {
  return {
    async createTask(_args: unknown, extra: OfficialExtra) {
      const { taskStore } = extra
      const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 100 })
      void work(task.taskId, extra).then(async (result) => {
        if (result !== undefined) await taskStore.storeTaskResult(task.taskId, 'completed', result)
      })
      return { task }
    },
    getTask: (_args: unknown, { taskId, taskStore }: OfficialExtra) => taskStore.getTask(taskId),
    getTaskResult: (_args: unknown, { taskId, taskStore }: OfficialExtra) => taskStore.getTaskResult(taskId),
  }
}

async function connectToOfficial(asked: string[] = []): Promise<Client> {
  const taskStore = new InMemoryTaskStore()
  onTestFinished(() => taskStore.cleanup())
  const server = new McpServer(
    { name: 'official', version: '1' },
    {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  )
  const ask = handlersOf(async (taskId, { taskStore: store, sendRequest }) => {
    await store.updateTaskStatus(taskId, 'input_required')
    const params = { mode: 'form', message: 'Sure?', requestedSchema: YES }
    const request = { method: 'elicitation/create', params }
    const answer = await sendRequest(request, ElicitResultSchema, { relatedTask: { taskId } })
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
  })
  const never = handlersOf(async () => undefined)
  server.experimental.tasks.registerToolTask(
    'ask',
    { inputSchema: {}, execution: { taskSupport: 'required' } },
    ask as never,
  )
  server.experimental.tasks.registerToolTask(
    'never',
    { inputSchema: {}, execution: { taskSupport: 'optional' } },
    never as never,
  )
  server.registerTool('plain', {}, async () => ({ content: [{ type: 'text', text: 'plain' }] }))
  const [here, there] = InMemoryTransport.createLinkedPair()
  await server.connect(there)
  const client = await Client.connect(toChannel(here), {
    mode: '2025-11-25',
    extensions: [tasks()],
    onElicitation: ({ message }) => {
      asked.push(message)
      return { action: 'accept', content: { yes: true } }
    },
  })
  onTestFinished(() => client.close())
  return client
}

describe('tasks L-04, L-15, L-16: our client with the server of the official SDK', () => {
  it('drives a tool that must be called as a task, with its question', async () => {
    const asked: string[] = []
    const client = await connectToOfficial(asked)
    const result = await client.callTool('ask')
    expect(asked).toEqual(['Sure?'])
    const [block] = result.content
    const answer = JSON.parse(block?.type === 'text' ? (block.text as string) : '{}') as object
    expect(answer).toMatchObject({ action: 'accept', content: { yes: true } })
    expect(await client.callTool('plain')).toMatchObject({ content: [{ text: 'plain' }] })
  })

  it('lists and cancels tasks', async () => {
    const client = await connectToOfficial()
    const job = await client.tasks.start('never')
    const ids: string[] = []
    for await (const { taskId } of client.tasks.list()) ids.push(taskId)
    expect(ids).toEqual([job.taskId])
    await job.cancel()
    expect((await client.tasks.get(job.taskId as string)).status).toBe('cancelled')
    // Once more: the server refuses it, and the task is cancelled all the same.
    await client.tasks.cancel(job.taskId as string)
  })
})
