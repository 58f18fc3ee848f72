// The public names, entry point by entry point. A change here is a change of what users can write.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readExportedNames } from './support/exported-names.ts'

const entryPoints = readdirSync(new URL('../src/exports', import.meta.url), { encoding: 'utf8', recursive: true })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace('.ts', ''))
/** Importing this one changes the process, and it exports nothing. */
const inert = entryPoints.filter((entryPoint) => entryPoint !== 'stdio-guard')
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, Record<string, string> | string>
  imports: Record<string, Record<string, string>>
}
/** The entry points as built. */
const built = inert.flatMap((entryPoint) => {
  const entry = manifest.exports[entryPoint === 'index' ? '.' : `./${entryPoint}`] as Record<string, string>
  return Object.entries(entry).flatMap(([condition, path]) =>
    condition === 'types' ? [] : [[entryPoint, path] as const],
  )
})

function sourceOf(entryPoint: string): string {
  return new URL(`../src/exports/${entryPoint}.ts`, import.meta.url).href
}

describe('entry points', () => {
  it('are exactly those of package.json', () => {
    const paths = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'))
    expect(paths.sort()).toEqual(
      entryPoints.map((entryPoint) => (entryPoint === 'index' ? '.' : `./${entryPoint}`)).sort(),
    )
  })

  it.each(inert)('%s has these names', async (entryPoint) => {
    const names = Object.keys((await import(sourceOf(entryPoint))) as object).sort()
    expect(names).toMatchSnapshot()
  })

  it.each(inert)('%s has these types: one that vanishes is found here', async (entryPoint) => {
    const { values, types } = readExportedNames(new URL(sourceOf(entryPoint)))
    expect(types).toMatchSnapshot()
    // What is read from the text is right about the values, which the module tells too.
    expect(values).toEqual(Object.keys((await import(sourceOf(entryPoint))) as object).sort())
  })

  it.each(built)('%s, as built into %s, has the same names as its source', async (entryPoint, path) => {
    const source = (await import(sourceOf(entryPoint))) as object
    const names = Object.keys((await import(/* @vite-ignore */ new URL(`../${path}`, import.meta.url).href)) as object)
    expect(names.sort()).toEqual(Object.keys(source).sort())
  })

  it('are the same files for every runtime: what differs is behind #mcpwire/platform', () => {
    const files = built.map(([, path]) => path)
    expect(files).toEqual(inert.map((entryPoint) => `./dist/lib/${entryPoint}.js`))
    expect(manifest.imports).toEqual({
      '#mcpwire/platform': { node: './dist/lib/platform/node.js', default: './dist/lib/platform/web.js' },
    })
  })
})
