// The public names, door by door. A change here is a change of what users can write.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readExportedNames } from './support/exported-names.ts'

const doors = readdirSync(new URL('../src/exports', import.meta.url)).map((file) => file.replace('.ts', ''))
/** Importing this one changes the process, and it exports nothing. */
const inert = doors.filter((door) => door !== 'stdio-guard')
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, Record<string, string> | string>
}
/** What a door may be as built: for Node, and for everywhere else. */
const built = inert.flatMap((door) => {
  const entry = manifest.exports[door === 'index' ? '.' : `./${door}`] as Record<string, string>
  return Object.entries(entry).flatMap(([condition, path]) => (condition === 'types' ? [] : [[door, path] as const]))
})

describe('doors', () => {
  it('are exactly those of package.json', () => {
    const paths = Object.keys(manifest.exports).filter((path) => path !== './package.json')
    expect(paths.sort()).toEqual(doors.map((door) => (door === 'index' ? '.' : `./${door}`)).sort())
  })

  it.each(inert)('%s has these names', async (door) => {
    const names = Object.keys((await import(`../src/exports/${door}.ts`)) as object).sort()
    expect(names).toMatchSnapshot()
  })

  it.each(inert)('%s has these types: one that vanishes is found here', async (door) => {
    const { values, types } = readExportedNames(new URL(`../src/exports/${door}.ts`, import.meta.url))
    expect(types).toMatchSnapshot()
    // What is read from the text is right about the values, which the module tells too.
    expect(values).toEqual(Object.keys((await import(`../src/exports/${door}.ts`)) as object).sort())
  })

  it.each(built)('%s, as built into %s, has the same names as its source', async (door, path) => {
    const source = (await import(`../src/exports/${door}.ts`)) as object
    const names = Object.keys((await import(/* @vite-ignore */ new URL(`../${path}`, import.meta.url).href)) as object)
    expect(names.sort()).toEqual(Object.keys(source).sort())
  })

  it('are built for Node and for everywhere else, but for those that are of Node', () => {
    expect(built.filter(([, path]) => path.startsWith('./dist/node/')).map(([door]) => door)).toEqual(inert)
    const elsewhere = built.filter(([, path]) => path.startsWith('./dist/web/')).map(([door]) => door)
    expect(elsewhere).toEqual(inert.filter((door) => door !== 'node'))
  })
})
