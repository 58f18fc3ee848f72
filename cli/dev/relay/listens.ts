// Open `subscriptions/listen` requests (2026-07-28) of a client. They outlive the versions of the server.
import { isPlainObject } from '../../terminal/primitives.ts'
import { type Params, readParams } from './messages.ts'

export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

interface Listen {
  readonly line: Buffer
  /** What the server granted; `undefined` until it has said so. */
  granted: Params | undefined
  /** The next version has the request, and will acknowledge it once more. */
  isRepeated: boolean
}

export class Listens {
  readonly #open = new Map<string, Listen>()

  add(id: string, line: Buffer): void {
    this.#open.set(id, { line, granted: undefined, isRepeated: false })
  }

  /** Whether it was open. */
  end(id: string): boolean {
    return this.#open.delete(id)
  }

  has(id: string): boolean {
    return this.#open.has(id)
  }

  /** The requests for the next version. */
  repeat(): Buffer[] {
    return [...this.#open.values()].map((listen) => {
      listen.isRepeated = listen.granted !== undefined
      return listen.line
    })
  }

  /** What to do with an acknowledgement: the client has one already, and cannot get another. */
  acknowledge(params: Params): 'forward' | 'swallow' | { endOf: string } {
    const id = subscriptionOf(params)
    const listen = id === undefined ? undefined : this.#open.get(id)
    if (id === undefined || listen === undefined) return 'forward'
    const granted = isPlainObject(params['notifications']) ? params['notifications'] : {}
    const before = listen.granted
    listen.granted = granted
    if (!listen.isRepeated || before === undefined) return 'forward'
    listen.isRepeated = false
    return grantsAll(before, granted) ? 'swallow' : { endOf: id }
  }

  /** Those that were granted a notification, by their ids in JSON. */
  granted(member: string): string[] {
    return [...this.#open].filter(([, { granted }]) => granted?.[member] === true).map(([id]) => id)
  }
}

/** The result that ends a subscription in good order. */
export function listenResult(id: string): Params {
  const subscription: unknown = JSON.parse(id)
  return { id: subscription, result: { resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: subscription } } }
}

export function taggedParams(id: string): Params {
  return { _meta: { [SUBSCRIPTION_ID]: JSON.parse(id) as unknown } }
}

function subscriptionOf(params: Params): string | undefined {
  const meta = params['_meta']
  const id = isPlainObject(meta) ? meta[SUBSCRIPTION_ID] : undefined
  return id === undefined ? undefined : JSON.stringify(id)
}

/** Whether nothing of what was granted is missing. */
export function grantsAll(before: Params, after: Params): boolean {
  return Object.entries(before).every(([member, value]) => {
    if (!Array.isArray(value)) return value !== true || after[member] === true
    const has = after[member]
    return Array.isArray(has) && value.every((uri) => has.includes(uri))
  })
}

export function filterOf(line: Buffer): Params {
  const filter = readParams(line)['notifications']
  return isPlainObject(filter) ? filter : {}
}
