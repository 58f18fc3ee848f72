// Holds the types that people write against every published schema and example, with the compiler as the judge.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Definitions, Example, Place } from './types-from-schema.ts'
import { definitionsModule, placesOf, readDefinitions, readExamples } from './types-from-schema.ts'

const folder = process.env.MCP_SCHEMA_DIR
const root = fileURLToPath(new URL('../..', import.meta.url))

const errorResponse = (data: string) => `Omit<Ours.JSONRPCErrorResponse, 'error'> & { error: Ours.ErrorData & ${data} }`

/**
 * Published names that `mcpwire/types` does not have, each with the reason. All other names of all revisions are there: the compiler
 * finds one that is not.
 */
const RENAMED: Record<string, string> = {
  // Our own name, because `Error` is a class of the language.
  Error: 'Ours.ErrorData',
  // There, but 2025-03-26 counts batches among the messages.
  JSONRPCMessage: 'Ours.JSONRPCMessage | Ours.JSONRPCBatch',
  // An error is told by its code, and thrown as a class where it has data of its own.
  ParseError: 'Ours.ErrorData',
  InvalidRequestError: 'Ours.ErrorData',
  MethodNotFoundError: 'Ours.ErrorData',
  InvalidParamsError: 'Ours.ErrorData',
  InternalError: 'Ours.ErrorData',
  HeaderMismatchError: 'Ours.JSONRPCErrorResponse',
  UnsupportedProtocolVersionError: errorResponse('{ data: Ours.UnsupportedProtocolVersionErrorData }'),
  MissingRequiredClientCapabilityError: errorResponse('{ data: Ours.MissingRequiredClientCapabilityErrorData }'),
  URLElicitationRequiredError: errorResponse('{ data: Ours.UrlElicitationRequiredErrorData }'),
}

/** Names of early revisions. Ours have what later revisions changed about them: `lastModified`, and an `id` that may be absent. */
const CHANGED_LATER = new Set(['Annotated', 'JSONRPCError'])

/** Ours is closed where the published one is open, so that a compiler finds misspelt members. */
const NARROWED = new Set(['EmptyResult', 'ClientResult', 'ServerResult'])

/** Members of the JSON-RPC envelope, which our requests and notifications leave to the dispatcher. */
const ENVELOPE = ['jsonrpc', 'id']

/** Params that are any object in our types, whatever the published definition puts there. */
const OPEN_PARAMS = new Set(['Request', 'Notification', 'JSONRPCRequest', 'JSONRPCNotification'])

/** Required on the wire of 2026-07-28, and put there by us; no earlier revision has or requires them. */
const STAMPED = new Set([
  '_meta',
  'resultType',
  'ttlMs',
  'cacheScope',
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientCapabilities',
])

/** Keys of `_meta` that the prose of the specification defines and no schema names. */
const PROSE_KEYS = ['traceparent', 'tracestate', 'baggage', 'io.modelcontextprotocol/related-task']

const IMPORT_OURS = `import type * as Ours from '../../src/exports/types.ts'\n`

const HELPERS = `${IMPORT_OURS}
type Known<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: 0 }
type Names<T> = T extends unknown ? Exclude<Known<T>, ${literals(PROSE_KEYS)}> : never
type Required<T> = T extends unknown ? { [K in Known<T>]: K extends keyof T ? {} extends Pick<T, K> ? never : K : never }[Known<T>] : never
type At<T, K> = T extends unknown ? (K extends keyof T ? NonNullable<T[K]> : never) : never
type Item<T> = T extends readonly (infer E)[] ? E : never
type Within<Part, Whole> = [Exclude<Part, Whole>] extends [never] ? true : Exclude<Part, Whole>
declare function check<_Holds extends true>(): void
`

function literals(names: Iterable<string>): string {
  return [...names].map((name) => JSON.stringify(name)).join(' | ') || 'never'
}

function isMessage(name: string): boolean {
  return /(Request|Notification)$/.test(name) && !name.startsWith('JSONRPC')
}

/** Our type for a published definition. */
function ours(name: string): string {
  return RENAMED[name] ?? `Ours.${name}`
}

function exampleLine({ definition, file, value }: Example, index: number): string {
  const isEnveloped = isMessage(definition) && ENVELOPE.some((member) => member in value)
  const type = isEnveloped ? `${ours(definition)} & Partial<Ours.JSONRPCRequest>` : ours(definition)
  return `export const example${index}: ${type} = ${JSON.stringify(value)} // ${definition}/${file}`
}

function fitsModule(version: string, names: string[]): string {
  const lines = names
    .filter((name) => !NARROWED.has(name))
    .map((name) => `export const from${name} = (value: Published.${name}): ${ours(name)} => value // ${name}`)
  return [IMPORT_OURS, `import type * as Published from './${version}.ts'\n`, ...lines].join('\n')
}

