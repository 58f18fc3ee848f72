// A request that the transport makes for itself: its answer goes to the transport, everything else to the receiver.
import type { Receiver } from '../../dispatcher/channel.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { connectionClosed } from '../../dispatcher/error-policy.ts'
import { forgetAbort, listenForAbort } from '../../primitives/abort.ts'
import { createDeferred } from '../../primitives/deferred.ts'
import { isPlainObject } from '../../primitives/objects.ts'
import { TransportError } from '../../types/failures.ts'
import type { JSONObject } from '../../types/json.ts'
import type { JSONRPCRequest } from '../../types/jsonrpc.ts'
import { limitTotalTime } from '../total-time.ts'
import type { EraRules } from './era-rules.ts'
import { HttpCall } from './http-call.ts'
import type { HttpLink } from './http-link.ts'

const TIMEOUT_MS = 60_000

export interface InnerCallHost {
  readonly link: HttpLink
  readonly receiver: Receiver
  readonly signal: AbortSignal
}

/** Sends the message and resolves to its result. Repeats it while the server cannot be reached, within the usual time. */
export async function callOnce(host: InnerCallHost, rules: EraRules, message: JSONRPCRequest): Promise<JSONObject> {
  const answer = createDeferred<JSONObject>()
  const overdue = () => new TransportError(`'${message.method}' was not answered within ${TIMEOUT_MS} ms`)
  const { signal = host.signal, clear } = limitTotalTime(TIMEOUT_MS, host.signal, overdue)
  const call = new HttpCall(
    { link: host.link, receiver: intercept(host.receiver, answer), answered: () => {}, ended: () => {} },
    rules,
    { message, body: encodeMessage(message), headers: {}, hints: { isRepeatable: true } },
  )
  const giveUp = () => {
    call.abort()
    answer.reject(signal.reason instanceof TransportError ? signal.reason : connectionClosed())
  }
  try {
    if (signal.aborted) throw connectionClosed()
    listenForAbort(signal, giveUp)
    call.start()
    return await answer.promise
  } finally {
    forgetAbort(signal, giveUp)
    clear()
  }

  function intercept(receiver: Receiver, { resolve, reject }: typeof answer): Receiver {
    return {
      message: (received, hints) => {
        if (!isPlainObject(received) || received['method'] !== undefined) return receiver.message(received, hints)
        if (isPlainObject(received['result'])) resolve(received['result'])
        else reject(new TransportError(`The server refused '${message.method}' when it was sent again`))
        return undefined
      },
      lost: (_id, reason) => reject(reason),
      fault: (fault) => receiver.fault(fault),
      closed: (reason) => receiver.closed(reason),
    }
  }
}
