// What the tests of an MCPServer share: one whose faults are kept, forms, and the rounds of a call one by one.
import { vi } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import type { Connectable } from '../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import type { MCPServerOptions } from '../../../src/mcpserver/options.ts'
import type { ChannelServer } from '../../../src/testing/connect.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { InputRequests, InputRequiredResult, InputResponses } from '../../../src/types/features/input-required.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'
import type { AuthInfo } from '../../../src/types/protocol/auth.ts'
import { signedChannel } from '../../support/signed-channel.ts'

/** With keys of its own a server has nothing to warn of when it is served over HTTP. */
export const REQUEST_STATE = { keys: [new Uint8Array(32).fill(7)] }

/** A server, and everything that it reported. */
export function createServer(options: MCPServerOptions = {}): { server: MCPServer; faults: Fault[] } {
  const faults: Fault[] = []
  const onFault = (fault: Fault) => faults.push(fault)
  return { server: new MCPServer('friendly', { onFault, requestState: REQUEST_STATE, ...options }), faults }
}

/** The error that a call is refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<MCPError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof MCPError) return error
  throw new Error(`Expected an MCPError, got ${String(error)}`)
}

/** The texts of a result, one per block. */
export function textsOf({ content }: CallToolResult): (string | undefined)[] {
  return content.map((block) => (block.type === 'text' ? (block.text as string) : undefined))
}

/** The names of what is listed. */
export function namesOf(listed: readonly { name: string }[]): string[] {
  return listed.map(({ name }) => name)
}

export const NAME_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

export function accept(name: string) {
  return { action: 'accept' as const, content: { name } }
}

/** What came of one round: questions and a state, or the result. */
export interface Round {
  readonly inputRequests: InputRequests
  readonly requestState: string
  readonly result: CallToolResult | InputRequiredResult
}

/** One round of calling `tool`, answered by hand. */
export async function playRound(client: Client, last?: Round, inputResponses?: InputResponses): Promise<Round> {
  const result = await client.session.callTool(
    'tool',
    {},
    {
      allowInputRequired: true,
      ...(last !== undefined && { requestState: last.requestState }),
      ...(inputResponses !== undefined && { inputResponses }),
    },
  )
  const { inputRequests = {}, requestState = '' } = result as InputRequiredResult
  return { inputRequests, requestState, result }
}

/** Lets stopped time pass until this has settled; sealing takes real turns that no timer knows of. */
export async function passTime<T>(work: Promise<T>): Promise<T> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  work.then(settle, settle)
  while (!isSettled) {
    await vi.advanceTimersByTimeAsync(20)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return work
}

/** The same server, whose channel says who is calling. */
export function servedTo(auth: AuthInfo | undefined, server: MCPServer): Connectable & ChannelServer {
  return {
    connect: (channel) => server.connect(signedChannel(channel, auth)),
    connectInProcess: (options) => server.connectInProcess(options),
  }
}
