import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
// @ts-expect-error the script is plain JavaScript, so that it runs before anything is installed
import { findProblems, findUnusedPermissions } from '../../../scripts/check-modules.js'

const folders: string[] = []

function look(files: Record<string, string>): { problems: string[]; used: Set<string> } {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-modules-'))
  folders.push(folder)
  mkdirSync(join(folder, 'src'))
  for (const [name, source] of Object.entries(files)) {
    const path = join(folder, /^(?:cli|packages)\//.test(name) ? name : `src/${name}`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, source)
  }
  return findProblems(folder)
}

const check = (files: Record<string, string>) => look(files).problems

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

describe('the module check', () => {
  it('lets a module import those below it, itself, and #platform', () => {
    const files = {
      'types/a.ts': '',
      'dispatcher/b.ts': "import { a } from '../types/a.ts'\nimport { c } from './c.ts'\nimport { p } from '#platform'",
      'dispatcher/c.ts': '',
      'exports/entry.ts': "export { b } from '../dispatcher/b.ts'",
      'node/n.ts': "import { x } from 'node:net'",
    }
    expect(check(files)).toEqual([])
  })

  it.each<[string, Record<string, string>, string]>([
    ['upward', { 'types/a.ts': "import { b } from '../wire/b.ts'", 'wire/b.ts': '' }, 'may not import src/wire'],
    ['sideways', { 'wire/a.ts': "import type { b } from '../dispatcher/b.ts'", 'dispatcher/b.ts': '' }, 'dispatcher'],
    ['an entry point', { 'wire/a.ts': "export * from '../exports/b.ts'", 'exports/b.ts': '' }, 'the entry point'],
    ['a package', { 'types/a.ts': "import { z } from 'zod'" }, "the package 'zod'"],
    ['Node', { 'types/a.ts': "const fs = await import('node:fs')" }, "the package 'node:fs'"],
    ['a side effect', { 'types/a.ts': "import '../wire/b.ts'", 'wire/b.ts': '' }, 'may not import src/wire'],
    ['an unknown module', { 'attic/a.ts': '' }, 'src/attic/a.ts belongs to no module'],
    ['an unknown folder', { 'wire/attic/a.ts': "import '../b.ts'", 'wire/b.ts': '' }, "'attic' is not in the order"],
    ['nothing at all', {}, 'looked at nothing'],
    ['a long file', { 'types/a.ts': '\n'.repeat(500) }, 'has 500 lines'],
  ])('rejects %s', (_name, files, problem) => {
    expect(check(files).join('\n')).toContain(problem)
  })

  it('rejects a folder with too many files', () => {
    const files = Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`types/${i}.ts`, '']))
    expect(check(files)).toEqual(['src/types has 26 files; 25 is the limit.'])
  })

  it('holds the order of the folders inside a module, for values', () => {
    const lower = { 'wire/shapes/a.ts': "import { b } from '../b.ts'", 'wire/b.ts': '' }
    expect(check(lower)).toEqual([
      "src/wire/shapes/a.ts: inside src/wire, 'shapes' is below '.' and may not import src/wire/b.ts.",
    ])
    const upper = { 'wire/shapes/a.ts': '', 'wire/b.ts': "import { a } from './shapes/a.ts'" }
    expect(check(upper)).toEqual([])
    const types = { 'wire/shapes/a.ts': "import type { B } from '../b.ts'", 'wire/b.ts': '' }
    expect(check(types)).toEqual([])
  })

  it('rejects cycles of values, and allows those of types', () => {
    const cycle = {
      'types/a.ts': "import { b } from './b.ts'",
      'types/b.ts': "import {\n  c,\n  type D,\n} from './c.ts'",
      'types/c.ts': "export { a } from './a.ts'",
    }
    expect(check(cycle)).toEqual([
      'Cycle of value imports: src/types/a.ts → src/types/b.ts → src/types/c.ts → src/types/a.ts.',
    ])
    const types = { 'types/a.ts': "import { type B } from './b.ts'", 'types/b.ts': "import type { A } from './a.ts'" }
    expect(check(types)).toEqual([])
  })

  it('lets the command line import the package by its public names only', () => {
    expect(check({ 'cli/a.ts': "import { Client } from 'mcpwire'\nimport { stdio } from 'mcpwire/node'" })).toEqual([])
    const inside = { 'cli/a.ts': "import type { b } from '../src/types/b.ts'", 'types/b.ts': '' }
    expect(check(inside)).toEqual(['cli/a.ts: cli may not import src/types (src/types/b.ts).'])
  })

  it('lets only src/schema import the JSON Schema engine, by the files of its top folder, and the engine nothing', () => {
    const engine = { 'packages/json-schema/src/index.ts': '', 'packages/json-schema/src/engine/a.ts': '' }
    const importing = (name: string, file: string) => ({
      ...engine,
      [name]: `import { a } from '../../packages/json-schema/src/${file}'`,
    })
    expect(check(importing('schema/a.ts', 'index.ts'))).toEqual([])
    expect(check(importing('schema/a.ts', 'engine/a.ts')).join()).toContain(
      'is imported by the files of its top folder only',
    )
    expect(check(importing('server/a.ts', 'index.ts')).join()).toContain('may not import packages/json-schema/src')
    const outward = { 'packages/json-schema/src/a.ts': "import { b } from '../../../src/types/b.ts'", 'types/b.ts': '' }
    expect(check(outward).join()).toContain('packages/json-schema/src may not import src/types')
  })

  it('names the permissions that nobody uses', () => {
    const { used } = look({ 'wire/a.ts': "import { b } from '../types/b.ts'", 'types/b.ts': '' })
    const unused = findUnusedPermissions(used)
    expect(unused).toContain('No file of src/wire imports src/primitives: remove the permission.')
    expect(unused).not.toContain('No file of src/wire imports src/types: remove the permission.')
  })
})
