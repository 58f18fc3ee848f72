// The guides for those who come from other SDKs: names exist on both sides, and the programs answer alike.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions } from 'mcpwire'
import { stdio } from 'mcpwire/node'
import { describe, expect, it } from 'vitest'
import { comparable } from '../../cli/test/migrate/run-program.ts'
import { installNode, installPackages, installPython, NEWER_NODE, pythonOf } from '../../interop/install.js'
import { findMissing, readDocument } from './entry-points.ts'
import { readRows } from './mapping-tables.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const isFull = process.env['FULL_TESTS'] === '1'
const EXAMPLES = join(root, 'docs/examples/migrate')
const FASTMCP = 'fastmcp-node-4.20.16'
const PYTHON = 'python-2.3.0'
const LOADER = ['--import', join(root, 'node_modules/tsx/dist/loader.mjs')]
const packagePath = (name: string) => join(root, 'node_modules', name)

const GUIDES = {
  'migrate-from-typescript-sdk-v1.md': () => declarationsIn(join(packagePath('@modelcontextprotocol/sdk'), 'dist/esm')),
  'migrate-from-typescript-sdk-v2.md': () =>
    ['server', 'client', 'node', 'core'].flatMap((name) =>
      declarationsIn(join(packagePath(`@modelcontextprotocol/${name}`), 'dist')),
    ),
}

/** The texts of all declarations in a folder. */
function declarationsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.d\.m?ts$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}

/** Rows of the tables with the columns there, here, from, remark. */
function rowsOf(guide: string) {
  // Other tables of a page have other columns.
  return readRows(readDocument(guide))
}

const DECLARED = (name: string) =>
  new RegExp(`(?:class|interface|type|function|const|enum) ${name}\\b[^;{=(]*(?:extends (\\w+))?[^;{=(]*[=({:]`)

/** Whether declarations have a name, and its member where there is one, also from what it extends. */
function isDeclared(texts: readonly string[], path: string): boolean {
  const [name = '', member] = path.split('.')
  return texts.some((text) => {
    const found = DECLARED(name).exec(text)
    if (found === null) return false
    if (member === undefined) return true
    const rest = text.slice(found.index)
    const body = rest.slice(0, rest.search(/\n\}/) + 1)
    if (new RegExp(`\\b${member}\\??\\s*[(:<]`).test(body)) return true
    const parent = /^[^{]*extends (\w+)/.exec(rest)?.[1]
    return parent !== undefined && isDeclared(texts, `${parent}.${member}`)
  })
}

