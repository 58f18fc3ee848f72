// What an `open` that fails leaves behind, and says: in processes of their own, with fewer packages or rights than this one.
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../../src/exports/sqlite.ts'
import { bundleProgram } from '../../support/bundle.ts'
import { startNode } from '../../support/child.ts'

const OPENING = `
import { sqlite } from './src/exports/sqlite.ts'
const [file, how] = process.argv.slice(2)
if (how === 'without a library') process.getBuiltinModule = () => undefined
else {
  // Loads the library while that may be read. Root may write whatever the mode says.
  await sqlite(':memory:').open()
  if (process.getuid() === 0) process.setuid(65534)
}
const text = await sqlite(file).open().then(() => 'open', ({ kind, message }) => kind + ': ' + message)
console.log(text)
`

let folder: string
let file: string
let program: string

beforeAll(async () => {
  program = await bundleProgram('sqlite-opening', OPENING)
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
  file = join(folder, 'state.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('no file is made where no library is installed', async () => {
  // From here no package is found.
  const alone = join(folder, 'opening.mjs')
  copyFileSync(program, alone)
  const child = startNode([alone, file, 'without a library'])
  await child.ended
  expect(child.output.stdout).toMatch(/^unavailable: .*npm install libsql@0\.5/)
  expect(existsSync(file)).toBe(false)
})

test('a file that may not be written is refused, although its folder can be written', async () => {
  await migrate(file)
  for (const [path, mode] of [
    [folder, 0o777],
    [file, 0o444],
  ] as const)
    chmodSync(path, mode)
  const child = startNode([program, file, 'without rights'])
  await child.ended
  expect(child.output.stdout).toBe(
    'refused: The SQLite file cannot be written. Check the owner and the mode of the file and of its folder.\n',
  )
})
