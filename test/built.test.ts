// What is shipped can be read: Node prints a line of it above every uncaught error, and the names of its classes with every object.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = new URL('../', import.meta.url)
const dist = new URL('dist/', root)
const MAX_LINE_LENGTH = 500

const files = readdirSync(dist, { recursive: true }) as string[]
const scripts = files.filter((file) => file.endsWith('.js'))
const read = (file: string) => readFileSync(new URL(file, dist), 'utf8')
const entryPoints = scripts.filter((file) => /^lib\/[\w-]+\.js$/.test(file) && !file.endsWith('stdio-guard.js'))

describe('the built package', () => {
  it('has been built', () => {
    expect(entryPoints.length).toBeGreaterThan(10)
  })

  it(`keeps its line breaks: no line is longer than ${MAX_LINE_LENGTH} characters`, () => {
    // Node never loads the page of the inspector.
    const loaded = scripts.filter((file) => !file.startsWith('inspector/'))
    const long = loaded.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, index) => (line.length > MAX_LINE_LENGTH ? [`${file}:${index + 1} has ${line.length}`] : [])),
    )
    expect(long).toEqual([])
  })

  it('ships no source maps', () => {
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([])
    expect(scripts.filter((file) => /^\/\/# sourceMappingURL=/m.test(read(file)))).toEqual([])
  })

  it.each(entryPoints)('%s exports every class and function under its own name', async (file) => {
    const exports = (await import(/* @vite-ignore */ new URL(file, dist).href)) as Record<string, unknown>
    const renamed = Object.entries(exports)
      .filter(([name, value]) => typeof value === 'function' && value.name !== name)
      // An older name for something that has its own beside it.
      .filter(([, value]) => exports[(value as () => void).name] !== value)
      .map(([name, value]) => `${name} is called ${JSON.stringify((value as () => void).name)}`)
    expect(renamed).toEqual([])
  })

  it('has no class that the bundler renamed because its body mentions its own name', () => {
    const ours = scripts.filter((file) => !file.startsWith('cli/'))
    const renamed = ours.flatMap((file) => read(file).match(/\bclass _\w+/g) ?? [])
    expect(renamed).toEqual([])
  })

  it('prints errors and objects with the names that users import', () => {
    const program = `
      import { Client, MCPError, MCPServer, ToolError } from 'mcpwire'
      console.log([new MCPError(1, 'x'), MCPError.from({ code: -32601, message: 'y' }), new ToolError('z')].map(String))
      console.log(MCPError, Client, new Client(new MCPServer('s')).constructor)
      console.log(new MCPError(1, 'x'))
    `
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: fileURLToPath(root),
      encoding: 'utf8',
    })
    expect(printed).toContain('[class MCPError extends Error] [class Client] [class Client]')
    expect(printed).toMatch(/^MCPError: x$/m)
    expect(printed).not.toContain('_MCPError')
  })

  it('has declarations that a program of es2020 can check, with skipLibCheck off', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-es2020-'))
    const exported = files.filter((file) => file.startsWith('types/src/exports/') && file.endsWith('.d.ts'))
    const config = {
      compilerOptions: {
        target: 'es2020',
        module: 'nodenext',
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: ['node'],
        typeRoots: [fileURLToPath(new URL('node_modules/@types', root))],
      },
      files: exported.map((file) => fileURLToPath(new URL(file, dist))),
    }
    try {
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
      const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root))
      const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], {
        cwd: fileURLToPath(root),
        encoding: 'utf8',
      })
      const ours = stdout.split('\n').filter((line) => line.includes('error') && !line.includes('node_modules'))
      expect(exported.length).toBeGreaterThan(5)
      expect(ours).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('shows a readable line above an uncaught error', () => {
    const program = "import { MCPServer } from 'mcpwire'; new MCPServer(5)"
    const run = () =>
      execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: fileURLToPath(root),
        stdio: 'pipe',
      })
    expect(run).toThrow()
    try {
      run()
    } catch (error) {
      const { stderr } = error as { stderr: Buffer }
      expect(
        Math.max(
          ...stderr
            .toString()
            .split('\n')
            .map((line) => line.length),
        ),
      ).toBeLessThan(MAX_LINE_LENGTH)
    }
  })
})
