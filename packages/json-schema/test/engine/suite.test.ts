// The official JSON Schema Test Suite: every required case of both dialects.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CompileOptions, compileJsonSchema } from '../../src/compile.ts'
import type { DialectName, JSONSchema } from '../../src/engine/json-schema.ts'

interface Group {
  description: string
  schema: JSONSchema
  tests: { description: string; data: unknown; valid: boolean }[]
}

const REMOTES_BASE = 'http://localhost:1234/'

const require = createRequire(import.meta.url)
const bundled = join(dirname(require.resolve('alterschema/package.json')), 'vendor/json-schema-test-suite')
const newest = process.env['JSON_SCHEMA_SUITE_DIR']

const SUITES = [
  { name: 'from npm', folder: bundled, required: { 'draft2020-12': 1146, draft7: 850 } },
  ...(newest === undefined
    ? []
    : [{ name: 'JSON_SCHEMA_SUITE_DIR', folder: newest, required: { 'draft2020-12': 1299, draft7: 927 } }]),
]

const DRAFTS: readonly ['draft2020-12' | 'draft7', DialectName][] = [
  ['draft2020-12', '2020-12'],
  ['draft7', 'draft-07'],
]

// Names in Punycode need the tables of IDNA, which are larger than this whole package and change with Unicode.
const NEEDS_IDNA = 'validation of A-label (punycode) host names'

const ASSERTED_FORMATS = ['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6'].concat(
  'uri',
  'uri-reference',
  'uuid',
  'regex',
  'json-pointer',
)

function readJson<Value>(path: string): Value {
  return JSON.parse(readFileSync(path, 'utf8')) as Value
}

function jsonFilesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.json'))
}

function readRemotes(folder: string): Record<string, JSONSchema> {
  const documents: Record<string, JSONSchema> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (!name.endsWith('.json') || !statSync(path).isFile()) continue
    documents[REMOTES_BASE + relative(folder, path).replaceAll('\\', '/')] = readJson(path)
  }
  return documents
}

/** The cases whose outcome differs from what the suite says. */
function findDeviations(groups: readonly Group[], options: CompileOptions): string[] {
  return groups.flatMap(({ description, schema, tests }) => {
    const validator = compileJsonSchema(schema, options)
    return tests
      .filter(({ data, valid }) => validator.check(data) !== valid || (validator.validate(data).length === 0) !== valid)
      .map((test) => `${description}: ${test.description}`)
  })
}

describe.each(SUITES)('the test suite $name', ({ folder, required }) => {
  const documents = readRemotes(join(folder, 'remotes'))

  describe.each(DRAFTS)('%s', (draft, dialect) => {
    const tests = join(folder, 'tests', draft)
    const files = jsonFilesIn(tests)

    it.each(files)('%s', (file) => {
      const groups = readJson<Group[]>(join(tests, file))
      expect(findDeviations(groups, { dialect, documents })).toEqual([])
    })

    it('has at least as many cases as were known', () => {
      const cases = files.flatMap((file) => readJson<Group[]>(join(tests, file))).flatMap((group) => group.tests)
      expect(cases.length).toBeGreaterThanOrEqual(required[draft])
    })

    const formats = ASSERTED_FORMATS.filter((format) => existsSync(join(tests, 'optional/format', `${format}.json`)))

    it.each(formats)('format %s, where formats are asserted', (format) => {
      const groups = readJson<Group[]>(join(tests, 'optional/format', `${format}.json`))
      const relevant = groups.filter(({ description }) => description !== NEEDS_IDNA)
      expect(findDeviations(relevant, { dialect, documents, formats: 'assert' })).toEqual([])
    })
  })
})
