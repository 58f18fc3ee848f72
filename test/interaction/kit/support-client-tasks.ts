// A server with tasks for every kind of end, and a record of what it was asked.
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'

/** One message that a server received. */
export interface Received {
  readonly method: string
  readonly params: JSONObject
  /** The extensions that the client declared on it. */
  readonly extensions: readonly string[]
  readonly nameHeader: string | undefined
}

const ALWAYS = { mode: 'always', pollIntervalMs: 100 } as const
const FORM = { type: 'object', properties: { yes: { type: 'boolean' } } } as const

/** `gate` holds the tool `slow` until the test opens it; `aborted` resolves when that tool was cancelled. */
export function createTaskServer(name = 'host') {
  const gate = createDeferred()
  const aborted = createDeferred()
  const received: Received[] = []
  const server = new MCPServer(name, { extensions: [tasks()] })
  server.use((ctx, next) => {
    // A middleware runs around the runs of tasks too.
    if (ctx.task !== undefined) return next()
    const { method, params, clientCapabilities, dispatch } = ctx
    received.push({
      method,
      params: (params ?? {}) as JSONObject,
      extensions: Object.keys(clientCapabilities?.extensions ?? {}),
      nameHeader: dispatch.transport.headers?.['mcp-name'],
    })
    return next()
  })
  server.tool('plain', () => 'plain')
  server.tool('quick', { task: ALWAYS }, () => 'quick')
  server.tool('slow', { task: ALWAYS }, async (_args, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.resolve())
    await Promise.race([gate.promise, aborted.promise])
    ctx.signal.throwIfAborted()
    return 'slow'
  })
  server.tool('steps', { task: ALWAYS }, async (_args, ctx) => {
    await ctx.reportProgress(1, 2, 'half')
    await gate.promise
    return 'steps'
  })
  server.tool('asks', { task: ALWAYS }, async (_args, ctx) => {
    const [first, second] = await Promise.all([ctx.elicit('first', FORM), ctx.elicit('second', FORM)])
    return `${first.action} ${second.action}`
  })
  server.tool('fails', { task: ALWAYS }, () => {
    throw new MCPError(-32050, 'no paper', { tray: 2 })
  })
  server.tool('tool-error', { task: ALWAYS }, () => {
    throw new Error('broken')
  })
  const methods = () => received.map(({ method }) => method)
  return { server, gate, aborted, received, methods }
}
