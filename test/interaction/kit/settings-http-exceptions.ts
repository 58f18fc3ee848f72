// The entries that speak of a connection, or of the order on one, where HTTP has none or another one.
import { isLegacyVersion, type ProtocolVersion } from '../../../src/types/protocol/versions.ts'
import type { RequirementId } from '../requirements/index.ts'

type Ids = ReadonlySet<RequirementId>

const NEVER: Ids = new Set<RequirementId>([
  // Over HTTP a lifespan is as long as the handler, whoever comes and goes.
  'connection:close:server-side-ends-too',
  'lifespan:server:begins-anew',
  'lifespan:server:ends-with-the-last-connection',
  'lifespan:server:fails-to-end',
  'lifespan:server:held-by-a-lease',
  // Ten thousand POSTs, one after the other, take too long; the handler's own tests show the bound (F085).
  'fault:F085:flood',
  // Their tests stop the clock by which a connection lives.
  'mcpserver:tools:timeout-without-the-user',
  'tools:call:time-limit',
])

const NOT_IN_THE_HANDSHAKE_ERA: Ids = new Set<RequirementId>([
  // A POST has to be answered: a cancelled request gets an error that nobody waits for (cancel:http:handshake-post-ends).
  'fault:F074:handler-returns-after-all',
  'fault:F075:handler-rejects-after-cancellation',
])

const NOT_IN_THE_MODERN_ERA: Ids = new Set<RequirementId>([
  // Closing the stream cancels; no message says so (cancel:http:closing-the-stream).
  'cancel:server:middleware-sees-it',
  // Each subscription has a stream of its own, limited per principal by the handler.
  'listen:limit-of-a-connection',
  // A name that is too long for a header is refused before anything is sent (routing-headers F118).
  'mcpserver:tools:unknown',
])

/** Whether an entry that holds on other transports can be shown over HTTP, too. */
export function holdsOverHttp(id: RequirementId, version: ProtocolVersion): boolean {
  const exceptions = isLegacyVersion(version) ? NOT_IN_THE_HANDSHAKE_ERA : NOT_IN_THE_MODERN_ERA
  return !NEVER.has(id) && !exceptions.has(id)
}
