// What a source tells one caller, on its way to the front: in order, and bounded where the front does not read.

import { PROGRESS } from '../../dispatcher/context.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

const MAX_WAITING = 1_024
/** Messages that may be on their way before it is asked whether anybody reads them. */
const MAX_UNREAD = 64

interface Message {
  readonly method: string
  readonly params: JSONObject | undefined
}

export class Outbox {
  readonly #send: (method: string, params: JSONObject | undefined) => Promise<void>
  #waiting: Message[] = []
  #unread = 0
  #isLooking = false
  /** Set while the front does not read. */
  #blocked: Deferred<void> | undefined
  /** Messages that nobody gets any more. */
  dropped = 0

  constructor(send: (method: string, params: JSONObject | undefined) => Promise<void>) {
    this.#send = send
  }

  /** A promise in return resolves when the front reads again: whoever can wait for it should send no more until then. */
  put(method: string, params: JSONObject | undefined): Promise<void> | undefined {
    if (this.#blocked === undefined) {
      this.#pass(method, params)
      return undefined
    }
    if (this.#waiting.length < MAX_WAITING) {
      this.#waiting.push({ method, params })
      return this.#blocked.promise
    }
    this.#thin(method, params)
    return undefined
  }

  /** Everything leaves now: the answer comes behind it. */
  flush(): void {
    this.#unblock()
    const { length } = this.#waiting
    for (const { method, params } of this.#waiting.splice(0, length)) void this.#send(method, params).catch(() => {})
  }

  /** Of progress the latest counts; other messages go, and are counted. */
  #thin(method: string, params: JSONObject | undefined): void {
    const last = this.#waiting.findLastIndex(
      (one) => one.method === PROGRESS && one.params?.['progressToken'] === params?.['progressToken'],
    )
    if (method !== PROGRESS || last === -1) {
      this.dropped += 1
      return
    }
    this.#waiting.splice(last, 1)
    this.#waiting.push({ method, params })
  }

  #pass(method: string, params: JSONObject | undefined): void {
    this.#unread += 1
    const read = () => {
      this.#unread -= 1
      if (this.#blocked !== undefined && this.#unread < MAX_UNREAD) this.#goOn()
    }
    this.#send(method, params).then(read, read)
    if (this.#unread < MAX_UNREAD || this.#isLooking) return
    this.#isLooking = true
    // Many messages may come at once: only what is unread a turn later is not read.
    setTimeout(() => {
      this.#isLooking = false
      if (this.#unread >= MAX_UNREAD) this.#blocked ??= createDeferred()
    }, 0)
  }

  #goOn(): void {
    this.#unblock()
    while (this.#blocked === undefined && this.#waiting.length > 0 && this.#unread < MAX_UNREAD) {
      const { method, params } = this.#waiting.shift() as Message
      this.#pass(method, params)
    }
    if (this.#waiting.length > 0) this.#blocked = createDeferred()
  }

  #unblock(): void {
    this.#blocked?.resolve()
    this.#blocked = undefined
  }
}
