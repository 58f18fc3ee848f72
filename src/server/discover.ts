// `server/discover`: what this server speaks and offers. A handler like any other, that every server brings along.
import type { DiscoverResult } from '../types/lifecycle.ts'
import { modernCapabilities } from './capabilities.ts'
import type { ServerRequestContext } from './context.ts'

export function discover({ server }: ServerRequestContext): DiscoverResult {
  return {
    supportedVersions: [...server.supportedVersions],
    capabilities: modernCapabilities(server),
    ...(server.instructions !== undefined && { instructions: server.instructions }),
  }
}
