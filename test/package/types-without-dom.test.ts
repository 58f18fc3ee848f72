// The declarations for a program of Node, which has the types of Node and not those of browsers, and checks its libraries too.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, unknown> }
const entryPoints = Object.keys(exports).filter((path) => !path.endsWith('.json'))
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpwire-types-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'mcpwire'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the compiler says of a program. */
function compile(program: string): string {
  writeFileSync(join(folder, 'program.ts'), program)
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
    })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

describe('the shipped declarations, without the types of browsers', () => {
  it('every entry point compiles with the types of Node alone, and with skipLibCheck off', () => {
    expect(entryPoints.length).toBeGreaterThan(15)
    const lines = entryPoints.map((path, index) => `export * as entry${index} from 'mcpwire${path.slice(1)}'`)
    expect(compile(lines.join('\n'))).toBe('')
  })

  it('a key of Web Crypto is a private key for privateKeyJwt() there too, and a number is not', () => {
    const program = (key: string) => `
      import { privateKeyJwt } from 'mcpwire/auth'
      const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
      export const auth = privateKeyJwt({ key: ${key} })`
    expect(compile(program('pair.privateKey'))).toBe('')
    expect(compile(program('5'))).toContain("Type 'number' is not assignable")
  })
})
