// Which loader takes a file.
import { describe, expect, it } from 'vitest'
import { decideLoader, type Runtime } from '../../typescript/loader.ts'
import { formatOf } from '../../typescript/module-format.ts'

function runtime(changes: Partial<Runtime> = {}): Runtime {
  return { stripping: undefined, options: [], find: () => undefined, isModule: () => true, ...changes }
}

const hasTsx = { find: (specifier: string) => (specifier === 'tsx' ? 'file:///tsx/loader.mjs' : undefined) }

describe('decideLoader', () => {
  it.each(['server.js', 'server.mjs', 'server.cjs'])('leaves %s to Node', (path) => {
    expect(decideLoader(path, runtime(hasTsx))).toBe('none')
  })

  it.each(['server.ts', 'server.mts', 'server.cts'])(
    'takes Node, then tsx, then the built-in loader for %s',
    (path) => {
      expect(decideLoader(path, runtime({ stripping: 'strip', ...hasTsx }))).toBe('node')
      expect(decideLoader(path, runtime({ stripping: false, ...hasTsx }))).toBe('tsx')
      expect(decideLoader(path, runtime(hasTsx))).toBe('tsx')
      expect(decideLoader(path, runtime())).toBe('built-in')
    },
  )

  it('takes the built-in loader before tsx in a package that does not say that it has ES modules', () => {
    expect(decideLoader('server.ts', runtime({ ...hasTsx, isModule: () => false }))).toBe('built-in')
  })

  it.each([
    [['--import', 'tsx']],
    [['--import=tsx/esm']],
    [['--loader', 'ts-node/esm']],
    [['-r', '@swc-node/register']],
    [['--import=file:///x/node_modules/tsx/dist/loader.mjs']],
  ])('leaves the file to the loader of %j', (options) => {
    expect(decideLoader('server.ts', runtime({ options, stripping: 'strip' }))).toBe('given')
  })

  it.each([[['--import', './telemetry.js']], [['--inspect-brk']], [['--require', './tsx-like.js']]])(
    'is not kept from its work by %j',
    (options) => {
      expect(decideLoader('server.ts', runtime({ options }))).toBe('built-in')
    },
  )
})

describe('formatOf', () => {
  it.each([
    ["import { a } from 'a'\n", 'module'],
    ['  export const a = 1\n', 'module'],
    ["import 'a'\n", 'module'],
    ["export * from 'a'\n", 'module'],
    ['const { a } = await import("a")\n', 'module'],
    ['console.log(import.meta.url)\n', 'module'],
    ["import a = require('a')\nexport = a\n", 'commonjs'],
    ["const a = require('a')\n", 'commonjs'],
    ["// import a from 'a'\nmodule.exports = 1\n", 'commonjs'],
    ['const text = `\nimport a from "a"\n`\nmodule.exports = text\n', 'commonjs'],
    ["import('a').then(console.log)\n", 'module'],
    ['const price = 12\n', 'module'],
    ['exports.price = 12\n', 'commonjs'],
  ])('%j is %s in a package that says nothing', (text, format) => {
    expect(formatOf('/nowhere/server.ts', text)).toBe(format)
    expect(formatOf('/nowhere/server.mts', text)).toBe('module')
    expect(formatOf('/nowhere/server.cts', text)).toBe('commonjs')
  })
})
