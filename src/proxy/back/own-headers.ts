// The headers of one caller on a connection that was opened with those of another one.
import type { SendHints } from '../../dispatcher/channel.ts'

export type HeaderValues = Readonly<Record<string, string>>

/** What a request has beside the headers of its connection, and what it goes without. */
export type HeaderHints = Pick<SendHints, 'headers' | 'withoutHeaders'>

export class OwnHeaders {
  readonly #opened: HeaderValues
  readonly #forwarded: HeaderValues
  readonly #headersFor: (forwarded: HeaderValues) => HeaderValues

  /** `forwarded` is what the first caller sent of the headers that are repeated, and `headersFor` what the source gets for such. */
  constructor(forwarded: HeaderValues, headersFor: (forwarded: HeaderValues) => HeaderValues) {
    this.#forwarded = forwarded
    this.#headersFor = headersFor
    this.#opened = lowered(headersFor(forwarded))
  }

  /** `undefined` where the headers of the connection are those of this caller too. */
  of(forwarded: HeaderValues): HeaderHints | undefined {
    if (isSame(forwarded, this.#forwarded)) return undefined
    const wanted = lowered(this.#headersFor(forwarded))
    const changed = Object.entries(wanted).filter(([name, value]) => this.#opened[name] !== value)
    const withoutHeaders = Object.keys(this.#opened).filter((name) => wanted[name] === undefined)
    return { headers: Object.fromEntries(changed), withoutHeaders }
  }
}

function lowered(headers: HeaderValues): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function isSame(one: HeaderValues, other: HeaderValues): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}
