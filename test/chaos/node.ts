// A node of the chaos test: runs the tasks of one backend, and writes down what it does on the store.
import { appendFileSync, openSync, writeSync } from 'node:fs'
import type { Backend } from '../../src/backend/backend.ts'
import { tasks } from '../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { decodeNodeMessage } from '../../src/server/cluster/node-message.ts'
import { type Line, recorded } from './history.ts'

/** Milliseconds of a clock that all processes of a machine share. */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1_000_000
}

/** A writer of lines that keeps each of them, also when its process is killed. */
export function lineWriter(path: string): (line: Line) => void {
  appendFileSync(path, '')
  const file = openSync(path, 'a')
  return (line) => void writeSync(file, `${JSON.stringify(line)}\n`)
}

/** The same backend, whose tasks, records, logs and messages to single nodes are written down. */
export function withRecord(backend: Backend, node: string, path: string): Backend {
  if (backend.tasks === undefined) throw new Error('the backend keeps no tasks')
  const write = lineWriter(path)
  const options = { node, now: machineNow, write }
  const { topics, limits } = backend
  let published = 0
  return {
    records: recorded(backend.records, { ...options, part: 'records' }),
    logs: recorded(backend.logs, { ...options, part: 'logs' }),
    topics: {
      publish(topic, text) {
        if (topic.startsWith('n.')) {
          published += 1
          const args = [topic, kindOf(text)]
          write({ node, part: 'topics', nth: published, name: 'topics.publish', args, at: machineNow() })
        }
        return topics.publish(topic, text)
      },
      subscribe: (topic, listener) => topics.subscribe(topic, listener),
    },
    limits,
    tasks: recorded(backend.tasks, options),
    open: (use) => backend.open(use),
    close: () => backend.close(),
    health: () => backend.health(),
  }
}

/** What a message between nodes is about. */
function kindOf(text: string): string {
  return decodeNodeMessage(text)?.kind ?? 'unknown'
}

/** Messages of one call of `events`. */
export const EVENTS = 10

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

/** The server of every node, with tools that take their time, ask, and end as their signal says. */
export function createChaosServer(backend: Backend, node: string, workers: number): MCPServer {
  const extensions = [tasks({ workers })]
  const server = new MCPServer('chaos', { backend, extensions, logging: true, onFault: () => {} })
  const task = { mode: 'always', attempts: 20, leaseMs: 1_000, ttlMs: 3_600_000, keepMs: 3_600_000 } as const
  const input = { type: 'object', properties: { ms: { type: 'number' } } } as const
  server.tool('work', { task, input }, async ({ ms }, ctx) => {
    await pause(Number(ms), ctx.signal)
    return `by ${node}, attempt ${ctx.task?.attempt}`
  })
  server.tool('ask', { task, input }, async ({ ms }, ctx) => {
    await pause(Number(ms), ctx.signal)
    const answer = await ctx.elicit('Name?', FORM)
    await pause(Number(ms), ctx.signal)
    return answer.action === 'accept' ? `${answer.content?.['name']} by ${node}` : answer.action
  })
  addSessionTools(server, node)
  return server
}

/** Tools of plain calls in a session: what each says can be checked by who called it. */
function addSessionTools(server: MCPServer, node: string): void {
  const input = { type: 'object', properties: { call: { type: 'string' }, ms: { type: 'number' } } } as const
  server.tool('count', async (_, ctx) =>
    String(await ctx.session.shared.update('n', (n) => (typeof n === 'number' ? n + 1 : 1))),
  )
  server.tool('events', { input }, async ({ call, ms }, ctx) => {
    for (let event = 1; event <= EVENTS; event += 1) {
      await ctx.log.info({ call, event })
      await pause(Number(ms), ctx.signal)
    }
    return node
  })
  server.tool('question', { input }, async (_, ctx) => {
    const answer = await ctx.session.elicitForm('Name?', { ...FORM, required: [...FORM.required] })
    return answer.action === 'accept' ? String(answer.content?.['name']) : answer.action
  })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}
