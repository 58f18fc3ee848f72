// Opens the target of a client. Apart from the rest, which may still be loading while the target opens.
import type { Channel } from '../../dispatcher/channel.ts'
import type { ConnectionEvent } from '../../dispatcher/connection-events.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'
import type { ConnectClock } from './connect-clock.ts'
import { type ClientMode, isLegacyMode } from './negotiate.ts'
import type { ClientPlan } from './open-client.ts'
import type { OpenOptions } from './targets.ts'

/** Does not wait for a target that ignores the signal; should it open after all, it is closed again. */
export async function openPeer(mode: ClientMode, plan: ClientPlan, clock: ConnectClock): Promise<Dispatcher | Channel> {
  const { signal } = clock
  signal.throwIfAborted()
  const aborted = createDeferred<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  const opening = plan.opener.open(openOptions(mode, plan, clock))
  try {
    return await Promise.race([opening, aborted.promise])
  } catch (error) {
    opening.then((peer) => peer.close()).catch(() => {})
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function openOptions(mode: ClientMode, { options, connection }: ClientPlan, clock: ConnectClock): OpenOptions {
  const { raiseExceptions = false, onFault } = options
  const onConnection = (event: ConnectionEvent) => connection.pass(event)
  return {
    legacy: isLegacyMode(mode),
    raiseExceptions,
    signal: clock.signal,
    hold: () => clock.hold(),
    onConnection,
    ...(onFault && { onFault }),
  }
}
