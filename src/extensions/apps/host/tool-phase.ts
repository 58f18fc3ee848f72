// What a view hears of its tool call, in the order that the specification allows, and not before the view is ready.
import { orderError } from '../../../primitives/help.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'

const PREFIX = 'ui/notifications/'

type Send = (method: string, params: JSONObject) => void

/** The call has its input, then its result or its cancellation. A result after a cancellation comes too late and is dropped. */
export class ToolPhase {
  readonly #send: Send
  #isReady = false
  #isClosed = false
  #state: 'waiting' | 'running' | 'done' | 'cancelled' = 'waiting'
  /** Waits for the view. There is at most one of each kind. */
  #partial: JSONObject | undefined
  readonly #early: [method: string, params: JSONObject][] = []

  constructor(send: Send) {
    this.#send = send
  }

  ready(): void {
    this.#isReady = true
    if (this.#partial !== undefined) this.#send(`${PREFIX}tool-input-partial`, this.#partial)
    this.#partial = undefined
    for (const [method, params] of this.#early.splice(0)) this.#send(method, params)
  }

  close(): void {
    this.#isClosed = true
    this.#partial = undefined
    this.#early.length = 0
  }

  partialInput(args: JSONObject): void {
    if (this.#isOver()) return
    if (this.#state !== 'waiting')
      throw orderError('The input was sent already. Call sendPartialInput() before sendInput().')
    if (this.#isReady) this.#send(`${PREFIX}tool-input-partial`, { arguments: args })
    else this.#partial = { arguments: args }
  }

  input(args: JSONObject): void {
    if (this.#isOver()) return
    if (this.#state !== 'waiting') throw orderError('The input was sent already. Call sendInput() once for each view.')
    this.#state = 'running'
    this.#partial = undefined
    this.#put('tool-input', { arguments: args })
  }

  result(result: JSONObject): void {
    if (this.#isOver()) return
    if (this.#state === 'waiting') throw orderError('The view has no input yet. Call sendInput() before sendResult().')
    if (this.#state === 'done') throw orderError('The result was sent already. Call sendResult() once for each view.')
    this.#state = 'done'
    this.#put('tool-result', result)
  }

  cancelled(reason: string | undefined): void {
    if (this.#isOver() || this.#state === 'done') return
    this.#state = 'cancelled'
    this.#partial = undefined
    this.#put('tool-cancelled', reason === undefined ? {} : { reason })
  }

  #isOver(): boolean {
    return this.#isClosed || this.#state === 'cancelled'
  }

  #put(name: string, params: JSONObject): void {
    if (this.#isReady) this.#send(`${PREFIX}${name}`, params)
    else this.#early.push([`${PREFIX}${name}`, params])
  }
}
