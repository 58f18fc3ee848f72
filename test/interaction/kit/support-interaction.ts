// Small servers and peers that several interaction tests share.
import { vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { Transport } from '../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import type { SpecRequestHandler } from '../../../src/server/handlers.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import type { InputRequest, InputRequests, InputRequiredResult } from '../../../src/types/features/input-required.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'
import type { AuthInfo } from '../../../src/types/protocol/auth.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { RawPeer } from '../../support/peers.ts'
import { ScriptedServer } from '../../support/scripted-server.ts'
import { discoverResult, initializeResult } from '../../support/sessions.ts'
import { signedChannel } from '../../support/signed-channel.ts'
import type { Setting } from './requirement.ts'

export function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] }
}

/** The text of a result that has one block. */
export function textOf({ content }: CallToolResult): string | undefined {
  const [block] = content
  return block?.type === 'text' ? block.text : undefined
}

/** A server with one tool; whatever name is called, `run` answers. */
export function toolServer(run: SpecRequestHandler<'tools/call'>, options: ServerOptions = {}): Server {
  return new Server('host', {
    ...options,
    handlers: {
      'tools/list': () => ({ tools: [{ name: 'tool', inputSchema: { type: 'object' } }] }),
      'tools/call': run,
      ...options.handlers,
    },
  })
}

/** The result that asks. */
export function asks(inputRequests: InputRequests, requestState?: string): InputRequiredResult {
  const state = requestState === undefined ? {} : { requestState }
  return { resultType: 'input_required', inputRequests, ...state }
}

/** The result that only hands out a state. */
export function defers(requestState: string): InputRequiredResult {
  return { resultType: 'input_required', requestState }
}

export const NAME_FORM: InputRequest = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Who are you?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
}

export const SAMPLING: InputRequest = {
  method: 'sampling/createMessage',
  params: { maxTokens: 10, messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }] },
}

export const ROOTS: InputRequest = { method: 'roots/list' }

/** A server that asks one question the way its era asks, and keeps the answers. */
export function createAsker(question: InputRequest): { server: Server; answers: JSONObject[] } {
  const answers: JSONObject[] = []
  const server = toolServer(async (ctx) => {
    const { session, inputResponses } = ctx
    if (!session.canSendRequest && inputResponses === undefined) return asks({ question })
    const params = question.params as JSONObject | undefined
    answers.push(inputResponses?.['question'] ?? (await session.sendRequest(question.method as string, params)))
    return text('thanks')
  })
  return { server, answers }
}

/** A client of this setting's revision, whose server is in the hands of the test. */
export async function connectScripted({ isModern, version }: Setting, options: ClientOptions = {}) {
  const server = new ScriptedServer()
    .on('initialize', initializeResult(version))
    .on('server/discover', discoverResult([version]))
  const faults: Fault[] = []
  const client = await Client.connect(server.channel, {
    mode: isModern ? 'auto' : 'legacy',
    onFault: (fault) => faults.push(fault),
    ...options,
  })
  return { client, server, faults, [Symbol.asyncDispose]: () => client.close() }
}

/** A client in the hands of the test, after the handshake; `meta` is what its modern requests must carry. */
export async function connectRawClient({ isModern, version }: Setting, server: Server, capabilities: JSONObject = {}) {
  const [here, there] = createMemoryChannelPair()
  const served = await server.connect(there)
  const peer = new RawPeer(here)
  const clientInfo = { name: 'raw', version: '1' }
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': clientInfo,
  }
  if (!isModern) {
    const params = { protocolVersion: version, capabilities, clientInfo }
    peer.send({ jsonrpc: '2.0', id: 'handshake', method: 'initialize', params })
    await peer.next()
    peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  return { peer, meta: isModern ? meta : {}, [Symbol.asyncDispose]: () => served.close() }
}

/** Memory channels whose far end says who is calling. */
export function memoryAs(server: Server, auth: AuthInfo | undefined): Transport {
  return {
    kind: 'memory',
    open: async () => {
      const [here, there] = createMemoryChannelPair()
      await server.connect(signedChannel(there, auth))
      return here
    },
  }
}

/** Time stands still until the test moves it; what needs no time goes on. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
}
