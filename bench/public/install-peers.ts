// Peers that cannot be dependencies, each in a folder of its own. A peer that cannot be had is left out of the table.
import { installApart } from '../../scripts/lib/install-apart.js'

const WANTED = [
  ['mcp-lite', '0.10.0', 'dist/index.js'],
  ['tmcp', '1.20.0', 'src/index.js'],
  ['fastmcp', '4.20.16', 'dist/FastMCP.js'],
] as const

/** Each as `name version`. */
export const PEER_VERSIONS = WANTED.map(([name, version]) => `${name} ${version}`)

/** The path of each peer by its name; workers get it too. */
export function installPeers(): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [name, version, path] of WANTED) {
    const file = installApart(`peer-${name}`, [name, version, path])
    if (file !== undefined) found[name] = file
  }
  process.env['MCPWIRE_BENCH_PEERS'] = JSON.stringify(found)
  return found
}
