// What an editor shows of the built package: a text for every name and member, with default and unit, and examples that compile.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { collectHoverTexts, type Shown } from './hover-texts.ts'

const root = new URL('../../', import.meta.url)

/** Entry points whose functions and classes have an example. */
const MAIN = ['mcpwire', 'mcpwire/client', 'mcpwire/server', 'mcpwire/testing']
const MAX_EXAMPLE_LINES = 6

/** Options of a function or class, but not what an error is made of. */
const OPTIONS = /^(?!\w*Error)\w*(?:Options|Settings|Config|Limits)\b/
const AMOUNT = /(?:Ms|Seconds|Bytes)$/
const UNIT = /\b(?:ms|s|milliseconds?|seconds?|minutes?|hours?|days?|bytes|[KMG]iB)\b/i

let shown: Shown[] = []

beforeAll(() => {
  shown = collectHoverTexts()
}, 60_000)

const where = ({ path, file }: Shown) => `${path} (${file})`

/** The package's own: a type of another package may be reached by an alias. */
const isOurs = ({ file }: Shown) => /^(?:src|packages)\//.test(file)

const withExamples = () =>
  shown.filter(
    ({ kind, entryPoints }) =>
      (kind === 'class' || kind === 'function') && MAIN.some((entryPoint) => entryPoints.has(entryPoint)),
  )

describe('the hover texts of the shipped declarations', () => {
  it('read every entry point', () => {
    const read = new Set(shown.flatMap(({ entryPoints }) => [...entryPoints]))
    expect([...read]).toEqual(expect.arrayContaining([...MAIN, 'mcpwire/types', 'mcpwire/node', 'mcpwire/redis']))
    expect(shown.length).toBeGreaterThan(2_500)
  })

  it('exist for every exported name and every member', () => {
    expect(shown.filter(({ text }) => text.trim() === '').map(where)).toEqual([])
  })

  it('are sentences, and more than the name again', () => {
    const bare = (text: string) => text.toLowerCase().replaceAll(/\b(?:the|a|an|of)\b|[^a-z]/g, '')
    const short = shown.filter(isOurs).filter(({ text, path }) => {
      const name = path.split('.').at(-1) as string
      return !/[.:!?)`]\s*$/.test(text) || bare(text) === bare(name)
    })
    expect(short.map((each) => `${where(each)}: ${each.text}`)).toEqual([])
  })

  it('say the default of every number and switch among the options', () => {
    const options = shown.filter(isOurs).filter(({ path, isSwitchOrAmount }) => isSwitchOrAmount && OPTIONS.test(path))
    expect(options.length).toBeGreaterThan(150)
    expect(options.filter(({ text }) => !/\bdefaults?\b/i.test(text)).map(where)).toEqual([])
  })

  it('say the unit of every time and size', () => {
    const amounts = shown.filter(({ kind, path }) => kind === 'member' && AMOUNT.test(path))
    expect(amounts.length).toBeGreaterThan(100)
    expect(amounts.filter(({ text }) => !UNIT.test(text)).map(where)).toEqual([])
  })

  it('name the replacement of what is deprecated in the first five words', () => {
    const deprecated = shown.filter((each) => each.deprecated !== undefined)
    expect(deprecated.length).toBeGreaterThan(30)
    const vague = deprecated.filter((each) => !/^(?:Use \S+|No replacement)/.test(each.deprecated ?? ''))
    expect(vague.map((each) => `${where(each)}: ${each.deprecated}`)).toEqual([])
  })
})

describe('examples in hover texts', () => {
  it(`exist for every function and class at ${MAIN.join(', ')}, with at most ${MAX_EXAMPLE_LINES} lines`, () => {
    const named = withExamples()
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter(({ examples }) => examples.length === 0 || examples.includes('')).map(where)).toEqual([])
    const long = shown.filter(({ examples }) => examples.some((code) => code.split('\n').length > MAX_EXAMPLE_LINES))
    expect(long.map(where)).toEqual([])
  })

  it('use what they explain', () => {
    const others = withExamples().filter(({ path, examples }) => !examples.join('\n').includes(path) && !USED_AS[path])
    expect(others.map(where)).toEqual([])
    for (const { path, examples } of withExamples()) expect(examples.join('\n')).toContain(USED_AS[path] ?? path)
  })

  it('compile against the shipped declarations', { timeout: 60_000 }, () => {
    expect(compile(shown.flatMap(({ path, examples }) => examples.map((code) => [path, code] as const)))).toBe('')
  })
})

/** Objects that users get and never make. */
const USED_AS: Readonly<Record<string, string>> = {
  Connection: 'ctx.connection',
  ServerRequestContext: 'server.use((ctx, next)',
  ServerSession: 'ctx.session',
  FakeClock: 'fakeClock()',
}

/** What the compiler prints. `server` and `client` stand for those that the reader has. */
function compile(examples: readonly (readonly [path: string, code: string])[]): string {
  const folder = new URL('build/hover-examples/', root)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(new URL(name, folder), text)
  write(
    'given.d.ts',
    "declare const server: import('mcpwire').MCPServer\ndeclare const client: import('mcpwire').Client\n",
  )
  for (const [index, [path, code]] of examples.entries()) write(`${index}-${path}.ts`, `${code}\nexport {}\n`)
  const types = '../../dist/types/src/exports'
  const compilerOptions = {
    lib: ['ES2023', 'ESNext.Disposable', 'WebWorker'],
    types: ['node'],
    rootDir: '../..',
    // The result of an example is for the reader to use.
    noUnusedLocals: false,
    paths: { mcpwire: [`${types}/index.d.ts`], 'mcpwire/*': [`${types}/*.d.ts`] },
  }
  write('tsconfig.json', JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] }))
  const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root))
  const parameters = [compiler, '-p', fileURLToPath(folder), '--pretty', 'false']
  try {
    return execFileSync(process.execPath, parameters, { encoding: 'utf8', maxBuffer: 1 << 24 })
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error)
  }
}
