// The public names, door by door. A change here is a change of what users can write.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const doors = readdirSync(new URL('../src/exports', import.meta.url)).map((file) => file.replace('.ts', ''))
/** Importing this one changes the process, and it exports nothing. */
const inert = doors.filter((door) => door !== 'stdio-guard')
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, { types: string; default: string } | string>
}

describe('doors', () => {
  it('are exactly those of package.json', () => {
    const paths = Object.keys(manifest.exports).filter((path) => path !== './package.json')
    expect(paths.sort()).toEqual(doors.map((door) => (door === 'index' ? '.' : `./${door}`)).sort())
  })

  it.each(inert)('%s has these names', async (door) => {
    const names = Object.keys((await import(`../src/exports/${door}.ts`)) as object).sort()
    expect(names).toMatchSnapshot()
  })

  it.each(inert)('%s, as built, has the same names as its source', async (door) => {
    const source = (await import(`../src/exports/${door}.ts`)) as object
    const built = (await import(/* @vite-ignore */ new URL(`../dist/${door}.js`, import.meta.url).href)) as object
    expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort())
  })
})
