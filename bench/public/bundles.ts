// What programs weigh after a bundler has minified them, as their authors would ship them.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Spread } from './figures.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Kilobytes after gzip, of what the program loads: parts that it imports dynamically and never reaches are not part of it. */
export async function bundleKilobytes(program: string, platform: 'node' | 'browser'): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: root, sourcefile: 'program.js' },
    bundle: true,
    minify: true,
    splitting: true,
    outdir: 'out',
    metafile: true,
    format: 'esm',
    target: 'es2022',
    platform,
    external: ['node:*', 'cross-spawn'],
    write: false,
    logLevel: 'error',
  })
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.includes('program.js'))
  const loaded = new Set<string>()
  const visit = (path: string) => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') visit(next)
    }
  }
  visit(entry?.[0] ?? '')
  const files = outputFiles.filter(({ path }) => [...loaded].some((name) => path.endsWith(name)))
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0) / 1000
}

export async function compareBundles(
  programs: Readonly<Record<string, string>>,
  platform: 'node' | 'browser',
): Promise<Spread[]> {
  const sizes: Spread[] = []
  for (const [name, program] of Object.entries(programs)) {
    const micros = await bundleKilobytes(program, platform)
    const ratio = micros / (sizes[0]?.micros ?? micros)
    sizes.push({ name, micros, ratio, low: ratio, high: ratio })
  }
  return sizes
}
