// Real child processes for tests: opened by behaviour, spoken to by hand, and looked for when they should be gone.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Channel } from '../../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { type StdioOptions, stdio } from '../../../../src/node/stdio/stdio-client.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'

export const CHILD = fileURLToPath(new URL('../../../fixtures/stdio/child.js', import.meta.url))

/** Steps of a shutdown that a test does not want to wait for. */
export const HASTY = { flushMs: 100, graceMs: 100, terminateMs: 100, killMs: 60_000 }

/** Steps that a server never reaches which leaves when it is asked to, however busy the machine is. */
export const PATIENT = { flushMs: 60_000, graceMs: 60_000, terminateMs: 60_000, killMs: 60_000 }

type Options = Omit<StdioOptions, 'command' | 'args'>

export function childTransport(behaviour: string, args: readonly string[] = [], options: Options = {}) {
  return stdio({ command: process.execPath, args: [CHILD, behaviour, ...args], stderr: 'ignore', ...options })
}

/** One end of a connection to a child, with a dispatcher on top. */
export interface Talk extends AsyncDisposable {
  readonly channel: Channel
  readonly dispatcher: JSONRPCDispatcher
  readonly faults: Fault[]
  /** The values of the `note` notifications that came. */
  readonly notes: unknown[]
  /** Settles when so many have come. */
  noted(count: number): Promise<unknown[]>
  call(method: string, params?: JSONObject, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<JSONObject>
  pid(): Promise<number>
}

export async function talkTo(behaviour: string, args: readonly string[] = [], options: Options = {}): Promise<Talk> {
  const channel = await childTransport(behaviour, args, options).open()
  return talkOver(channel)
}

export function talkOver(channel: Channel): Talk {
  const faults: Fault[] = []
  const notes: unknown[] = []
  const waiting = new Map<number, ReturnType<typeof createDeferred<unknown[]>>>()
  const dispatcher = new JSONRPCDispatcher(channel, { onFault: (fault) => faults.push(fault) })
  const onNotify = (_context: unknown, _method: string, params: JSONObject | undefined) => {
    notes.push(params?.['value'])
    waiting.get(notes.length)?.resolve(notes)
  }
  dispatcher.run(() => ({}), onNotify).catch(() => {})
  return {
    channel,
    dispatcher,
    faults,
    notes,
    noted: (count) => {
      if (notes.length >= count) return Promise.resolve(notes)
      const deferred = createDeferred<unknown[]>()
      waiting.set(count, deferred)
      return deferred.promise
    },
    call: (method, params, callOptions) => dispatcher.sendRawRequest(method, params, callOptions),
    pid: async () => (await dispatcher.sendRawRequest('pid'))['pid'] as number,
    [Symbol.asyncDispose]: () => dispatcher.close(),
  }
}

/** Whether a process runs. One that is dead and was not buried yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The system ends a process a moment after it was told to. */
export async function expectGone(...pids: number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { interval: 5 })
}

const WATCHED_EVENTS = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP']

/** No test of a file leaves a process or a listener. Pipes and timers are counted where no test runner has its own. */
export function expectNothingLeft(): void {
  let before: Record<string, number>
  beforeEach(() => {
    before = countLeftovers()
  })
  // A handle that is being closed is gone with the next turn.
  afterEach(() => vi.waitFor(() => expect(countLeftovers()).toEqual(before)))
}

function countLeftovers(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const event of WATCHED_EVENTS) counts[event] = process.listenerCount(event)
  counts['processes'] = process.getActiveResourcesInfo().filter((resource) => resource === 'ProcessWrap').length
  return counts
}

/** Lines of bytes as arguments for the behaviour `say`. */
export function asArguments(...texts: (string | Uint8Array)[]): string[] {
  return texts.map((text) => Buffer.from(text).toString('base64'))
}
