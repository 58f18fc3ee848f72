// Runs the body of a requirement once per transport and revision that its entry admits.
import { describe, it } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import { Client as ClientClass } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { Connectable } from '../../../src/dispatcher/channel.ts'
import { type ChannelServer, memoryTransport } from '../../../src/testing/connect.ts'
import { WireRecorder } from '../../../src/testing/wire-recorder.ts'
import {
  isLegacyVersion,
  isVersionAtLeast,
  LATEST_LEGACY_VERSION,
  LEGACY_VERSIONS,
  MODERN_VERSIONS,
  type ProtocolVersion,
} from '../../../src/types/protocol/versions.ts'
import { isFull } from '../../engines/full.ts'
import type { Requirement } from '../requirements/entry.ts'
import { type RequirementId, requirements } from '../requirements/index.ts'
import { clusterEndpoint, holdsOnNodes } from './settings-cluster.ts'
import { composedEndpoint, waysOf } from './settings-composed.ts'
import { type Endpoint, fetchEndpoint, socketEndpoint, sseEndpoint } from './settings-http.ts'
import { holdsOverHttp } from './settings-http-exceptions.ts'
import { INSTANT_ONLY } from './settings-instant.ts'
import { pipedTransport } from './settings-stdio.ts'

export interface Setting {
  readonly transport: NonNullable<Requirement['transports']>[number]
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
      // A body that takes no setting brings its own connections, and would be the same test again.
      const isAgain = body.length === 0 && entry.transports?.[0] !== transport
      if (isRemote(transport) && (isAgain || !holdsOver(transport, id, version))) continue
      it(`${transport}, ${version}`, () => body(createSetting(transport, version)))
    }
    if (body.length === 0) return
    for (const { transport, version } of settingsOf(entry)) {
      if (transport !== 'memory' || !isNewest(version)) continue
      const era = isLegacyVersion(version) ? 'legacy' : 'modern'
      for (const way of waysOf(id)) {
        it(`${way}, ${version}`, () => body(createSetting(transport, version, composedEndpoint(way, era))))
      }
    }
    if (!isFull) return
    for (const { transport, version } of settingsOf(entry)) {
      if (transport !== 'fetch' || !isLegacyVersion(version) || !holdsOver(transport, id, version)) continue
      if (!holdsOnNodes(id)) continue
      it(`three nodes, ${version}`, () => body(createSetting(transport, version, clusterEndpoint())))
    }
  })
}

/** The newest of each era. */
function isNewest(version: ProtocolVersion): boolean {
  return version === LATEST_LEGACY_VERSION || !isLegacyVersion(version)
}

function settingsOf(entry: Requirement): Pick<Setting, 'transport' | 'version'>[] {
  const eras = entry.eras ?? ['legacy', 'modern']
  const versions: ProtocolVersion[] = [
    ...(eras.includes('legacy') ? LEGACY_VERSIONS : []),
    ...(eras.includes('modern') ? MODERN_VERSIONS : []),
  ]
  const admitted = versions.filter((version) => entry.since === undefined || isVersionAtLeast(version, entry.since))
  const transports = entry.transports ?? ['direct', 'memory', 'stdio', 'http', 'fetch', 'sse']
  return admitted.flatMap((version) =>
    transports.filter((transport) => carries(transport, version)).map((transport) => ({ transport, version })),
  )
}

function carries(transport: Setting['transport'], version: ProtocolVersion): boolean {
  // Without JSON there is no handshake either: the direct way is the modern one.
  if (transport === 'direct') return !isLegacyVersion(version)
  if (transport === 'sse') return version === '2024-11-05'
  // What sets the older revisions apart does not depend on what carries them.
  if (isRemote(transport)) return version === LATEST_LEGACY_VERSION || !isLegacyVersion(version)
  return true
}

/** Where a message takes time, so that the server is not done when the client has sent. */
function isRemote(transport: Setting['transport']): transport is keyof typeof REMOTE {
  return transport !== 'direct' && transport !== 'memory'
}

function holdsOver(transport: keyof typeof REMOTE, id: RequirementId, version: ProtocolVersion): boolean {
  if (INSTANT_ONLY.has(id)) return false
  if (transport === 'stdio') return true
  // The oldest way is shown by what is quick: crowds of calls and of clients are on the newer ones.
  if (transport === 'sse' && /^(?:fault|isolation):/.test(id)) return false
  return holdsOverHttp(id, version)
}

const REMOTE = { stdio: () => pipedTransport, http: socketEndpoint, fetch: fetchEndpoint, sse: sseEndpoint }

/** `other` brings clients to the server in another way than the transport's own. */
function createSetting(transport: Setting['transport'], version: ProtocolVersion, other?: Endpoint): Setting {
  const wire = new WireRecorder()
  const isModern = !isLegacyVersion(version)
  const reach = other ?? (isRemote(transport) ? REMOTE[transport]() : memoryTransport)
  return {
    transport,
    version,
    isModern,
    wire,
    connect: (server, options = {}) => {
      const mode = isModern ? 'auto' : version
      if (transport === 'direct') return ClientClass.connect(server, { mode, ...options })
      return ClientClass.connect(wire.wrapTransport(reach(server)), { mode, ...options })
    },
  }
}
