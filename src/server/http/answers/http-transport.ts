// What a handler can know of the HTTP request that brought its message.
import type { TransportContext } from '../../../dispatcher/channel.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import type { AuthInfo } from '../../../types/protocol/auth.ts'
import { isLoopbackName, parseAuthority } from '../guards/host-origin.ts'

/** What a transport adds to the request itself. */
type TransportFacts = Pick<TransportContext, 'kind' | 'canSendRequest' | 'closeStream'>

const MODERN: TransportFacts = Object.freeze({ kind: 'streamable-http', canSendRequest: false })

/** Headers hold credentials. They are no own member, so that logging a context does not print them. */
export class HttpTransport implements TransportContext {
  readonly kind: string
  readonly canSendRequest: boolean
  readonly writesResults = true
  declare readonly closeStream?: () => void
  declare readonly auth?: AuthInfo
  readonly #exchange: HttpExchange

  constructor(exchange: HttpExchange, { kind, canSendRequest, closeStream }: TransportFacts = MODERN) {
    this.#exchange = exchange
    this.kind = kind
    this.canSendRequest = canSendRequest
    if (closeStream !== undefined) this.closeStream = closeStream
    if (exchange.auth !== undefined) this.auth = exchange.auth
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    return this.#exchange.headers
  }

  get isBeyondLoopback(): boolean {
    const exchange = this.#exchange
    const host = exchange.header('host') ?? exchange.header(':authority')
    const name = typeof host === 'string' ? parseAuthority(host)?.name : undefined
    return exchange.isLoopback === false || (name !== undefined && !isLoopbackName(name))
  }
}
