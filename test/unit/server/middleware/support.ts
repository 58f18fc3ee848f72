// A server with one tool, one resource and one vendor method, to stand middleware around.
import { vi } from 'vitest'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import type { MaybePromise } from '../../../../src/primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../../src/server/context.ts'
import type { Middleware } from '../../../../src/server/handlers.ts'
import { Server } from '../../../../src/server/server.ts'
import type { CallToolResult } from '../../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'

export const eras = ['modern', 'legacy'] as const

export function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] }
}

type Run = (ctx: ServerRequestContext, args: JSONObject) => MaybePromise<CallToolResult>

export function serverWith(middleware: Middleware[], run: Run = () => text('done')) {
  const faults: Fault[] = []
  const server = new Server('host', {
    middleware,
    onFault: (fault) => faults.push(fault),
    handlers: {
      'tools/list': () => ({ tools: [{ name: 'run', inputSchema: { type: 'object' } }] }),
      'tools/call': (ctx, params) => run(ctx, params.arguments ?? {}),
      'resources/read': (_ctx, { uri }) => ({ contents: [{ uri, text: 'x'.repeat(500) }] }),
    },
  })
  return { server, faults }
}

/** Runs a middleware for tool calls only, so that opening the connection does not count. */
export function forTools(middleware: Middleware): Middleware {
  return (ctx, next) => (ctx.method === 'tools/call' ? middleware(ctx, next) : next())
}

/** Time stands still until the test moves it; what needs no time goes on. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
}
