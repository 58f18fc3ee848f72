// The library is one set of files for every runtime. Whatever differs is behind #mcpwire/platform.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const library = new URL('../../dist/lib/', import.meta.url)
const files = readdirSync(library, { encoding: 'utf8', recursive: true })
  .filter((file) => file.endsWith('.js'))
  .map((file) => new URL(file.replaceAll('\\', '/'), library).href)
const STATIC_IMPORT = /^(?:import|export)(?: [^;"]*?from)? "([^"]+)"/gm

/** What each file imports at once, where `#platform` is that of the side. */
function importsOn(side: string): Map<string, string[]> {
  const resolve = (specifier: string, from: string) =>
    specifier === '#mcpwire/platform' ? new URL(`platform/${side}.js`, library).href : new URL(specifier, from).href
  return new Map(
    files.map((file) => [
      file,
      [...readFileSync(new URL(file), 'utf8').matchAll(STATIC_IMPORT)]
        .map(([, specifier]) => specifier as string)
        .filter((specifier) => /^[.#]/.test(specifier))
        .map((specifier) => resolve(specifier, file)),
    ]),
  )
}

/** The first circle of imports, as the files on it. */
function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    done.add(file)
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file])
      if (circle.length > 0) return circle
    }
    return []
  }
  for (const file of imports.keys()) {
    const circle = visit(file, [])
    if (circle.length > 0) return circle
  }
  return []
}

describe('the files of the library', () => {
  it.each(['node', 'web'])('import each other one way only, with the platform of %s', (side) => {
    const imports = importsOn(side)
    expect([...imports.values()].flat().filter((file) => file.endsWith(`platform/${side}.js`)).length).toBeGreaterThan(
      1,
    )
    expect(findCircle(imports)).toEqual([])
  })

  it('are each there once', () => {
    const texts = files.map((file) => readFileSync(new URL(file), 'utf8'))
    expect(new Set(texts).size).toBe(files.length)
    const classes = texts.flatMap((text) => text.match(/^var \w+ = class[\s\S]*?^\};$/gm) ?? [])
    expect(classes.length).toBeGreaterThan(200)
    expect(classes.filter((text, index) => classes.indexOf(text) !== index)).toEqual([])
  })
})
