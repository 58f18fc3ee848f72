// Whether a client may call tools as tasks of revision 2025-11-25.
import { requestRow } from '../wire/method-rows.ts'
import { connectionOfRequest, type ServerRequestContext, serverOfRequest } from './context.ts'

/** Whether this server has declared to this client that tools can be called as tasks. */
export function offersTaskCalls(ctx: ServerRequestContext): boolean {
  if (requestRow('tasks/result', ctx.protocolVersion, 'client') === undefined) return false
  if (serverOfRequest(ctx).requestHandler('tasks/result') === undefined) return false
  const declared = connectionOfRequest(ctx).serverCapabilities
  // Without sessions the handshake was another connection's.
  return declared === undefined || declared.tasks?.requests?.tools?.call !== undefined
}
