// What the endpoint of sessions does only where other nodes serve them, too. Loaded with the first request of such a server.
import { BackendError } from '../../../backend/backend-error.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'
import type { ServerCore } from '../../core.ts'
import { readPost } from '../answers/post-content.ts'
import { rejectTemporarily } from '../answers/reply.ts'
import type { LegacySettings } from './legacy.ts'
import type { SessionLimits } from './legacy-options.ts'
import type { SessionDirectory } from './session-manager.ts'
import { SharedSessions } from './shared-sessions.ts'

/** Throws `BackendError` where the server does not run. */
export function openSharedSessions(
  server: ServerCore,
  settings: LegacySettings,
  limits: SessionLimits,
): SessionDirectory {
  const { cluster } = server
  if (cluster === undefined) throw new BackendError('The server does not run.', NOT_RUNNING)
  return new SharedSessions(server, settings, limits, cluster)
}

const NOT_RUNNING = { kind: 'unavailable', operation: 'records.get' } as const

/**
 * Answers a request whose session could not be looked up; throws `error` where that is not the reason. Never 404 while the engine does
 * not answer: every client would begin anew, all at once.
 */
export async function answerWithoutSession(
  exchange: HttpExchange,
  error: unknown,
  sessions: SessionDirectory | undefined,
  request: { readonly sessionId: unknown; readonly id: RequestId | undefined; readonly message: unknown },
): Promise<void> {
  if (!(error instanceof BackendError) || exchange.isAnswered) throw error
  if (await takeAnswer(exchange, sessions, request.sessionId, request.message)) exchange.reply(202)
  else rejectTemporarily(exchange, 'The server cannot look up sessions now. Try again later.', request.id)
}

/** A handler waits for an answer, and not every client sends it again: it is not lost with the session that was not found. */
async function takeAnswer(
  { auth }: HttpExchange,
  sessions: SessionDirectory | undefined,
  id: unknown,
  message: unknown,
): Promise<boolean> {
  if (typeof id !== 'string' || !isPlainObject(message) || typeof readPost(message, false) === 'string') return false
  return (await sessions?.takeAnswer?.(id, auth, message)) ?? false
}
