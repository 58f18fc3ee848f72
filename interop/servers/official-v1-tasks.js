// The tools of tasks/checks.js, served by the official SDK v1 as tasks of 2025-11-25. Usage: official-v1-tasks.js stdio | http-json | http-sse
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'
import { NAME_FORM } from '../catalogue.js'
import { listen, serveSessions } from './http.js'

const WORK_MS = 200
const POLL_MS = 100
const TTL_MS = 60_000
const taskStore = new InMemoryTaskStore()
const taskMessageQueue = new InMemoryTaskMessageQueue()
let stopped = 0

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const text = (value) => ({ content: [{ type: 'text', text: value }] })

function createTools() {
  const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
  const options = { capabilities, taskStore, taskMessageQueue }
  const server = new McpServer({ name: 'official-v1-tasks', version: '1.0.0' }, options)
  const low = server.server

  /** `work` gets the arguments, the store and the id of its task. */
  const addTask = (name, config, work) => {
    const run = async (args, store, taskId) => {
      const { status = 'completed', ...result } = await work(args, store, taskId)
      // A cancelled task takes no result.
      await store.storeTaskResult(taskId, status, result).catch(() => {})
    }
    const createTask = async (args, extra) => {
      const task = await extra.taskStore.createTask({ ttl: TTL_MS, pollInterval: POLL_MS })
      run(args, extra.taskStore, task.taskId).catch(console.error)
      return { task }
    }
    const handler = {
      createTask,
      getTask: (_args, extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: (_args, extra) => extra.taskStore.getTaskResult(extra.taskId),
    }
    const settings = { inputSchema: {}, ...config, execution: { taskSupport: 'required' } }
    server.experimental.tasks.registerToolTask(name, settings, handler)
  }

  server.registerTool('greet', { inputSchema: { name: z.string() } }, ({ name }) => text(`Hello, ${name}!`))
  server.registerTool('stopped', {}, () => text(String(stopped)))
  addTask('report', { inputSchema: { pages: z.number() }, outputSchema: { pages: z.number() } }, async ({ pages }) => {
    await pause(WORK_MS)
    return { ...text(JSON.stringify({ pages })), structuredContent: { pages } }
  })
  addTask('failing', {}, async () => ({ status: 'failed', ...text('It failed on purpose.'), isError: true }))
  addTask('approve', {}, async (_args, store, taskId) => {
    await store.updateTaskStatus(taskId, 'input_required')
    const params = { mode: 'form', message: 'Your name?', requestedSchema: NAME_FORM }
    const { action, content } = await low.elicitInput(params, { relatedTask: { taskId } })
    await store.updateTaskStatus(taskId, 'working')
    return text(`${action} ${content?.name}`)
  })
  addTask('wait', {}, async (_args, store, taskId) => {
    while ((await store.getTask(taskId)).status === 'working') await pause(POLL_MS)
    stopped += 1
    return text('stopped')
  })
  return server
}

const [mode = 'stdio'] = process.argv.slice(2)
if (mode === 'stdio') {
  await createTools().connect(new StdioServerTransport())
  // The clean-up timers of its store keep the process.
  process.stdin.once('end', () => process.exit(0))
} else {
  listen(serveSessions(StreamableHTTPServerTransport, createTools, mode === 'http-json'))
}
