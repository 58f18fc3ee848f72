// The table of docs/concepts/security.md: each promise has rows in the maps of faults and of the specification, which name its tests.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8')

/** The rows that show what the page says. test/docs/maps.test.ts holds their last column against the tests that exist. */
const ROWS: Record<string, readonly string[]> = {
  'Huge, deep or endless messages': ['F012', 'F013', 'F193'],
  'DNS rebinding: a web page calls a server on your machine': ['F114', 'R01'],
  'A page of another origin': ['F115', 'R04'],
  'A token for another service': ['R14'],
  'A stolen session id': ['F119'],
  'A client that edits the state of a question': ['F099', 'F100'],
  '`../` in a resource URI': ['F199'],
  'Regular expressions that hang': ['F192'],
  'Secrets in errors': ['R35', 'R33'],
  'A server that redirects a client': ['F155', 'R12'],
  'A server that names a false authorization server': ['F174', 'F182', 'R10'],
  'An OpenAPI document that names another server': ['compose O55'],
  'Text that controls a terminal': ['F203'],
  'HTML of a server': ['apps A-17', 'apps A-22'],
}

const page = read('concepts/security.md')
const maps = `${read('project/faults.md')}\n${read('project/spec-map.md')}`
const testsOf = (id: string) =>
  maps
    .split('\n')
    .find((line) => line.startsWith(`| ${id} |`))
    ?.split(' | ')
    .at(-1)
    ?.replace(/\|$/, '')
    .trim()

describe('docs/concepts/security.md', () => {
  it('has the threats that this test knows', () => {
    const [, table = ''] = page.split('| threat | what mcpwire does |\n| --- | --- |\n')
    const threats = (table.split('\n\n')[0] as string).split('\n').map((line) => line.split(' | ')[0]?.slice(2))
    expect(threats).toEqual(Object.keys(ROWS))
  })

  it.each(Object.entries(ROWS))('%s: has tests', (_threat, ids) => {
    for (const id of ids) {
      const tests = testsOf(id)
      expect(tests, `a row for ${id}`).toBeDefined()
      expect(tests, id).toMatch(/`[\w-]+:|\w+: /)
    }
  })

  it('promises what two tests show: no eval, and no fetch for a $ref', () => {
    expect(page).toContain('--disallow-code-generation-from-strings')
    expect(testsOf('F214')).toMatch(/: /)
    expect(testsOf('F190')).toMatch(/: |`/)
  })
})
