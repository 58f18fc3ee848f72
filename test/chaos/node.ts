// A node of the chaos test: runs the tasks of one backend, and writes down what it does on the store.
import { appendFileSync, openSync, writeSync } from 'node:fs'
import type { Backend } from '../../src/backend/backend.ts'
import { tasks } from '../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
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

/** The same backend, whose tasks are written down. */
export function withRecord(backend: Backend, node: string, path: string): Backend {
  if (backend.tasks === undefined) throw new Error('the backend keeps no tasks')
  const { records, logs, topics, limits } = backend
  return {
    records,
    logs,
    topics,
    limits,
    tasks: recorded(backend.tasks, { node, now: machineNow, write: lineWriter(path) }),
    open: (use) => backend.open(use),
    close: () => backend.close(),
    health: () => backend.health(),
  }
}

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

/** The server of every node, with tools that take their time, ask, and end as their signal says. */
export function createChaosServer(backend: Backend, node: string, workers: number): MCPServer {
  const server = new MCPServer('chaos', { backend, extensions: [tasks({ workers })], onFault: () => {} })
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
  return server
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
