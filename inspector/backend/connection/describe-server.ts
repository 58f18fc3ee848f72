// What an open client knows of its server.
import type { Client } from 'mcpwire'
import { LEGACY_VERSIONS } from 'mcpwire/types'
import type { ConnectionState } from '../../protocol/state.ts'

type Description = Pick<
  ConnectionState,
  'server' | 'era' | 'protocolVersion' | 'offeredVersions' | 'instructions' | 'serverCapabilities'
>

export function describeServer(client: Client): Description {
  const { serverInfo, protocolVersion, instructions, serverCapabilities, session } = client
  const offered = session.discoverResult?.supportedVersions
  const { name = 'A server without a name', title, version = '', description, websiteUrl } = serverInfo ?? {}
  return {
    server: {
      name,
      version,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(websiteUrl !== undefined && { websiteUrl }),
    },
    era: (LEGACY_VERSIONS as readonly string[]).includes(protocolVersion) ? 'legacy' : 'modern',
    protocolVersion,
    serverCapabilities: { ...serverCapabilities },
    ...(offered !== undefined && { offeredVersions: offered }),
    ...(instructions !== undefined && { instructions }),
  }
}
