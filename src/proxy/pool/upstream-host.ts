// What a pool of connections tells the source that it belongs to, and asks of it.
import type { FaultReporter } from '../../dispatcher/fault.ts'
import type { ConnectionCore } from '../../server/connection.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { BackConnection } from '../back/back-connection.ts'
import type { Passage } from '../base/passage.ts'
import type { SourceTaskIds } from '../gateway/task-ids.ts'

export interface UpstreamHost {
  /** The proxy that the source stands behind. */
  readonly passage: Passage
  readonly faults: FaultReporter
  /** Where ids of tasks may be others at the front. */
  readonly taskIds: SourceTaskIds | undefined
  changed(method: string, params: JSONObject | undefined): void
  isOwnFront(request: ServerRequestContext): boolean
  /** A connection has opened whose changes a server in front tells of. */
  opened(connection: BackConnection): void
  /** A legacy client has this connection from now on. */
  attached(client: ConnectionCore, connection: BackConnection): void
  /** It was away and is there again: what it offers may be something else. */
  returned(): void
  /** Callers of the other era don't get this. Reported once. */
  lost(what: string): void
  /** Whether a caller asked for this log message of its call. */
  hears(request: ServerRequestContext, params: JSONObject | undefined): boolean
  /** Whether a caller asked for log messages, where it hears none once it has its result. */
  wantsLogs(request: ServerRequestContext): boolean
  /** Whether a client that shares a connection gets this message, which belongs to no call. */
  wants(client: ConnectionCore, method: string, params: JSONObject | undefined): boolean
}
