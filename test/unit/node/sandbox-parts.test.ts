// What the sandbox of scripts takes from the runtime and from its two packages.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { codeMode } from '../../../src/exports/transforms.ts'

/** What stands in the place of parts of `node:module`. */
const fake = vi.hoisted(() => ({
  stripTypeScriptTypes: undefined as ((code: string) => string) | undefined,
  missing: undefined as string | undefined,
}))

vi.mock('node:module', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:module')>()
  return {
    ...real,
    get stripTypeScriptTypes() {
      return fake.stripTypeScriptTypes
    },
    createRequire: (path: string) => {
      const require = real.createRequire(path)
      return Object.assign((name: string) => require(name), require, {
        resolve: (name: string) => {
          if (name === fake.missing) throw new Error(`Cannot find module '${name}'`)
          return require.resolve(name)
        },
      })
    },
  }
})

afterEach(() => {
  fake.stripTypeScriptTypes = undefined
  fake.missing = undefined
})

async function run(code: string) {
  const faults: Fault[] = []
  const server = new MCPServer('main', { onFault: (fault) => faults.push(fault) })
  server.tool(
    'add',
    { input: { type: 'object', properties: { a: { type: 'number' } } } as const },
    ({ a = 0 }) => a + 1,
  )
  server.transform(codeMode())
  const outcome = await server.callTool('run_code', { code }).then(
    ({ content }) => (content[0] as { text: string }).text,
    (error: Error) => error,
  )
  return { outcome, faults }
}

describe('scripts in TypeScript', () => {
  it('compose T11 types are taken away where the runtime can, and the script is what is between', async () => {
    const seen: string[] = []
    fake.stripTypeScriptTypes = (code) => {
      seen.push(code)
      return code.replace(': number', '        ')
    }
    const { outcome } = await run('const a: number = 1\nreturn [a, await tools.add({ a })]')
    expect(outcome).toBe('[1,{"result":2}]')
    expect(seen).toEqual(['async () => {\nconst a: number = 1\nreturn [a, await tools.add({ a })]\n}'])
  })

  it('compose T11 lines keep their numbers, and a script that cannot be read says so itself', async () => {
    fake.stripTypeScriptTypes = (code) => code
    expect((await run('const a = 1\nthrow new Error("here")')).outcome).toBe('Error: here (line 2)')
    fake.stripTypeScriptTypes = () => {
      throw new SyntaxError('of the stripper')
    }
    expect((await run('return 1')).outcome).toBe('1')
    expect((await run('const a = ;')).outcome).toMatch(/^SyntaxError: .*\(line 1\)/)
  })

  it('compose T11 elsewhere scripts are JavaScript', async () => {
    expect((await run('const a: number = 1')).outcome).toMatch(/^SyntaxError: .*\(line 1\)/)
    expect((await run('return 1')).outcome).toBe('1')
  })
})

describe('a package that is missing', () => {
  it.each(['quickjs-emscripten-core', '@jitl/quickjs-ng-wasmfile-release-sync'])(
    'compose T11 %s: the error of the author names the command',
    async (name) => {
      fake.missing = name
      const { outcome, faults } = await run('return 1')
      const command = 'npm install quickjs-emscripten-core@0.32 @jitl/quickjs-ng-wasmfile-release-sync@0.32'
      const said = [String(outcome), ...faults.flatMap(({ message, error }) => [message, String(error)])].join('\n')
      expect(said).toContain(`codeMode() needs the packages`)
      expect(said).toContain(command)
    },
  )
})
