// docs D6: the error catalogue, the code that throws, the pages and the programs on them say the same.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CATALOGUE, GROUPS } from '../../cli/errors/catalogue/catalogue.ts'
import { type CatalogueEntry, messagePattern } from '../../cli/errors/catalogue/entry.ts'
import { createErrorPages } from '../../cli/errors/catalogue/pages.ts'
import { explain } from '../../cli/errors/explain.ts'
import type { Client } from '../../src/client/client.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { connect } from '../../src/testing/connect.ts'
import { MCPError } from '../../src/types/errors/errors.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const exampleFile = (slug: string) => new URL(`docs/examples/errors/${slug}.ts`, root)

/** The failures of the command line are provoked by commands: cli/test/error-programs.test.ts runs them. */
const { 'Use the command line': commandLine, ...ofPackage } = GROUPS
const entries = Object.values(ofPackage).flatMap((group) => Object.entries(group) as [string, CatalogueEntry][])

/** These reach a client as the text of a server, or not as an error at all. */
const isThrown = ({ class: name }: CatalogueEntry) => !/^HTTP \d|^Result/.test(name)

const printed: string[] = []
vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
  printed.push(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '))
})

afterEach(() => {
  printed.length = 0
})

/** What users do not meet: invariants of the package, and the suite that tests backends. */
const UNSEEN = [
  'src/wire/',
  'src/primitives/async/queue.ts',
  'src/primitives/late-part.ts',
  'src/testing/backend-contract/',
  'src/extensions/tasks/server/values/input.ts',
]

/**
 * Reports of what happens to a message, an engine, a file or a script. The fault, the `BackendError` or the `TransportError` around them has the page,
 * or the result of the tool has the message. */
const NOT_OF_A_USER =
  /^(?:The event store|The node \$|A session without a record|The cluster has no primary|The store did not answer|The shared values|Another process has held|run\(\) was not called'|The state of a task|\$\{name\} can't be called by a script|texts\.join|The script made other calls)/

