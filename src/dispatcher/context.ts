// The context of one inbound message: identity, cancellation, and the way back while its handler runs.
import { NoBackChannelError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { ProgressToken, RequestId } from '../types/protocol/jsonrpc.ts'
import type { ReceiveHints, SendHints, TransportContext } from './channel.ts'
import type { AbortListener, CallOptions, DispatchContext, Outbound } from './dispatcher.ts'
import { isRequestId } from './request-id.ts'

const DONE: Promise<void> = Promise.resolve()

export const PROGRESS = 'notifications/progress'
export const CANCELLED = 'notifications/cancelled'

export class InboundContext implements DispatchContext {
  readonly requestId: RequestId | undefined
  readonly relatedRequestId: RequestId | undefined
  readonly transport: TransportContext
  readonly #outbound: Outbound
  readonly #params: JSONObject | undefined
  /** What the transport is asked to wait for before it delivers more. */
  delivery: Promise<void> | undefined
  #isOpen = true
  /** What the handler reported last. */
  #lastProgress = -Infinity
  /** What was sent last: with a larger value than the handler reported, where the caller was kept waiting. */
  #sentProgress: { readonly progress: number } | undefined
  #hints: SendHints | undefined
  #controller: AbortController | undefined
  #abortReason: unknown
  #abortListener: AbortListener | undefined

  constructor(
    outbound: Outbound,
    transport: TransportContext,
    requestId: RequestId | undefined,
    params: JSONObject | undefined,
    relatedRequestId?: RequestId,
  ) {
    this.#outbound = outbound
    this.relatedRequestId = relatedRequestId
    this.transport = transport
    this.requestId = requestId
    this.#params = params
  }

  get canSendRequest(): boolean {
    return this.#isOpen && this.transport.canSendRequest
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  /** Aborts the signal, now or when someone asks for it. */
  abort(reason: unknown): void {
    this.#abortReason ??= reason
    this.#controller?.abort(reason)
    const tell = this.#abortListener
    this.#abortListener = undefined
    tell?.(reason)
  }

  slow(until: Promise<void>): void {
    this.delivery = until
  }

  onAbort(listener: AbortListener): void {
    const first = this.#abortListener
    if (this.#abortReason !== undefined) listener(this.#abortReason)
    else if (first === undefined) this.#abortListener = listener
    else {
      this.#abortListener = (reason) => {
        first(reason)
        listener(reason)
      }
    }
  }

  /** The handler has returned: what it still sends belongs to nobody. */
  seal(): void {
    this.#isOpen = false
  }

  sendRawRequest(method: string, params?: JSONObject, options: CallOptions = {}): Promise<JSONObject> {
    if (!this.canSendRequest) return Promise.reject(new NoBackChannelError(method))
    const hints = this.#related(options.hints)
    return this.#outbound.sendRawRequest(method, params, hints === undefined ? options : { ...options, hints })
  }

  notify(method: string, params?: JSONObject, hints?: SendHints): Promise<void> {
    return this.#isOpen ? this.#outbound.notify(method, params, this.#related(hints)) : DONE
  }

  reportProgress(progress: number, total?: number, message?: string): Promise<void> {
    const progressToken = readProgressToken(this.#params)
    // Spec, Progress: the value must increase with each notification.
    if (progressToken === undefined || !Number.isFinite(progress) || progress <= this.#lastProgress) return DONE
    // Cancelled: the token is the peer's again, perhaps for another request.
    if (this.#abortReason !== undefined) return DONE
    this.#lastProgress = progress
    const sent = this.#sentProgress?.progress ?? -Infinity
    const params = { progressToken, progress: progress > sent ? progress : above(sent) }
    if (total !== undefined) (params as JSONObject)['total'] = total
    if (message !== undefined) (params as JSONObject)['message'] = message
    this.#sentProgress = params
    return this.notify(PROGRESS, params)
  }

  keepAlive(): Promise<void> {
    const progressToken = readProgressToken(this.#params)
    if (progressToken === undefined || this.#abortReason !== undefined) return DONE
    // What the handler reported last, with a value slightly above: a person sees no difference.
    const params = { ...this.#sentProgress, progressToken, progress: above(this.#sentProgress?.progress ?? -Infinity) }
    if (!Number.isFinite(params.progress)) return DONE
    this.#sentProgress = params
    return this.notify(PROGRESS, params)
  }

  /** Whatever is sent in the service of a request carries its id, so that a transport can route it. That displaces resumption. */
  #related(hints: SendHints | undefined): SendHints | undefined {
    if (this.requestId === undefined) return hints
    if (hints === undefined) {
      this.#hints ??= { relatedRequestId: this.requestId }
      return this.#hints
    }
    const { resumptionToken: _token, onResumptionToken: _onToken, ...rest } = hints
    return { ...rest, relatedRequestId: this.requestId }
  }
}

/** A caller that is kept waiting before any report begins at 0. */
function above(value: number): number {
  return value === -Infinity ? 0 : value + Math.max(1, Math.abs(value)) * 1e-6
}

export function readProgressToken(params: JSONObject | undefined): ProgressToken | undefined {
  const meta = params?.['_meta']
  if (typeof meta !== 'object' || meta === null || !Object.hasOwn(meta, 'progressToken')) return undefined
  const token = (meta as JSONObject)['progressToken']
  return isRequestId(token) ? token : undefined
}

/** What is known of a message when its channel says nothing. */
const PLAIN_TRANSPORT: TransportContext = Object.freeze({ kind: 'channel', canSendRequest: true })

export function transportOf(hints: ReceiveHints | undefined): TransportContext {
  return hints?.transport ?? PLAIN_TRANSPORT
}
