// The engine stands alone: a copy of its folder, with nothing beside it, compiles, bundles and runs the example of its README.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const here = fileURLToPath(new URL('..', import.meta.url))
const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
const run = promisify(execFile)

let folder = ''
let home = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpwire-json-schema-'))
  home = join(folder, 'node_modules', '@mcpwire', 'json-schema')
  await mkdir(home, { recursive: true })
  await cp(join(here, 'src'), join(home, 'src'), { recursive: true })
  await cp(join(here, 'package.json'), join(home, 'package.json'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the JSON Schema engine without the rest of the repository', () => {
  it('compiles with no types but those of the language and of URLs', async () => {
    const options = {
      target: 'ES2023',
      lib: ['ES2023', 'WebWorker'],
      types: [],
      module: 'NodeNext',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    }
    // Outside of node_modules, where the compiler looks for errors.
    await cp(join(home, 'src'), join(folder, 'src'), { recursive: true })
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    const { stdout } = await run(process.execPath, [compiler, '-p', folder])
    expect(stdout).toBe('')
  })

  it('imports nothing from outside its own folder', async () => {
    const files = await readdir(join(here, 'src'), { recursive: true })
    const sources = files.filter((file) => file.endsWith('.ts'))
    expect(sources.length).toBeGreaterThan(20)
    for (const file of sources) {
      const depth = file.split(/[\\/]/).length - 1
      const text = await readFile(join(here, 'src', file), 'utf8')
      const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => specifier)
      const outside = specifiers.filter((one) => !one.startsWith('.') || one.split('../').length - 1 > depth)
      expect(outside, file).toEqual([])
    }
  })

  it('bundles without warnings and runs the example of its README', async () => {
    const readme = await readFile(join(here, 'README.md'), 'utf8')
    const [, program = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
    const [, printed = ''] = /```text\n(.*?)```/s.exec(readme) ?? []
    expect(program).toContain("from '@mcpwire/json-schema'")
    await writeFile(join(folder, 'example.ts'), program)
    const outfile = join(folder, 'example.mjs')
    const entryPoints = [join(folder, 'example.ts')]
    const { warnings } = await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'neutral' })
    expect(warnings).toEqual([])
    const { stdout } = await run(process.execPath, [outfile])
    expect(stdout).toBe(printed)
  })
})
