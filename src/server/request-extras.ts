// What few messages need beside their context: layers around what is sent and passed on, and what becomes of their result.

import { AbortableSignal } from '../dispatcher/abortable-signal.ts'
import type { DispatchContext } from '../dispatcher/dispatcher.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import type { DetachableCall } from './detachable-call.ts'
import type { SendingLayer } from './session.ts'
import type { TaskRun } from './task-run.ts'

/** Called with the final result once every middleware has let it pass. */
export type OnSuccess = (result: JSONObject) => void

/** A request on its way to a server elsewhere. */
export interface ForwardedMessage {
  readonly method: string
  readonly params: JSONObject
  /** The name of that server here. */
  readonly source: string
  /** The revision that was agreed on with it. */
  readonly protocolVersion: string
}

/** The params may be others. `onRequestId` gets the id that the request has there. */
export type SendForwarded = (params: JSONObject, onRequestId?: (id: RequestId) => void) => Promise<JSONObject>

export type ForwardingLayer = (message: ForwardedMessage, send: SendForwarded) => Promise<JSONObject>

/** What few messages need. All contexts of one message share it; it is created on first use. */
export class RequestExtras {
  /** What must happen only if the whole chain, middleware included, succeeds. */
  onSuccess: OnSuccess | undefined
  /** The sealed state that this round of a call goes on from, once it has been verified; `undefined` for a first round. */
  resumedFrom: string | undefined
  /** Whether that state is accepted once only, over all nodes. */
  isResumedOnce: boolean | undefined
  /** The state of this round, where a source elsewhere has sealed it: for that source alone, and checked by nobody here. */
  foreignState: string | undefined
  /** The state that a source elsewhere has given in the result of this round. */
  givenState: string | undefined
  /** A list of this request was shown in short. */
  isShortened: boolean | undefined
  /** The run of a task that handles the message, without a request or no longer in one. */
  run: TaskRun | undefined
  /** A result that is as it is to be sent: that of a mounted server, or one that crosses unchanged from elsewhere. */
  finished: JSONObject | undefined
  /** Where the handler may go on without its request. */
  detachable: DetachableCall | undefined
  /** Runs around each request that is passed on to a server elsewhere for this message. */
  forwarding: ForwardingLayer | undefined
  readonly #dispatch: DispatchContext
  #abortable: AbortableSignal | undefined
  #sending: SendingLayer | undefined

  constructor(dispatch: DispatchContext, signal?: AbortableSignal, source?: RequestExtras) {
    this.#dispatch = dispatch
    this.#abortable = signal
    this.#sending = source?.sending
    this.resumedFrom = source?.resumedFrom
    this.isResumedOnce = source?.isResumedOnce
    this.foreignState = source?.foreignState
    this.forwarding = source?.forwarding
  }

  get abortable(): AbortableSignal | undefined {
    return this.#abortable
  }

  /** The same for a part of the work, which this signal stops. */
  stoppedBy(signal: AbortableSignal): RequestExtras {
    const extras = partOf(this.#dispatch, signal, this)
    extras.run = this.run
    return extras
  }

  /** For a middleware that may stop the message: calling the function it returns aborts `ctx.signal` too. */
  makeAbortable(): (reason: unknown) => void {
    const abortable = new AbortableSignal(this.#abortable ?? this.#dispatch)
    this.#abortable = abortable
    return (reason) => abortable.abort(reason)
  }

  /** What runs around each request that the server sends while it handles this message. */
  get sending(): SendingLayer | undefined {
    return this.#sending
  }

  aroundSending(layer: SendingLayer): void {
    const outer = this.#sending
    this.#sending = outer === undefined ? layer : nest(outer, layer)
  }

  /** As `aroundSending`, outside of all other layers: it continues after them when the answer has come. */
  outsideSending(layer: SendingLayer): void {
    const inner = this.#sending
    this.#sending = inner === undefined ? layer : nest(layer, inner)
  }
}

/** Not in the class: a bundler renames a class whose body mentions its own name. */
const partOf = (dispatch: DispatchContext, signal: AbortableSignal, whole: RequestExtras) =>
  new RequestExtras(dispatch, signal, whole)

function nest(outer: SendingLayer, inner: SendingLayer): SendingLayer {
  return (method, params, send) =>
    outer(method, params, (given, tellOuter) =>
      inner(method, given, (last, tellInner) =>
        send(last, (id) => {
          tellOuter?.(id)
          tellInner?.(id)
        }),
      ),
    )
}
