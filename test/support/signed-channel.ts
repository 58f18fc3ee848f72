// A channel that says who is calling, as one behind a token check does.
import type { Channel, TransportContext } from '../../src/dispatcher/channel.ts'
import type { AuthInfo } from '../../src/types/protocol/auth.ts'

export function signedChannel(channel: Channel, auth: AuthInfo | undefined): Channel {
  const transport: TransportContext = { kind: 'memory', canSendRequest: true, ...(auth && { auth }) }
  return {
    send: (message, hints) => channel.send(message, hints),
    close: () => channel.close(),
    start: (receiver) =>
      channel.start({
        message: (message, hints) => receiver.message(message, { ...hints, transport }),
        fault: (fault) => receiver.fault(fault),
        lost: (id, reason) => receiver.lost(id, reason),
        closed: (reason) => receiver.closed(reason),
      }),
  }
}
