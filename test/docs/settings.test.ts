// The settings on the page about installing compile the programs of all pages.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const folder = new URL('build/settings/', root)

/** Programs for packages that are not installed here or bring no types, and for the globals of other runtimes. */
const APART = ['mount-express.ts', 'run/bun.ts', 'run/collector.ts', 'run/deno.ts']

it('the settings of start/install.md are enough for the programs of the guides', () => {
  mkdirSync(folder, { recursive: true })
  const examples = '../../docs/examples'
  const settings = {
    extends: `${examples}/start/tsconfig.json`,
    compilerOptions: { noEmit: true },
    include: [`${examples}/**/*.ts`],
    exclude: APART.map((file) => `${examples}/${file}`),
  }
  writeFileSync(new URL('tsconfig.json', folder), JSON.stringify(settings))
  const compiler = fileURLToPath(new URL('node_modules/.bin/tsc', root))
  let printed = ''
  try {
    execFileSync(compiler, ['-p', fileURLToPath(folder), '--pretty', 'false'], { encoding: 'utf8' })
  } catch (error) {
    printed = (error as { stdout: string }).stdout
  }
  expect(printed.split('\n').slice(0, 5).join('\n')).toBe('')
}, 60_000)
