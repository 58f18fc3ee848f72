// The rules that keep whole kinds of faults out of the sources are in force.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

it('R52 a promise in the sources that nobody awaits or handles fails `npm run check`', () => {
  const { rules, overrides } = JSON.parse(read('.oxlintrc.json')) as {
    rules: Record<string, string>
    overrides: { files: string[] }[]
  }
  expect(rules).toMatchObject({
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
  })
  expect(
    overrides.flatMap(({ files }) => files).filter((files) => !/^(?:cli\/|packages\/\*\/)?test\//.test(files)),
  ).toEqual([])
  expect(read('scripts/check.js')).toMatch(/'oxlint', \[\s*'--type-aware'[^\]]*'--deny-warnings',\s*'src'/)
})
