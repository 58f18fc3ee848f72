// The messages of one POST that stands for itself: each on a connection of its own, their answers on the POST.
import { InboundContext } from '../../../dispatcher/context.ts'
import type { Outbound } from '../../../dispatcher/dispatcher.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import { disclose } from '../../../dispatcher/error-policy.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError, NoBackChannelError } from '../../../types/errors/errors.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import {
  type ErrorData,
  JSONRPC_VERSION,
  type JSONRPCMessage,
  type RequestId,
} from '../../../types/protocol/jsonrpc.ts'
import type { LegacyVersion } from '../../../types/protocol/versions.ts'
import { Connection } from '../../connection.ts'
import { handleNotification, handleRequest } from '../../runner.ts'
import type { Server } from '../../server.ts'
import type { PostReply } from '../answers/post-reply.ts'

/** One request at work. */
interface Call {
  readonly id: RequestId
  readonly context: InboundContext
  readonly reply: PostReply
  isAnswered: boolean
}

/** Handlers of notifications at work at once; what comes beyond that is dropped. */
const MAX_NOTICES = 1_024

export class StatelessCalls {
  readonly #server: Server
  readonly #calls = new Set<Call>()
  #notices = 0

  constructor(server: Server) {
    this.#server = server
  }

  /** Starts the handlers of all messages. They have been found to be in order. */
  start(messages: readonly unknown[], version: LegacyVersion, reply: PostReply): void {
    const transport = reply.createTransport(false)
    const outbound = this.#createOutbound(reply)
    for (const message of messages) {
      const { id, method, params } = message as { id?: RequestId; method?: string; params?: JSONObject }
      // Nobody here has asked anything, so an answer is nobody's.
      if (method === undefined) continue
      const context = new InboundContext(outbound, transport, id, params)
      const connection = createConnection(version, method === 'initialize')
      if (id === undefined) void this.#notify(connection, context, method, params)
      else void this.#call(connection, { id, context, reply, isAnswered: false }, method, params)
    }
  }

  /** Aborts all that are at work, with this answer. */
  abort(error: ErrorData): void {
    for (const call of this.#calls) {
      call.context.abort(new DOMException(error.message, 'AbortError'))
      this.#fail(call, error)
    }
  }

  async #notify(
    connection: Connection,
    context: InboundContext,
    method: string,
    params: JSONObject | undefined,
  ): Promise<void> {
    const { faults } = this.#server
    if (this.#notices >= MAX_NOTICES) {
      const message = 'A notification was dropped: too many are being handled'
      faults.report({ kind: 'overflow', message, method })
      return
    }
    this.#notices += 1
    try {
      await handleNotification(this.#server, connection, context, method, params)
    } catch (error) {
      const message = `The handler of notification '${method}' failed`
      faults.report({ kind: 'notification-failed', message, method, error })
    }
    this.#notices -= 1
    context.seal()
    await connection.close()
  }

  async #call(connection: Connection, call: Call, method: string, params: JSONObject | undefined): Promise<void> {
    this.#calls.add(call)
    try {
      if (params !== undefined && !isPlainObject(params)) {
        throw new MCPError(ErrorCode.InvalidParams, 'Invalid params: expected an object')
      }
      const result = await handleRequest(this.#server, connection, call.context, method, params)
      this.#answer(call, { jsonrpc: JSONRPC_VERSION, id: call.id, result })
    } catch (error) {
      this.#failed(call, method, error)
    }
    call.context.seal()
    this.#calls.delete(call)
    await connection.close()
  }

  #failed(call: Call, method: string, error: unknown): void {
    const { data, hidden } = disclose(error)
    if (hidden && !call.isAnswered) {
      const message = `The handler of '${method}' failed`
      this.#server.faults.report({ kind: 'handler-failed', message, method, requestId: call.id, error })
    }
    this.#fail(call, data)
  }

  #fail(call: Call, error: ErrorData): void {
    this.#answer(call, { jsonrpc: JSONRPC_VERSION, id: call.id, error })
  }

  #answer(call: Call, message: JSONRPCMessage): void {
    if (call.isAnswered) return
    void call.reply.answer(message)
    call.isAnswered = true
  }

  /** What a handler says before its answer goes out on the POST it serves; questions have no way back. */
  #createOutbound(reply: PostReply): Outbound {
    return {
      sendRawRequest: (method) => Promise.reject(new NoBackChannelError(method)),
      notify: async (method, params) => {
        try {
          const head = { jsonrpc: JSONRPC_VERSION, method } as const
          await reply.speak(encodeMessage(params === undefined ? head : { jsonrpc: JSONRPC_VERSION, method, params }))
        } catch (error) {
          const message = `Notification '${method}' was not sent`
          this.#server.faults.report({ kind: 'write-failed', message, method, error })
        }
      },
    }
  }
}

function createConnection(version: LegacyVersion, isHandshake: boolean): Connection {
  if (isHandshake) return Connection.awaitingHandshake()
  // What the client said with `initialize` is not known here. It is taken to understand nothing special, and to want all logs.
  return Connection.fromEnvelope({ protocolVersion: version, clientCapabilities: {}, logLevel: 'debug' })
}
