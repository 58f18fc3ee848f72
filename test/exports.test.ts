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
}
/** What an entry point may be as built: for Node, and for everywhere else. */
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

  it('are built for Node and for everywhere else, but for those that are of Node', () => {
    expect(built.filter(([, path]) => path.startsWith('./dist/node/')).map(([entryPoint]) => entryPoint)).toEqual(inert)
    const elsewhere = built.filter(([, path]) => path.startsWith('./dist/web/')).map(([entryPoint]) => entryPoint)
    expect(elsewhere).toEqual(
      inert.filter((entryPoint) => !['auth/dev', 'nats', 'node', 'postgres', 'redis', 'sqlite'].includes(entryPoint)),
    )
  })
})
