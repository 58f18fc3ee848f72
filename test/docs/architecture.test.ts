// docs/project/architecture.md names files and modules. Each of them exists, and no module is missing.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(`${root}docs/project/architecture.md`, 'utf8')
const modules = readdirSync(`${root}src`).filter((name) => !name.includes('.'))

/** Every file that the page names: by its whole path, or from a module on; `x/a.ts, b.ts` names a neighbour. */
function namedFiles(): string[] {
  const isTop = /^(?:src|cli|packages|scripts|test|docs|bench)\//
  return page.split('\n').flatMap((line) => {
    const found: string[] = []
    for (const [name] of line.matchAll(/(?<![\w/<>.-])[\w-]+(?:\/[\w.-]+)*\.(?:ts|js|md)\b/g)) {
      const previous = found.at(-1)
      const first = name.split('/')[0] ?? ''
      if (isTop.test(name)) found.push(name)
      else if (modules.includes(first)) found.push(`src/${name}`)
      else if (previous !== undefined) found.push(`${previous.slice(0, previous.lastIndexOf('/'))}/${name}`)
      else found.push(name)
    }
    return found
  })
}

describe('the page on architecture', () => {
  it('names files that exist', () => {
    const files = namedFiles()
    expect(files.length).toBeGreaterThan(40)
    expect(files.filter((file) => !existsSync(root + file))).toEqual([])
  })

  it('has a row for each module', () => {
    const rows = [...page.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name)
    expect(rows.sort()).toEqual([...modules].sort())
  })
})
