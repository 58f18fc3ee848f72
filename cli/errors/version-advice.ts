// What to do where client and server have no revision in common: by what the server says that it speaks.
import { UnsupportedProtocolVersionError } from 'mcpwire'
import { isProtocolVersion, PROTOCOL_VERSIONS } from 'mcpwire/types'

/** `undefined` where the server does not say what it speaks. */
export function adviseOnVersion(thrown: unknown): string | undefined {
  const supported = supportedBy(thrown)
  if (supported === undefined || supported.length === 0) return undefined
  const shared = supported.filter(isProtocolVersion)
  if (shared.length > 0) return `The server speaks ${listOf(shared)}. Leave --mode out, or use --mode ${shared.at(-1)}.`
  return `The server speaks ${listOf(supported)}, and mcpwire ${listOf(PROTOCOL_VERSIONS)}. Update the older of the two.`
}

const MAX_CAUSES = 10
const MAX_SHOWN = 8

/** A server may list anything. */
function listOf(versions: readonly string[]): string {
  return versions
    .slice(0, MAX_SHOWN)
    .map((version) => version.slice(0, 32))
    .join(', ')
}

function supportedBy(thrown: unknown): readonly string[] | undefined {
  for (let at = thrown, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth += 1) {
    if (at instanceof UnsupportedProtocolVersionError) return at.supported.filter((one) => typeof one === 'string')
    // The answer to `initialize` of a legacy server names the one revision that it wants.
    const [, named] =
      /^Unsupported protocol version from the server: ([\w., -]+)\. This session accepts/.exec(at.message) ?? []
    if (named !== undefined && named !== 'none') return named.split(', ')
  }
  return undefined
}
