// Streamable HTTP since 2026-07-28: every request stands for itself, and its stream carries what belongs to it and no more.
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID_META_KEY } from '../../types/protocol/meta-keys.ts'
import type { CallFacts, EraRules } from './era-rules.ts'
import { type HttpLink, joinHeaders } from './http-link.ts'

/** The rules are the same for every request: nothing is remembered between two of them. */
export function createModernRules({ postHeaders, streamHeaders }: HttpLink): EraRules {
  return {
    transport: { kind: 'streamable-http', canSendRequest: false },
    // Spec, Streamable HTTP: there are no sessions and nothing is resumed; closing the stream is how to cancel.
    canResume: false,
    cancelsByClosing: true,
    ready: () => undefined,
    depart: (mirrored) => ({ headers: joinHeaders(postHeaders, mirrored) }),
    rejoin: () => streamHeaders,
    arrived: () => {},
    objection: findObjection,
    isForgotten: () => false,
    renew: (_departure, reason) => Promise.reject(reason),
  }
}

/** Spec, Streamable HTTP: notifications related to the request, then its answer; never a request. */
function findObjection(message: unknown, call: CallFacts): string | undefined {
  if (!isPlainObject(message)) return 'something that is no JSON-RPC message'
  const { id, method } = message
  if (method === undefined) return isAnswerTo(id, call) ? undefined : 'an answer to another request'
  if (id !== undefined) return 'a request, which its protocol revision does not allow'
  return belongsTo(message, call) ? undefined : 'a notification of another request'
}

function isAnswerTo(id: unknown, { wireId }: CallFacts): boolean {
  return id === undefined || id === null || isSame(id, wireId)
}

function belongsTo({ method, params }: JSONObject, call: CallFacts): boolean {
  if (!isPlainObject(params)) return true
  if (method === 'notifications/progress') return isSame(params['progressToken'], call.progressToken)
  if (method === 'notifications/cancelled') return isSame(params['requestId'], call.wireId)
  const meta = params['_meta']
  if (!isPlainObject(meta) || !Object.hasOwn(meta, SUBSCRIPTION_ID_META_KEY)) return true
  return isSame(meta[SUBSCRIPTION_ID_META_KEY], call.wireId)
}

function isSame(found: unknown, expected: RequestId | undefined): boolean {
  if (found === expected) return expected !== undefined
  if (expected === undefined || !isRequestId(found)) return false
  return correlationKey(found) === correlationKey(expected)
}
