// What other modules may do with a session beyond its public members, and how they get from the session to it.

import type { Progress } from '../../dispatcher/dispatcher.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { typeError } from '../../primitives/help.ts'
import type { CallToolResult, ListToolsResult, ToolExecution } from '../../types/features/tools.ts'
import type { ServerCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import type { OwnedFilters } from '../extensions/owned-filters.ts'
import type { SubscriptionRoutes } from '../subscriptions/routes.ts'
import type { CallToolOptions } from './request-options.ts'
import type { ClientSession } from './session.ts'
import type { CallLimits } from './tool-lookup.ts'

export interface SessionInternals {
  /** Takes faults that belong to no call. */
  readonly faults: FaultReporter
  /** Aborts when the session ends, with the error that a request would get from then on. */
  readonly endSignal: AbortSignal
  /** Where notifications of open subscriptions go. */
  readonly routes: SubscriptionRoutes
  /** The filters of `listen()` that extensions own. */
  readonly filters: OwnedFilters
  /** Time without progress, for requests that name none, where the options of the session have one. */
  readonly timeoutMs: number | undefined
  /** `undefined` until a revision is negotiated. */
  readonly protocolVersion: ProtocolVersion | undefined
  /** Whether the session speaks a modern revision. */
  readonly isModern: boolean
  readonly serverCapabilities: ServerCapabilities | undefined
  /** `ClientSession.sendRequest`, without its overloads. */
  request(method: string, params: JSONObject | undefined, options?: CallToolOptions): Promise<unknown>
  /**
   * Rejects with `InvalidResultError` for a result that is not a finished one of this tool, by its form or by its output schema, and
   * when the signal aborts. A schema that can't be had in time is left out.
   */
  checkToolResult(name: string, result: CallToolResult, limits: CallLimits): Promise<void>
  /** What the listing says about calling a tool as a task (2025-11-25), looked up where no listing has named the tool yet. */
  taskSupport(name: string, limits: CallLimits): Promise<ToolExecution['taskSupport']>
  /** Calls the listener with progress of a request, also when it has been answered with a task. The returned function ends that. */
  followProgress(token: RequestId, listener: (progress: Progress) => void): () => void
  /** Learns from a listing that did not come over this session, and returns it without the tools that cannot be called. */
  learnTools(listing: ListToolsResult, isComplete: boolean): ListToolsResult
}

/** Not a static block of `ClientSession`: a bundler keeps a class that has one, even in programs that use no session. */
const internalsBySession = new WeakMap<ClientSession, SessionInternals>()

/** Called by the constructor of `ClientSession`. */
export function keepInternals(session: ClientSession, internals: SessionInternals): void {
  internalsBySession.set(session, internals)
}

/** `undefined` for a session of another copy of this package. */
export function findInternals(session: ClientSession): SessionInternals | undefined {
  return internalsBySession.get(session)
}

/** Throws `TypeError` for a session of another copy of this package. */
export function internalsOf(session: ClientSession): SessionInternals {
  const internals = findInternals(session)
  if (internals !== undefined) return internals
  throw typeError(
    'wrong-argument',
    'The session was created by another copy of mcpwire. Install one version and import it everywhere.',
  )
}