function memberLines({ path, names, required, partial }: Place): string[] {
  const [name, ...inner] = path as [string, ...string[]]
  if (OPEN_PARAMS.has(name) && inner.length > 0) return []
  const hidden = isMessage(name) && inner.length === 0 ? ENVELOPE : []
  const published = [...names].filter((member) => !hidden.includes(member))
  const needed = [...required].filter((member) => published.includes(member) && !STAMPED.has(member))
  const type = inner.reduce(stepInto, ours(name))
  const label = `// ${path.join('.')}`

  const lines = [`check<Within<${literals(published)}, Names<${type}>>>() ${label}: every published member`]
  if (Object.hasOwn(RENAMED, name) || CHANGED_LATER.has(name)) return lines
  lines.push(`check<Within<${literals(needed)}, Required<${type}>>>() ${label}: what all revisions require`)
  // `_meta` is one type for all messages, and may stand in all params, whether or not a definition repeats that.
  if (partial || inner.includes('_meta')) return lines
  const allowed = inner.at(-1) === 'params' ? [...published, '_meta'] : published
  return [...lines, `check<Within<Names<${type}>, ${literals(allowed)}>>() ${label}: no other member`]
}

function stepInto(outer: string, step: string): string {
  return step === '[]' ? `Item<${outer}>` : `At<${outer}, ${JSON.stringify(step)}>`
}

const TSCONFIG = {
  extends: '../../tsconfig.base.json',
  compilerOptions: { lib: ['ES2023', 'ESNext.Disposable', 'WebWorker'], types: [], noUnusedLocals: false },
  include: ['*.ts'],
}

const CONTROL = `${HELPERS}
check<Within<Names<Ours.Icon>, 'src' | 'mimeType' | 'sizes'>>() // a member too many
check<Within<'src' | 'alt', Names<Ours.Icon>>>() // a member too few
check<Within<'src' | 'sizes', Required<Ours.Icon>>>() // a member that is not required
export const icon: Ours.Icon = { src: '', mimetype: '' } // a misspelt member
`

/** Resolves to what the compiler prints. */
function compile(project: string): Promise<string[]> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const parameters = [compiler, '-p', project, '--pretty', 'false']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, parameters, { cwd: project, maxBuffer: 1 << 26 }, (error, stdout) => {
      if (error !== null && stdout === '') reject(error)
      else resolve(stdout.split('\n'))
    })
  })
}

describe.skipIf(folder === undefined)('our types and the published schemas (set MCP_SCHEMA_DIR to run)', () => {
  const definitions = folder === undefined ? new Map<string, Definitions>() : readDefinitions(folder)
  const examples = folder === undefined ? [] : readExamples(folder)
  const names = new Set([...definitions.values()].flatMap((revision) => Object.keys(revision)))

  let workspace: string
  let diagnostics: string[]

  beforeAll(async () => {
    mkdirSync(join(root, 'build'), { recursive: true })
    workspace = mkdtempSync(join(root, 'build', 'types-'))
    writeWorkspace()
    diagnostics = await compile(workspace)
  })

  afterAll(() => rmSync(workspace, { recursive: true, force: true }))

  function writeWorkspace(): void {
    const places = [...names].flatMap((name) => placesOf(name, definitions.values()))
    write('tsconfig.json', [JSON.stringify(TSCONFIG)])
    write('control.ts', [CONTROL])
    write('members.ts', [HELPERS, ...places.flatMap(memberLines)])
    write('examples.ts', [IMPORT_OURS, ...examples.map(exampleLine)])
    for (const [version, revision] of definitions) {
      write(`${version}.ts`, [definitionsModule(revision)])
      write(`fits-${version}.ts`, [fitsModule(version, Object.keys(revision))])
    }
  }

  function write(file: string, lines: string[]): void {
    writeFileSync(join(workspace, file), lines.join('\n'))
  }

  /** What the compiler has to say about a generated file, each with the label of the line it is about. */
  function complaints(file: string): string[] {
    const lines = readFileSync(join(workspace, file), 'utf8').split('\n')
    return diagnostics.flatMap((diagnostic) => {
      const [, where, line, message] = /^(.+?)\((\d+),\d+\): error (.+)$/.exec(diagnostic) ?? []
      if (where === undefined || basename(where) !== file) return []
      return `${lines[Number(line) - 1]?.split(' // ').at(-1)}: ${message}`
    })
  }

  it('is a check that can fail', () => {
    expect(complaints('control.ts').map((complaint) => complaint.split(':')[0])).toEqual([
      'a member too many',
      'a member too few',
      'a member that is not required',
      'a misspelt member',
    ])
  })

  it('generates valid types from each schema', () => {
    expect(definitions.size).toBe(5)
    for (const [version, revision] of definitions) {
      expect(Object.keys(revision).length, version).toBeGreaterThan(75)
      expect(complaints(`${version}.ts`)).toEqual([])
    }
  })

  it.each([...definitions.keys()])('takes every value that %s allows', (version) => {
    expect(complaints(`fits-${version}.ts`)).toEqual([])
  })

  it('knows every member of every definition, and none that no revision has', () => {
    expect(complaints('members.ts')).toEqual([])
  })

  it('takes every published example', () => {
    expect(examples.length).toBeGreaterThan(100)
    expect(complaints('examples.ts')).toEqual([])
  })

  it('keeps no exception for a definition that does not exist', () => {
    const exceptions = [...Object.keys(RENAMED), ...CHANGED_LATER, ...NARROWED, ...OPEN_PARAMS]
    expect(exceptions.filter((name) => !names.has(name))).toEqual([])
  })
})
