// Makes programs that plain Node can run, out of code that imports the source. Each test file has outputs of its own: they run side
// by side.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const root = fileURLToPath(new URL('../../', import.meta.url))
const outputs = join(root, 'build/fixtures')

const SETTINGS = {
  absWorkingDir: root,
  alias: { '#platform': join(root, 'src/node/platform.ts') },
  bundle: true,
  format: 'esm',
  platform: 'node',
  logLevel: 'warning',
} as const satisfies BuildOptions

/** The paths of the programs out of these fixtures of stdio, in the order of their names. */
export async function bundleFixtures(folder: string, names: readonly string[]): Promise<string[]> {
  const outdir = join(outputs, folder)
  const entryPoints = names.map((name) => `test/fixtures/stdio/${name}`)
  await build({ ...SETTINGS, entryPoints, outdir, entryNames: '[name]' })
  return names.map((name) => join(outdir, name))
}

/** The path of a program of this text, which imports from `./src`: of this tree, or of that of another release. */
export async function bundleProgram(name: string, contents: string, from = root): Promise<string> {
  const outfile = join(outputs, `${name}.js`)
  const alias = { '#platform': join(from, 'src/node/platform.ts') }
  const stdin = { contents, resolveDir: from, loader: 'ts' } as const
  await build({ ...SETTINGS, alias, stdin, outfile, packages: 'external' })
  return outfile
}
