// A server in the hands of a test: answers by script, keeps what it was sent, and asks or tells whatever the test wants.
import type { Channel, Receiver, SendHints } from '../../src/dispatcher/channel.ts'
import { createDeferred, type Deferred } from '../../src/primitives/async/promises.ts'
import type { ErrorData } from '../../src/types/protocol/jsonrpc.ts'

type Message = Record<string, unknown>

export interface Sent {
  message: Message
  hints: SendHints | undefined
}

/** Gives the result, or an `error` object to answer with; `undefined` leaves the request open. */
export type Answer = (params: Message, id: unknown) => { error: ErrorData } | Message | undefined

export class ScriptedServer {
  readonly sent: Sent[] = []
  readonly channel: Channel
  isClosed = false
  readonly #answers = new Map<string, Answer>()
  readonly #asked = new Map<unknown, Deferred<Message>>()
  #receiver: Receiver | undefined
  #lastId = 0

  constructor() {
    this.channel = {
      start: (receiver) => {
        this.#receiver = receiver
      },
      send: (message, hints) => {
        this.#take(JSON.parse(JSON.stringify(message)) as Message, hints)
        return undefined
      },
      close: () => {
        this.isClosed = true
        this.#receiver?.closed()
      },
    }
  }

  /** Answers a method from now on. */
  on(method: string, answer: Answer | Message): this {
    this.#answers.set(method, typeof answer === 'function' ? answer : () => answer)
    return this
  }

  /** The messages of one method, oldest first. */
  received(method: string): Message[] {
    return this.sent.map(({ message }) => message).filter((message) => message['method'] === method)
  }

  paramsOf(method: string, index = 0): Message {
    return this.received(method)[index]?.['params'] as Message
  }

  headersOf(method: string, index = 0): Readonly<Record<string, string>> | undefined {
    return this.sent.filter(({ message }) => message['method'] === method)[index]?.hints?.headers
  }

  /** Asks the client; resolves to its answer, as the message that it is. */
  request(method: string, params?: unknown, id: unknown = `ask-${++this.#lastId}`): Promise<Message> {
    const asked = createDeferred<Message>()
    this.#asked.set(id, asked)
    this.deliver({ jsonrpc: '2.0', id, method, params })
    return asked.promise
  }

  notify(method: string, params?: unknown): void {
    this.deliver({ jsonrpc: '2.0', method, params })
  }

  respond(id: unknown, result: unknown): void {
    this.deliver({ jsonrpc: '2.0', id, result })
  }

  deliver(message: unknown): void {
    void this.#receiver?.message(JSON.parse(JSON.stringify(message)))
  }

  /** Goes away. */
  hangUp(): void {
    this.#receiver?.closed()
  }

  #take(message: Message, hints: SendHints | undefined): void {
    this.sent.push({ message, hints })
    const { id, method, params } = message
    if (method === undefined) {
      this.#asked.get(id)?.resolve(message)
      return
    }
    if (id === undefined) return
    const answer = this.#answers.get(method as string)
    const result =
      answer === undefined
        ? { error: { code: -32601, message: 'nobody scripted this' } }
        : answer(params as Message, id)
    if (result === undefined) return
    const outcome = 'error' in result ? result : { result }
    queueMicrotask(() => this.deliver({ jsonrpc: '2.0', id, ...outcome }))
  }
}
