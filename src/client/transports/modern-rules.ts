// Streamable HTTP since 2026-07-28: there are no sessions, and a response stream carries only what belongs to its request.
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID_META_KEY } from '../../types/protocol/meta.ts'
import type { EraRules, PendingRequest } from './era-rules.ts'
import { type HttpLink, joinHeaders } from './http-link.ts'

/** The rules hold no state between requests. */
export function createModernRules({ postHeaders, streamHeaders }: HttpLink): EraRules {
  return {
    transport: { kind: 'streamable-http', canSendRequest: false },
    // Spec, Streamable HTTP: streams are not resumed, and closing the stream cancels the request.
    canResume: false,
    cancelsByClosing: true,
    whenReady: () => undefined,
    prepareSend: (mirrored) => ({ headers: joinHeaders(postHeaders, mirrored) }),
    streamHeaders: () => streamHeaders,
    onResponse: () => {},
    findViolation: findStreamViolation,
    isSessionExpired: () => false,
    renewSession: (_sent, reason) => Promise.reject(reason),
  }
}

/** Spec, Streamable HTTP: notifications related to the request, then its response; never a request. */
function findStreamViolation(message: unknown, request: PendingRequest): string | undefined {
  if (!isPlainObject(message)) return 'a value that is not a JSON-RPC message'
  const { id, method } = message
  if (method === undefined) return isResponseTo(id, request) ? undefined : 'a response to another request'
  if (id !== undefined) return 'a request, which its protocol revision does not allow'
  return belongsTo(message, request) ? undefined : 'a notification of another request'
}

function isResponseTo(id: unknown, { wireId }: PendingRequest): boolean {
  return id === undefined || id === null || isSameId(id, wireId)
}

function belongsTo({ method, params }: JSONObject, request: PendingRequest): boolean {
  if (!isPlainObject(params)) return true
  if (method === 'notifications/progress') return isSameId(params['progressToken'], request.progressToken)
  if (method === 'notifications/cancelled') return isSameId(params['requestId'], request.wireId)
  const meta = params['_meta']
  if (!isPlainObject(meta) || !Object.hasOwn(meta, SUBSCRIPTION_ID_META_KEY)) return true
  return isSameId(meta[SUBSCRIPTION_ID_META_KEY], request.wireId)
}

function isSameId(found: unknown, expected: RequestId | undefined): boolean {
  if (found === expected) return expected !== undefined
  if (expected === undefined || !isRequestId(found)) return false
  return correlationKey(found) === correlationKey(expected)
}