describe('guides for other SDKs', () => {
  const all = [...Object.keys(GUIDES), 'migrate-from-fastmcp.md', 'migrate-from-python-sdk.md']

  it.each(Object.entries(GUIDES))('%s: every name of the SDK is in its declarations', (guide, read) => {
    const texts = read()
    expect(texts.length).toBeGreaterThan(3)
    const names = rowsOf(guide).flatMap(({ there }) => there)
    expect(names.length).toBeGreaterThan(15)
    expect(names.filter((name) => !isDeclared(texts, name))).toEqual([])
    // The check finds what is not there.
    expect(isDeclared(texts, 'McpServer.registerNothing')).toBe(false)
    expect(isDeclared(texts, 'NoSuchName')).toBe(false)
  })

  it('every name of mcpwire in the guides is one that the compiler finds', async () => {
    const places = all.flatMap((guide) =>
      rowsOf(guide).flatMap(({ here, from }) => here.map((path) => ({ entryPoint: from, path }))),
    )
    expect(places.length).toBeGreaterThan(80)
    expect(await findMissing(places)).toEqual([])
  })

  it.each(all)('%s: a row without a counterpart says why', (guide) => {
    const without = rowsOf(guide).filter(({ here }) => here.length === 0)
    expect(without.filter(({ from, remark }) => from !== '—' || remark === '')).toEqual([])
  })

  it.each([...all, 'migrate.md'])('%s shows its programs as they are', (guide) => {
    const text = readDocument(guide)
    const blocks = [...text.matchAll(/<!-- docs\/examples\/migrate\/(\S+) -->\n```\w+\n([\s\S]*?)```/g)]
    for (const [, file, code] of blocks) expect(code).toBe(readFileSync(join(EXAMPLES, file as string), 'utf8'))
    const shown = [...text.matchAll(/```(?:ts|js|python)\n/g)]
    expect(blocks).toHaveLength(shown.length)
  })
})

const ANSWERS: ClientOptions = { mode: 'legacy' }

interface Program {
  readonly file: string
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
}

async function answersOf({ file, command = process.execPath, args = LOADER, env = {} }: Program, calls: Calls) {
  const target = stdio({ command, args: [...args, join(EXAMPLES, file)], env, stderr: 'ignore' })
  const client = await Client.connect(target, ANSWERS)
  try {
    const answers: unknown[] = [
      (await client.listTools()).tools.map(({ name, description }) => ({ name, description })),
    ]
    for (const [name, given] of calls.tools) {
      const { content, isError = false } = await client.callTool(name, given)
      answers.push({ content, isError })
    }
    for (const uri of calls.reads ?? []) {
      const { contents } = await client.readResource(uri)
      answers.push(
        contents.map(({ uri: own, mimeType, ...content }) => ({
          own,
          mimeType,
          text: 'text' in content && content.text,
        })),
      )
    }
    for (const [name, given] of calls.prompts ?? []) answers.push((await client.getPrompt(name, given)).messages)
    return comparable(answers)
  } finally {
    await client.close()
  }
}

interface Calls {
  readonly tools: readonly (readonly [string, Record<string, unknown>])[]
  readonly reads?: readonly string[]
  readonly prompts?: readonly (readonly [string, Record<string, string>])[]
}

const NOTES: Calls = {
  tools: [['add_note', { id: '2', text: 'Call Ada' }]],
  reads: ['notes://1'],
  prompts: [['tidy', { style: 'short' }]],
}

describe.runIf(isFull)('programs of the guides, before and after', () => {
  it('TypeScript SDK v1: the server answers as before', async () => {
    const before = await answersOf({ file: 'sdk-v1-server-before.ts' }, NOTES)
    expect(await answersOf({ file: 'sdk-v1-server-after.ts' }, NOTES)).toEqual(before)
  })

  it('TypeScript SDK v1: the client prints as before', () => {
    const everything = join(packagePath('@modelcontextprotocol/server-everything'), 'dist/index.js')
    const output = (file: string) =>
      spawnSync(process.execPath, [...LOADER, join(EXAMPLES, file), everything], { encoding: 'utf8' }).stdout
    expect(output('sdk-v1-client-before.ts')).toBe('[{"type":"text","text":"Echo: hi"}]\n')
    expect(output('sdk-v1-client-after.ts')).toBe(output('sdk-v1-client-before.ts'))
  })

  it('TypeScript SDK v2: the server answers as before', async () => {
    const calls: Calls = { tools: [['count', { to: 3 }]] }
    const before = await answersOf({ file: 'sdk-v2-server-before.ts' }, calls)
    expect(await answersOf({ file: 'sdk-v2-server-after.ts' }, calls)).toEqual(before)
  })

  it('fastmcp: the names are in its declarations, and the server answers as before', async ({ skip }) => {
    const reason = installNode() ?? installPackages(FASTMCP, ['fastmcp@4.20.16', 'zod@4.6.7'])
    if (reason !== undefined) skip(`fastmcp is not here: ${reason}`)
    const folder = join(root, '.cache/peers', FASTMCP)
    const texts = declarationsIn(join(folder, 'node_modules/fastmcp/dist'))
    const names = rowsOf('migrate-from-fastmcp.md').flatMap(({ there }) => there)
    expect(names.filter((name) => !isDeclared(texts, name))).toEqual([])
    const calls: Calls = {
      tools: [
        ['today', { city: 'Rome' }],
        ['today', { city: 'Atlantis' }],
      ],
      reads: ['cities://Rome'],
    }
    const program = {
      file: 'fastmcp-server-before.js',
      command: NEWER_NODE,
      args: ['--import', join(root, 'test/support/resolve-packages.js')],
      env: { PACKAGES_FOLDER: folder },
    }
    const before = await answersOf(program, calls)
    expect(await answersOf({ file: 'fastmcp-server-after.ts' }, calls)).toEqual(before)
  })

  it('Python SDK: the names are in the package, and the server answers as before', async ({ skip }) => {
    const reason = installPython(PYTHON, ['mcp==2.3.0'])
    if (reason !== undefined) skip(`the Python SDK is not here: ${reason}`)
    const python = pythonOf(PYTHON)
    const names = rowsOf('migrate-from-python-sdk.md').flatMap(({ there }) => there)
    const script = `
import sys
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
known = {"Client": Client, "Context": Context, "MCPServer": MCPServer}
for path in sys.argv[1:]:
    owner, _, member = path.partition(".")
    if owner not in known or (member and not hasattr(known[owner], member)):
        print(path)
`
    const { stdout, stderr } = spawnSync(python, ['-c', script, ...names], { encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
    const program = {
      file: 'python-server-before.py',
      command: python,
      args: [],
      env: { PYTHONDONTWRITEBYTECODE: '1' },
    }
    const before = await answersOf(program, NOTES)
    expect(await answersOf({ file: 'python-server-after.ts' }, NOTES)).toEqual(before)
  })
})

/** The folder of the examples is where the guides say. */
it('every program of the guides is shown in one', () => {
  const guides = readdirSync(join(root, 'docs'))
    .filter((name) => name.startsWith('migrate'))
    .map((name) => readDocument(name))
  const hidden = readdirSync(EXAMPLES).filter((file) => !guides.some((text) => text.includes(`migrate/${file} `)))
  expect(hidden).toEqual([])
  expect(dirname(EXAMPLES)).toBe(join(root, 'docs/examples'))
})
