// Connects to a source before the first client has come, so that a source that is not there is an error of the start.
import { InboundContext } from '../../dispatcher/context.ts'
import { ConnectionCore } from '../../server/connection.ts'
import { createContext } from '../../server/context.ts'
import { coreOf } from '../../server/internals.ts'
import { NO_BACK_CHANNEL } from '../../server/outbound.ts'
import type { Server } from '../../server/server.ts'
import type { Source } from '../../server/source.ts'
import { LATEST_MODERN_VERSION } from '../../types/protocol/versions.ts'

/** Rejects with what a caller would read. */
export async function startEagerly(server: Server, source: Source): Promise<void> {
  const envelope = { protocolVersion: LATEST_MODERN_VERSION, clientCapabilities: {} }
  const connection = ConnectionCore.fromEnvelope(envelope)
  const transport = { kind: 'start', canSendRequest: false }
  const request = createContext(
    coreOf(server),
    connection,
    new InboundContext(NO_BACK_CHANNEL, transport, 0, undefined),
    'server/discover',
    {},
  )
  const { capabilities } = await source.describe(request)
  if (capabilities?.tools !== undefined) await source.list('tools/list', request)
}
