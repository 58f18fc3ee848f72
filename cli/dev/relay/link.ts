// One version of the server, at the other end of a pipe.
import { createDeferred, type Deferred } from '../../terminal/primitives.ts'
import type { ServerChild } from '../server-child.ts'
import type { Envelope } from './envelope.ts'
import { LineSplitter } from './lines.ts'
import { type Params, readMessage, toLine } from './messages.ts'

/** `preparing`: it does not serve yet. `draining`: it finishes what it has. `gone`: nothing of it counts. */
export type LinkState = 'preparing' | 'serving' | 'draining' | 'gone'

export interface LinkReceiver {
  line(link: Link, line: Buffer): void
  part(link: Link, part: Buffer): void
}

/** A longer line passes through unread. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Ids of our own requests. Nobody else uses such a word. */
const OWN = `mcpwire-dev-${process.pid}-`

export class Link {
  readonly child: ServerChild
  state: LinkState = 'preparing'
  readonly #asked = new Map<string, Deferred<Params>>()
  #count = 0

  constructor(child: ServerChild, receiver: LinkReceiver) {
    this.child = child
    const splitter = new LineSplitter(
      { line: (line) => receiver.line(this, line), part: (part) => receiver.part(this, part) },
      MAX_LINE_BYTES,
    )
    child.pipe.on('data', (chunk: Buffer) => splitter.push(chunk))
    void child.exited.then(() => this.#failAll())
  }

  get generation(): number {
    return this.child.generation
  }

  /** False where the writer should wait for `drained`. */
  send(line: Buffer): boolean {
    return !this.child.pipe.writable || this.child.pipe.write(line)
  }

  /** Resolves also where the server has ended. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.child.pipe.once('drain', resolve).once('close', resolve)
    })
  }

  /** A request of ours. Rejects where the server answers with an error, ends or takes too long. */
  async ask(method: string, params: Params, ms: number): Promise<Params> {
    this.#count += 1
    const id = `${OWN}${this.#count}`
    const answer = createDeferred<Params>()
    this.#asked.set(JSON.stringify(id), answer)
    const timer = setTimeout(() => answer.reject(new Error(`${method} was not answered within ${ms} ms.`)), ms)
    if (this.child.hasExited) answer.reject(new Error('The server has ended.'))
    this.send(toLine({ id, method, params }))
    try {
      return await answer.promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(JSON.stringify(id))
    }
  }

  /** Whether the message answers a request of ours, late or not. */
  takesAnswer({ kind, id = '' }: Envelope, line: Buffer): boolean {
    if (kind !== 'response' || !id.startsWith(`"${OWN}`)) return false
    const message = readMessage(line)
    const { error, result } = (message ?? {}) as { error?: { message?: string }; result?: Params }
    if (error !== undefined) this.#asked.get(id)?.reject(new Error(error.message))
    else this.#asked.get(id)?.resolve(result ?? {})
    return true
  }

  #failAll(): void {
    for (const answer of this.#asked.values()) answer.reject(new Error('The server has ended.'))
  }
}
