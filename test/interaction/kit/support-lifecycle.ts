// What the tests of meeting, calling and parting share: small servers, a client that speaks raw messages, scripted servers.
import { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { Transport } from '../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { SpecRequestHandler } from '../../../src/server/handlers.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import type { WireRecorder } from '../../../src/testing/wire-recorder.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'
import type { JSONRPCMessage } from '../../../src/types/protocol/jsonrpc.ts'
import type { LegacyVersion } from '../../../src/types/protocol/versions.ts'
import { RawPeer } from '../../support/peers.ts'
import { ScriptedServer } from '../../support/scripted-server.ts'
import { discoverResult, initializeResult } from '../../support/sessions.ts'
import type { Setting } from './requirement.ts'

export type Message = Record<string, unknown>

export const DONE: CallToolResult = { content: [] }

export function text(content: string): CallToolResult {
  return { content: [{ type: 'text', text: content }] }
}

/** A server whose tools all do the same. */
export function serverWith(handler: SpecRequestHandler<'tools/call'>, options: ServerOptions = {}): Server {
  return new Server('subject', {
    version: '1.2.3',
    ...options,
    handlers: {
      'tools/list': () => ({ tools: [{ name: 'run', inputSchema: { type: 'object' } }] }),
      'tools/call': handler,
      ...options.handlers,
    },
  })
}

/** A tool that waits until it is let go, or aborted; `entered` resolves with its signal. */
export function waitingTool() {
  const entered = createDeferred<AbortSignal>()
  const aborted = createDeferred<unknown>()
  const release = createDeferred()
  const handler: SpecRequestHandler<'tools/call'> = async ({ signal }) => {
    signal.addEventListener('abort', () => aborted.resolve(signal.reason))
    entered.resolve(signal)
    await release.promise
    return DONE
  }
  return { handler, entered: entered.promise, aborted: aborted.promise, release: () => release.resolve() }
}

/** Keeps faults, and lets a test wait for the next one of a kind. */
export class FaultLog {
  readonly faults: Fault[] = []
  readonly #waiting: { kind: Fault['kind']; resolve: (fault: Fault) => void }[] = []

  readonly onFault = (fault: Fault): void => {
    this.faults.push(fault)
    for (const { kind, resolve } of this.#waiting) if (kind === fault.kind) resolve(fault)
  }

  get kinds(): Fault['kind'][] {
    return this.faults.map(({ kind }) => kind)
  }

  until(kind: Fault['kind']): Promise<Fault> {
    const seen = this.faults.find((fault) => fault.kind === kind)
    if (seen !== undefined) return Promise.resolve(seen)
    return new Promise((resolve) => this.#waiting.push({ kind, resolve }))
  }
}

const CLIENT_INFO = { name: 'raw', version: '1' }

/** The `_meta` that makes a request a modern one. */
export function envelope(members: Message = {}): Message {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    ...members,
  }
}

/** A client made of single messages, for what no client of ours would ever send. */
export class RawClient implements AsyncDisposable {
  readonly peer: RawPeer
  readonly #isModern: boolean

  constructor(peer: RawPeer, isModern: boolean) {
    this.peer = peer
    this.#isModern = isModern
  }

  /** Connected, and nothing said. */
  static async open(server: Server, isModern = false): Promise<RawClient> {
    const [here, there] = createMemoryChannelPair()
    await server.connect(there)
    return new RawClient(new RawPeer(here), isModern)
  }

  /** Connected, and ready for any request of the revision. */
  static async connect(server: Server, { version, isModern }: Setting): Promise<RawClient> {
    const client = await RawClient.open(server, isModern)
    if (!isModern) await client.initialize(version)
    return client
  }

  async initialize(version: string): Promise<Message> {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: CLIENT_INFO }
    const answer = await this.ask('initialize', params, 'handshake')
    this.send({ method: 'notifications/initialized' })
    return answer
  }

  /** With `jsonrpc`, and otherwise as it is. */
  send(message: Message): void {
    this.peer.send({ jsonrpc: '2.0', ...message })
  }

  /** Params with the envelope, where the era has one. */
  params(params: Message = {}): Message {
    return this.#isModern ? { ...params, _meta: envelope(params['_meta'] as Message | undefined) } : params
  }

  /** Sends a request without waiting for its answer. */
  request(method: string, params: Message = {}, id: unknown = 'question'): void {
    this.send({ id, method, params: this.params(params) })
  }

  /** Sends a request and gives the next message that comes. */
  ask(method: string, params: Message = {}, id: unknown = 'question'): Promise<Message> {
    this.request(method, params, id)
    return this.peer.next()
  }

  next(): Promise<Message> {
    return this.peer.next()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.peer.channel.close()
  }
}

export interface Scripted extends AsyncDisposable {
  readonly client: Client
  readonly server: ScriptedServer
  readonly log: FaultLog
}

/** A client that talks to a scripted server in the era and revision of the setting. */
export async function connectScripted(
  { version, isModern }: Setting,
  script: (server: ScriptedServer) => unknown = () => {},
  options: ClientOptions = {},
): Promise<Scripted> {
  const log = new FaultLog()
  const server = new ScriptedServer()
    .on('server/discover', discoverResult())
    .on('initialize', initializeResult(version as LegacyVersion))
  script(server)
  const mode = isModern ? 'auto' : 'legacy'
  const client = await Client.connect(transportTo(server), { mode, onFault: log.onFault, ...options })
  return { client, server, log, [Symbol.asyncDispose]: () => client.close() }
}

/** A transport as anyone could write it. */
export function transportTo(server: ScriptedServer): Transport {
  return { kind: 'scripted', open: async () => server.channel }
}

/** The messages of one method that a client sent. */
export function sentOf(wire: WireRecorder, method: string): Message[] {
  return messagesOf(wire.sent, method)
}

/** The messages of one method that a client received. */
export function receivedOf(wire: WireRecorder, method: string): Message[] {
  return messagesOf(wire.received, method)
}

/** The answers that a client received. */
export function answersOf(wire: WireRecorder): Message[] {
  return (wire.received as unknown as Message[]).filter((message) => message['method'] === undefined)
}

function messagesOf(messages: WireRecorder['sent'], method: string): Message[] {
  return (messages as (JSONRPCMessage & Message)[]).filter((message) => message['method'] === method)
}

/** The code of the error in an answer. */
export function codeOf(answer: Message): number | undefined {
  return (answer['error'] as { code: number } | undefined)?.code
}
