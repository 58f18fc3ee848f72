// Runs the body of a requirement once per transport and revision that its entry admits.
import { describe, it } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { Client as ClientClass } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/client/client-options.ts'
import type { Channel, Connectable, Transport } from '../../src/dispatcher/channel.ts'
import { type ChannelServer, memoryTransport } from '../../src/testing/memory-transport.ts'
import { WireRecorder } from '../../src/testing/wire-recorder.ts'
import {
  HANDSHAKE_VERSIONS,
  isHandshakeVersion,
  isVersionAtLeast,
  MODERN_VERSIONS,
  type ProtocolVersion,
} from '../../src/types/versions.ts'
import type { Requirement } from './requirements/entry.ts'
import { type RequirementId, requirements } from './requirements/index.ts'

export interface Setting {
  readonly transport: 'direct' | 'memory'
  readonly version: ProtocolVersion
  readonly isModern: boolean
  /** Connects a client to a server in this setting. */
  connect(server: Connectable & ChannelServer, options?: ClientOptions): Promise<Client>
  /** What crossed the wire, seen from the client; empty in process without JSON. */
  readonly wire: WireRecorder
}

/** Declares the test of one entry of the manifest. */
export function requirement(id: RequirementId, body: (setting: Setting) => Promise<void> | void): void {
  const entry: Requirement = requirements[id]
  describe(id, () => {
    for (const { transport, version } of settingsOf(entry)) {
      it(`${transport}, ${version}`, () => body(createSetting(transport, version)))
    }
  })
}

function settingsOf(entry: Requirement): Pick<Setting, 'transport' | 'version'>[] {
  const eras = entry.eras ?? ['handshake', 'modern']
  const versions: ProtocolVersion[] = [
    ...(eras.includes('handshake') ? HANDSHAKE_VERSIONS : []),
    ...(eras.includes('modern') ? MODERN_VERSIONS : []),
  ]
  const admitted = versions.filter((version) => entry.since === undefined || isVersionAtLeast(version, entry.since))
  const transports = entry.transports ?? ['direct', 'memory']
  return admitted.flatMap((version) =>
    // Without JSON there is no handshake either: the direct way is the modern one.
    transports
      .filter((transport) => transport === 'memory' || !isHandshakeVersion(version))
      .map((transport) => ({ transport, version })),
  )
}

function createSetting(transport: Setting['transport'], version: ProtocolVersion): Setting {
  const wire = new WireRecorder()
  const isModern = !isHandshakeVersion(version)
  return {
    transport,
    version,
    isModern,
    wire,
    connect: (server, options = {}) => {
      const mode = isModern ? 'auto' : 'legacy'
      if (transport === 'direct') return ClientClass.connect(server, { mode, ...options })
      const target = wire.wrapTransport(isModern ? memoryTransport(server) : offering(version, memoryTransport(server)))
      return ClientClass.connect(target, { mode, ...options })
    },
  }
}

/** A transport whose client asks for an older revision than it would by itself. */
function offering(version: ProtocolVersion, transport: Transport): Transport {
  const rewrite = (channel: Channel): Channel => ({
    start: (receiver) => channel.start(receiver),
    close: () => channel.close(),
    send: (message, hints) => {
      const isInitialize = 'method' in message && message.method === 'initialize'
      if (!isInitialize) return channel.send(message, hints)
      return channel.send({ ...message, params: { ...message.params, protocolVersion: version } }, hints)
    },
  })
  return { kind: transport.kind, open: async (options) => rewrite(await transport.open(options)) }
}
