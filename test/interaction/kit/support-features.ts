// What the tests of features share: a place to wait for what arrives, and servers that note or say what a test needs.
import { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { Channel, SendHints } from '../../../src/dispatcher/channel.ts'
import type { ServerRequestContext } from '../../../src/server/context.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import type { WireRecorder } from '../../../src/testing/wire-recorder.ts'
import type { CallToolResult, Tool } from '../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'

/** Everything that arrives, in order, for a test that waits for it. */
export class Inbox<T> {
  readonly items: T[] = []
  readonly #waiting = new Set<{ count: number; resolve(items: T[]): void }>()

  readonly push = (item: T): void => {
    this.items.push(item)
    for (const waiter of this.#waiting) {
      if (this.items.length < waiter.count) continue
      this.#waiting.delete(waiter)
      waiter.resolve(this.items.slice(0, waiter.count))
    }
  }

  /** The first so many items, once there are so many. */
  first(count: number): Promise<T[]> {
    if (this.items.length >= count) return Promise.resolve(this.items.slice(0, count))
    return new Promise((resolve) => this.#waiting.add({ count, resolve }))
  }
}

/** The methods of all that reaches a server, from here on. */
export function noteMethods(server: Server): { readonly all: string[]; count(method: string): number } {
  const all: string[] = []
  server.use((ctx, next) => {
    all.push(ctx.method)
    return next()
  })
  return { all, count: (method) => all.filter((each) => each === method).length }
}

/** Makes a server answer a method with exactly this, unchecked and unstamped, as a careless or hostile one would. */
export function answerRaw(server: Server, method: string, answer: (ctx: ServerRequestContext) => unknown): void {
  server.use((ctx, next) => (ctx.method === method ? (answer(ctx) as JSONObject) : next()))
}

export const ANY_OBJECT = { type: 'object' } as const

export const NO_CONTENT: CallToolResult = { content: [] }

/** A tool of which only the interesting part is said. */
export function tool(name: string, rest: Partial<Tool> = {}): Tool {
  return { name, inputSchema: ANY_OBJECT, ...rest }
}

type CallHandler = NonNullable<NonNullable<ServerOptions['handlers']>['tools/call']>

/** A server with these tools, which all answer alike. */
export function toolServer(tools: Tool[], call: CallHandler = () => NO_CONTENT, options: ServerOptions = {}): Server {
  return new Server('tools', {
    ...options,
    handlers: { 'tools/list': () => ({ tools }), 'tools/call': call, ...options.handlers },
  })
}

/** The code that a call is refused with, and whether the refusal came from this side. */
export async function refusalOf(call: Promise<unknown>): Promise<{ code: unknown; local: unknown }> {
  const { code, local } = (await failureOf(call)) as { code: unknown; local: unknown }
  return { code, local }
}

/** What a call rejects with. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    () => ({ error: new Error('The call was expected to fail, and did not') }),
    (error: unknown) => ({ error }),
  )
  return outcome.error
}

/** The results that crossed the wire, oldest first. */
export function resultsOn(wire: WireRecorder): JSONObject[] {
  return wire.received.flatMap((message) => ('result' in message ? [message.result as JSONObject] : []))
}

export interface HeaderNotes extends AsyncDisposable {
  readonly client: Client
  /** The headers that came with each request of a method, where a transport can carry them. */
  headersOf(method: string): Readonly<Record<string, string>>[]
}

/** Connects over a memory channel whose hints are kept: what HTTP would send as headers. */
export async function connectNotingHeaders(server: Server, options?: ClientOptions): Promise<HeaderNotes> {
  const sent: { method: string; headers: Readonly<Record<string, string>> }[] = []
  const note = (channel: Channel): Channel => ({
    start: (receiver) => channel.start(receiver),
    close: () => channel.close(),
    send: (message, hints?: SendHints) => {
      if ('method' in message) sent.push({ method: message.method, headers: hints?.headers ?? {} })
      return channel.send(message, hints)
    },
  })
  const { kind, open } = memoryTransport(server)
  const client = await Client.connect({ kind, open: async (how) => note(await open(how)) }, options)
  return {
    client,
    headersOf: (method) => sent.filter((each) => each.method === method).map(({ headers }) => headers),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
