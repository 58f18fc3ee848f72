// The call stack from `tool-call` to the author's function is short and goes one way, so that a stack trace reads as the path
// of a call.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { toFetch } from '../../../../src/http/to-fetch.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import type { MCPServerOptions } from '../../../../src/mcpserver/options.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'

const MAX_FRAMES = 8

const limitBefore = Error.stackTraceLimit
beforeAll(() => {
  Error.stackTraceLimit = 100
})
afterAll(() => {
  Error.stackTraceLimit = limitBefore
})

type Connect = (server: MCPServer, options: ClientOptions) => Promise<Client>

function overHttp(mode: 'legacy' | 'modern'): Connect {
  return async (server, options) => {
    const handler = createHandler(server)
    onTestFinished(() => handler.close({ drainMs: 0 }))
    const answer = toFetch(handler)
    const transport = streamableHttp('http://localhost/mcp', {
      fetch: (input, init) => {
        const request = new Request(input, init)
        const { body } = init ?? {}
        if (typeof body === 'string') request.headers.set('content-length', String(Buffer.byteLength(body)))
        return answer(request)
      },
    })
    return Client.connect(transport, { mode, ...options })
  }
}

const SETTINGS: Record<string, Connect> = {
  'in process, modern': (server, options) => Client.connect(server, { mode: 'modern', ...options }),
  'in process, legacy': (server, options) => Client.connect(server, { mode: 'legacy', ...options }),
  'HTTP, modern': overHttp('modern'),
  'HTTP, legacy': overHttp('legacy'),
}

const input = z.object({ name: z.string() })
const checkedLater = z.object({ name: z.string().refine(async () => true) })
const form = { type: 'object', properties: { size: { type: 'string' } }, required: ['size'] } as const

/** Registers a tool whose function calls `capture` where the stack is to be looked at. */
interface Probe {
  readonly options?: MCPServerOptions
  readonly register: (server: MCPServer, capture: () => void) => void
}

const PROBES: Record<string, Probe> = {
  'a function': {
    register: (server, capture) =>
      server.tool('probe', { input }, ({ name }, ctx) => {
        capture()
        return `${name} ${ctx.protocolVersion}`
      }),
  },
  'an async function': {
    register: (server, capture) =>
      server.tool('probe', { input }, async ({ name }) => {
        capture()
        return name
      }),
  },
  'a function with an output schema': {
    register: (server, capture) =>
      server.tool('probe', { input, output: input }, ({ name }) => {
        capture()
        return { name }
      }),
  },
  'a function with a time limit': {
    register: (server, capture) =>
      server.tool('probe', { input, timeoutMs: 60_000 }, ({ name }) => {
        capture()
        return name
      }),
  },
  'a function whose arguments are checked asynchronously': {
    register: (server, capture) =>
      server.tool('probe', { input: checkedLater }, ({ name }) => {
        capture()
        return name
      }),
  },
  'a function with the ambient context and a time limit': {
    options: { ambientContext: true },
    register: (server, capture) =>
      server.tool('probe', { input, timeoutMs: 60_000 }, ({ name }) => {
        capture()
        return name
      }),
  },
  'a function that asks the user': {
    register: (server, capture) =>
      server.tool('probe', { input }, async ({ name }, ctx) => {
        capture()
        const { action } = await ctx.elicit('Which size?', form)
        return `${name} ${action}`
      }),
  },
  'a generator': {
    register: (server, capture) =>
      server.tool('probe', { input }, function* ({ name }) {
        capture()
        yield name
      }),
  },
  'an async generator': {
    register: (server, capture) =>
      server.tool('probe', { input }, async function* ({ name }) {
        capture()
        yield name
      }),
  },
}

describe.each(Object.entries(SETTINGS))('The stack of a tool call, %s', (_setting, connect) => {
  it.each(Object.entries(PROBES))(
    `of %s: at most ${MAX_FRAMES} frames from tool-call on, which is entered once`,
    async (_kind, { options, register }) => {
      const stacks: string[] = []
      const server = new MCPServer('probed', options)
      register(server, () => stacks.push(new Error('here').stack ?? ''))
      await using client = await connect(server, {
        onElicitation: () => ({ action: 'accept', content: { size: 'small' } }),
      })

      const result = await client.callTool('probe', { name: 'Ada' })

      expect(result.isError).not.toBe(true)
      expect(stacks).not.toHaveLength(0)
      for (const stack of stacks) {
        const path = framesFromToolCall(stack)
        expect(path.length, path.join('\n')).toBeLessThanOrEqual(MAX_FRAMES)
        expect(countEntries(path), path.join('\n')).toBe(1)
      }
    },
  )
})

it('The stack of a tool that throws after it has waited enters tool-call at most once', async () => {
  let stack = ''
  const server = new MCPServer('probed')
  server.tool('probe', { input }, async ({ name }) => {
    await new Promise((resolve) => setImmediate(resolve))
    stack = new Error('here').stack ?? ''
    return name
  })
  await using client = await Client.connect(server)

  await client.callTool('probe', { name: 'Ada' })

  expect(countEntries(framesFromToolCall(stack))).toBeLessThanOrEqual(1)
})

/** The frames of this package between the author's function and whoever called `tool-call`, the outermost first. */
function framesFromToolCall(stack: string): string[] {
  const frames = stack.split('\n').filter((line) => line.includes('/src/'))
  return frames.slice(0, frames.findLastIndex(isToolCall) + 1).reverse()
}

function countEntries(path: readonly string[]): number {
  return path.filter((frame, index) => isToolCall(frame) && !isToolCall(path[index - 1])).length
}

function isToolCall(frame: string | undefined): boolean {
  return frame?.includes('/tools/tool-call.') === true
}
