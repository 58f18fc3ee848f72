import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
// @ts-expect-error the script is plain JavaScript, so that it runs before anything is installed
import { findProblems } from '../../../scripts/check-rooms.js'

const folders: string[] = []

function check(files: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-rooms-'))
  folders.push(folder)
  for (const [name, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), source)
  }
  return findProblems(folder).problems
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

describe('the room check', () => {
  it('lets a room use those below it, itself, and #platform', () => {
    const files = {
      'types/a.ts': '',
      'dispatcher/b.ts': "import { a } from '../types/a.ts'\nimport { c } from './c.ts'\nimport { p } from '#platform'",
      'dispatcher/c.ts': '',
      'exports/door.ts': "export { b } from '../dispatcher/b.ts'",
      'node/n.ts': "import { x } from 'node:net'",
    }
    expect(check(files)).toEqual([])
  })

  it.each<[string, Record<string, string>, string]>([
    ['upward', { 'types/a.ts': "import { b } from '../wire/b.ts'", 'wire/b.ts': '' }, "may not use room 'wire'"],
    ['sideways', { 'wire/a.ts': "import type { b } from '../dispatcher/b.ts'", 'dispatcher/b.ts': '' }, "'dispatcher'"],
    ['a door', { 'wire/a.ts': "export * from '../exports/b.ts'", 'exports/b.ts': '' }, 'doors open outward'],
    ['a package', { 'types/a.ts': "import { z } from 'zod'" }, "the package 'zod'"],
    ['Node', { 'types/a.ts': "const fs = await import('node:fs')" }, "the package 'node:fs'"],
    ['a side effect', { 'types/a.ts': "import '../wire/b.ts'", 'wire/b.ts': '' }, "may not use room 'wire'"],
    ['an unknown room', { 'attic/a.ts': '' }, "no room 'attic'"],
    ['nothing at all', {}, 'looked at nothing'],
  ])('refuses %s', (_name, files, problem) => {
    expect(check(files).join('\n')).toContain(problem)
  })

  it('refuses cycles of values, and allows those of types', () => {
    const cycle = {
      'types/a.ts': "import { b } from './b.ts'",
      'types/b.ts': "import {\n  c,\n  type D,\n} from './c.ts'",
      'types/c.ts': "export { a } from './a.ts'",
    }
    expect(check(cycle)).toEqual(['cycle: types/a.ts → types/b.ts → types/c.ts → types/a.ts'])
    const types = { 'types/a.ts': "import { type B } from './b.ts'", 'types/b.ts': "import type { A } from './a.ts'" }
    expect(check(types)).toEqual([])
  })
})