/** Errors that are made without a slug: a wrong value anywhere, and every other error that is thrown on the spot. */
function findBareErrors(text: string): string[] {
  return [...text.matchAll(/(?:new (?:TypeError|RangeError)|throw new Error)\(\s*[`'"]?([^\n]{0,60})/g)]
    .filter(
      ({ index }) => !/(?:withHelp|withHelpOf|wrongOption)\([^;{}]*$/.test(text.slice(Math.max(0, index - 80), index)),
    )
    .map(([, message = '']) => message)
    .filter((message) => !NOT_OF_A_USER.test(message))
}

async function failureOf(slug: string): Promise<unknown> {
  try {
    await import(/* @vite-ignore */ exampleFile(slug).href)
    return undefined
  } catch (error) {
    return error
  }
}

function chainOf(error: unknown): Error[] {
  const chain: Error[] = []
  for (let current = error; current instanceof Error && chain.length < 8; current = current.cause) chain.push(current)
  return chain
}

/** What no program provokes where everything is installed. A test does. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'package-missing': 'test/package/missing-packages.test.ts',
}

const provoked = entries.filter(([slug]) => !Object.hasOwn(ELSEWHERE, slug))

describe('docs D6: each error of the catalogue is provoked by the program on its page', () => {
  it.each(provoked.filter(([, entry]) => isThrown(entry)))('%s', async (slug, entry) => {
    const chain = chainOf(await failureOf(slug))
    expect(chain.length, 'the program throws').toBeGreaterThan(0)
    const fitting = chain.filter((error) => messagePattern(entry).test(error.message))
    expect(chain.map(({ message }) => message).join('\n')).toMatch(messagePattern(entry))
    expect(fitting.length).toBeGreaterThan(0)
    const names = chain.map(({ name }) => name)
    expect(names).toContain(entry.class)
    if (entry.code !== undefined) expect(chain.map((error) => (error as { code?: unknown }).code)).toContain(entry.code)
    const { help } = chain[0] as { help?: string }
    expect(help).toBe(`mcpwire/docs/errors/${slug}.md`)
    expect(Object.keys(chain[0] as object)).not.toContain('help')
  })

  it.each(entries.filter(([, entry]) => !isThrown(entry)))('%s', async (slug, entry) => {
    expect(await failureOf(slug)).toBeUndefined()
    expect(printed.join('\n').replaceAll('\\"', '"')).toMatch(messagePattern(entry))
  })
})

describe('what a server answers has a page at the client', () => {
  const server = new MCPServer('demo')
  server.tool('add', () => 3)
  server.prompt('greet', () => 'Hello')
  // `undefined`: the template has no such resource.
  server.resource('notes://{day}', () => undefined)
  const calls: [what: string, slug: string, call: (client: Client) => Promise<unknown>][] = [
    ['an unknown tool', 'unknown-tool', (client) => client.callTool('missing')],
    ['an unknown prompt', 'unknown-prompt', (client) => client.getPrompt('missing')],
    ['a URI without a resource', 'resource-not-found', (client) => client.readResource('memo://today')],
    ['a URI of a template', 'resource-not-found', (client) => client.readResource('notes://today')],
    [
      'params of another form',
      'wrong-argument',
      (client) => client.getPrompt('greet', { name: 5 as unknown as string }),
    ],
  ]

  it.each((['modern', 'legacy'] as const).flatMap((mode) => calls.map(([...row]) => [mode, ...row] as const)))(
    '%s: %s',
    async (mode, _what, slug, call) => {
      await using client = await connect(server, { mode })
      const failed = await call(client).catch((error: unknown) => error)
      expect(failed).toBeInstanceOf(MCPError)
      expect((failed as MCPError).help).toBe(`mcpwire/docs/errors/${slug}.md`)
    },
  )

  it('what only the author of the server can explain has none', () => {
    expect(MCPError.from({ code: -32602, message: 'The account is closed' }).help).toBeUndefined()
  })
})

describe('the error catalogue', () => {
  it('has an entry for every slug in the source, and no slug that nothing throws', () => {
    const files = ['src', 'cli'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.startsWith('test/'))
        .map((file) => `${folder}/${file}`),
    )
    const declared = [...read('src/primitives/help.ts').matchAll(/^ {2}\| '([\w-]+)'$/gm)].map(([, slug]) => slug)
    expect(Object.keys(CATALOGUE)).toEqual(expect.arrayContaining(declared))
    const throwing = files.filter((name) => name !== 'src/primitives/help.ts' && !name.includes('errors/catalogue/'))
    const [, makers = ''] = read('src/primitives/help.ts').split('export function helpFor')
    const text = [...throwing.map(read), makers].join('\n')
    expect(declared.filter((slug) => !text.includes(`'${slug}'`))).toEqual([])
    const ofCommands = throwing
      .filter((name) => name.startsWith('cli/'))
      .flatMap((name) => [...read(name).matchAll(/\bslug: '([\w-]+)'/g)].map(([, slug]) => slug as string))
    expect(ofCommands.filter((slug) => !Object.hasOwn(CATALOGUE, slug))).toEqual([])
    for (const slug of Object.keys(commandLine)) expect(text, `the command line has ${slug}`).toContain(`'${slug}'`)
  })

  it('has a page for every error of a wrong value or a wrong order that the source throws', () => {
    const files = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
      .map((file) => `src/${file}`)
      .filter(
        (file) =>
          file.endsWith('.ts') && file !== 'src/primitives/help.ts' && !UNSEEN.some((path) => file.startsWith(path)),
      )
    const bare = files.flatMap((file) => findBareErrors(read(file)).map((found) => `${file}: ${found}`))
    expect(bare).toEqual([])
  })

  it('finds an error without a page', () => {
    expect(findBareErrors("if (bad) throw new TypeError('a')")).toHaveLength(1)
    expect(findBareErrors("throw new Error('The client is closed.')")).toHaveLength(1)
    expect(findBareErrors("throw withHelp(\n  'wrong-option',\n  new RangeError('a'),\n)")).toEqual([])
    expect(findBareErrors("reject(new Error('why a signal aborts'))")).toEqual([])
  })

  it('has a program for each error of the package, and no program without an error', () => {
    const programs = readdirSync(new URL('docs/examples/errors', root))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => file.replace('.ts', ''))
    expect(programs.sort()).toEqual(provoked.map(([slug]) => slug).sort())
  })

  it.each(Object.entries(ELSEWHERE))('%s is provoked by a test', (slug, test) => {
    expect(read(test)).toContain(`docs/errors/${slug}.md`)
  })

  it('is what docs/errors says', () => {
    const folder = fileURLToPath(new URL('docs/errors/', root))
    const examples = new URL('docs/examples/errors/', root)
    const pages = createErrorPages((slug) => {
      const file = [`${slug}.ts`, `${slug}.sh`].find((name) => existsSync(new URL(name, examples)))
      return file === undefined ? undefined : { file, text: readFileSync(new URL(file, examples), 'utf8') }
    })
    expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort())
    for (const [name, text] of pages) expect(readFileSync(`${folder}${name}`, 'utf8')).toBe(text)
  })

  it('names no release that is not out', () => {
    const released = [...read('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version)
    expect(released).toContain(JSON.parse(read('package.json')).version)
    expect(
      Object.entries(CATALOGUE).filter(([, { since }]: [string, CatalogueEntry]) => since && !released.includes(since)),
    ).toEqual([])
    const pages = readdirSync(new URL('docs', root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => `docs/${file.replaceAll('\\', '/')}`)
    // In prose, "since" with a version of three numbers is one of this package.
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/\bsince (?:mcpwire )?v?(\d+\.\d+\.\d+)\b/gi)].map(([, version = '']) => ({
        page,
        version,
      })),
    )
    expect(named.filter(({ version }) => !released.includes(version))).toEqual([])
  })

  it('names only options that exist under Fix', () => {
    const source = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => read(`src/${file}`))
      .join('\n')
    for (const [slug, { fix, cause }] of entries) {
      for (const [, code = ''] of [...fix, cause].join(' ').matchAll(/`([^`]+)`/g)) {
        const [name = ''] = /^(?:error\.|client\.|ctx\.|requestState\.)?(\w+)/.exec(code) ?? []
        const last = name.split('.').at(-1) as string
        if (/^[a-z]+[A-Z]\w*$/.test(last)) expect(source, `${slug}: ${code}`).toMatch(new RegExp(`\\b${last}\\b`))
      }
    }
  })

  it.each(Object.entries(CATALOGUE))('%s says cause and fix in whole sentences', (_slug, { cause, fix, message }) => {
    for (const sentence of [cause, ...fix]) expect(sentence).toMatch(/^[A-Z`].*[.`]$/)
    expect(message.length).toBeLessThan(160)
  })
})

describe('explain', () => {
  it('gives an error of the package the cause, the fix and the page of the catalogue', async () => {
    const explained = explain(await failureOf('connection-refused'))
    expect(explained).toMatchObject({
      slug: 'connection-refused',
      cause: CATALOGUE['connection-refused'].cause,
      fix: 'Start the server, or check the port.',
      help: 'mcpwire/docs/errors/connection-refused.md',
      exitCode: 3,
    })
  })

  it('calls everything else a bug of mcpwire', () => {
    expect(explain(new Error('x is not a function'))).toMatchObject({ slug: 'bug', exitCode: 70 })
    expect(explain(5)).toMatchObject({ slug: 'bug', message: 'The program threw a value that is not an Error: 5' })
  })
})
