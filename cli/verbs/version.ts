// mcpwire version: mcpwire, Node and the revisions of the protocol.
import { LEGACY_VERSIONS, MODERN_VERSIONS } from 'mcpwire/types'
import { EXIT } from '../terminal/exit-codes.ts'
import { showJSON } from '../terminal/terminal-text.ts'
import { readVersion } from '../terminal/version.ts'
import type { Invocation } from './shared/invocation.ts'

export async function versionVerb({ output }: Invocation): Promise<number> {
  const [mcpwire, node] = [readVersion(), process.version.slice(1)]
  if (output.isJSON) {
    output.print(showJSON({ mcpwire, node, protocol: { modern: MODERN_VERSIONS, legacy: LEGACY_VERSIONS } }))
    return EXIT.done
  }
  const revisions = [`${MODERN_VERSIONS.join(', ')} (modern)`, `${LEGACY_VERSIONS.toReversed().join(', ')} (legacy)`]
  output.print([`mcpwire ${mcpwire}`, `node ${node}`, `protocol ${revisions.join(', ')}`].join('\n'))
  return EXIT.done
}
