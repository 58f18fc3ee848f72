// The engine in processes that allow less, or that someone has tampered with.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))

const PROGRAM = `
import { compileJsonSchema } from './packages/json-schema/src/index.ts'

const { check, validate } = compileJsonSchema({
  properties: { id: { pattern: '^[a-z]+(-[a-z]+)*$' }, tags: { items: { enum: ['a', 'b'] }, uniqueItems: true } },
  required: ['id'],
  unevaluatedProperties: false,
}, { formats: 'assert' })
console.log(JSON.stringify([check({ id: 'a-b', tags: ['a'] }), validate({ tags: ['c', 'c'], x: 1 })]))
`

const EXPECTED = [
  true,
  [
    { message: 'tags[0]: expected one of "a", "b", got string' },
    { message: 'tags[1]: expected one of "a", "b", got string' },
    { message: 'tags: expected items that are all different, got the same one twice' },
    { message: 'missing required property "id"' },
  ],
]

const TAMPERING = `
Array.prototype.surprise = 'enumerable'
Object.prototype.surprise = 'enumerable'
globalThis.fetch = () => { throw new Error('fetched') }
globalThis.Promise = class {}
`

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpwire-schema-'))
  await build({
    stdin: { contents: PROGRAM, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    outfile: join(folder, 'program.mjs'),
    logLevel: 'warning',
  })
  await writeFile(join(folder, 'tamper.mjs'), TAMPERING)
})

afterAll(() => rm(folder, { recursive: true }))

it.each([
  ['code from strings is disallowed', '--disallow-code-generation-from-strings'],
  ['intrinsics are frozen', '--frozen-intrinsics'],
  ['prototypes and globals were changed', '--import=./tamper.mjs'],
])('F214 works where %s', async (_, flag) => {
  const { stdout } = await run(process.execPath, [flag, 'program.mjs'], { cwd: folder })
  expect(JSON.parse(stdout)).toMatchObject(EXPECTED)
})
