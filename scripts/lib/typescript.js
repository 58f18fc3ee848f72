// Runs a TypeScript file of this repository on Nodes that cannot do it themselves: bundled first, then run in a child.
import { spawnSync } from 'node:child_process'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './run.js'

/** Bundles one file into build/run; `mcpwire` in it means the built package. Returns the path. */
export async function bundleTypeScript(entry) {
  const { build } = await import('esbuild')
  const outfile = `build/run/${basename(entry, '.ts')}.js`
  await build({
    absWorkingDir: fileURLToPath(root),
    // What a program on Node gets. The tsconfig names the one for other runtimes.
    alias: { '#platform': fileURLToPath(new URL('src/node/platform.ts', root)) },
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  })
  return outfile
}

export async function runTypeScript(entry, { nodeArgs = [], args = [] } = {}) {
  const outfile = await bundleTypeScript(entry)
  const result = spawnSync(process.execPath, ['--enable-source-maps', ...nodeArgs, outfile, ...args], {
    cwd: root,
    stdio: 'inherit',
  })
  if (result.status !== 0) process.exit(result.status ?? 1)
}
