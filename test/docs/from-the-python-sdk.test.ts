// Holds docs/from-the-python-sdk.md against the source: what it maps to can be imported, and it maps every name there is.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { DispatchContext } from '../../src/exports/dispatcher.ts'
import {
  Client,
  InvalidResultError,
  MCPError,
  MCPServer,
  tool,
  UrlElicitationRequiredError,
} from '../../src/exports/index.ts'
import { Server } from '../../src/exports/server.ts'
import { ConnectionCore } from '../../src/server/connection.ts'
import { createContext } from '../../src/server/context.ts'
import { coreOf } from '../../src/server/internals.ts'
import { findMissing, importEntryPoint, type Place, readDocument } from './entry-points.ts'
import { readRows } from './mapping-tables.ts'
import { INDEX_TYPES, PYTHON_NAMES } from './python-names.ts'
import { readNames } from './python-pages.ts'

const pages = process.env.MCP_REFERENCE_DIR

const rows = readRows(readDocument('from-the-python-sdk.md'))
const mapped = rows.filter(({ here }) => here.length > 0)

/** Names that a row of the document stands for. The members of protocol types follow a rule instead. */
const inRows = new Set(rows.flatMap(({ there }) => there.flatMap(matching)))
const byRule = PYTHON_NAMES.filter((name) => !inRows.has(name)).flatMap((name) => {
  const place = wirePlace(name)
  return place === undefined ? [] : [{ name, place }]
})

const places: Place[] = [
  ...mapped.flatMap(({ here, from }) => here.map((path) => ({ entryPoint: from, path }))),
  ...byRule.map(({ place }) => place),
]

/** A star stands for any word. */
function matching(cell: string): string[] {
  const pattern = new RegExp(`^${cell.replace(/[.()]/g, '\\$&').replaceAll('*', '\\w+')}$`)
  return PYTHON_NAMES.filter((name) => pattern.test(name))
}

/** A member of a protocol type, as the document says they are spelt: in camelCase, and `meta` as on the wire. */
function wirePlace(name: string): Place | undefined {
  const [owner = '', member] = name.split('.')
  const row = mapped.find(({ section, there }) => section === 'Protocol types' && there.includes(owner))
  if (row === undefined || member === undefined) return undefined
  const spelt = member === 'meta' ? '_meta' : member.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const type = row.here[row.there.indexOf(owner)] ?? row.here[0]
  return { entryPoint: row.from, path: `${type}.${spelt}` }
}

/** What a constructor sets is seen on an instance only. */
const INSTANCES: Record<string, object> = {
  MCPError: new MCPError(-32603, 'broken'),
  UrlElicitationRequiredError: new UrlElicitationRequiredError([]),
  ServerRequestContext: createContext(
    coreOf(new Server('test')),
    ConnectionCore.awaitingHandshake(),
    {} as DispatchContext,
    'ping',
    undefined,
  ),
}

function hasMember(value: unknown, name: string, member: string): boolean {
  const owners = [value, (value as { prototype?: object }).prototype, INSTANCES[name]]
  return owners.some((owner) => member in Object(owner))
}

describe('docs/from-the-python-sdk.md', () => {
  it('has a place for every name of the pages', () => {
    const placed = new Set([...inRows, ...byRule.map(({ name }) => name)])
    expect(PYTHON_NAMES.filter((name) => !placed.has(name))).toEqual([])
  })

  it('names nothing that is not on the pages', () => {
    expect(rows.flatMap(({ there }) => there).filter((cell) => matching(cell).length === 0)).toEqual([])
  })

  it('says why, where there is no counterpart', () => {
    const without = rows.filter(({ here }) => here.length === 0)
    expect(without.length).toBeGreaterThan(0)
    expect(without.filter(({ from, remark }) => from !== '—' || remark === '')).toEqual([])
  })

  it.each([...new Set(places.map(({ entryPoint }) => entryPoint))])(
    'maps to values of %s that have the members',
    async (entryPoint) => {
      const values = await importEntryPoint(entryPoint)
      const wrong = places.filter(({ path, ...place }) => {
        const [name = '', member] = path.split('.')
        if (place.entryPoint !== entryPoint || member === undefined || !(name in values)) return false
        return !hasMember(values[name], name, member)
      })
      expect(wrong).toEqual([])
    },
  )

  it('maps to names that the compiler finds, types and members of types included', async () => {
    expect(await findMissing(places)).toEqual([])
  })
})

it('has every type of the package index, and of the capabilities, under its own name', async () => {
  const capabilities = PYTHON_NAMES.filter((name) => /^\w+Capability$/.test(name))
  const names = new Set([...INDEX_TYPES, ...capabilities])
  expect(await findMissing(Array.from(names, (path) => ({ entryPoint: 'mcpwire/types', path })))).toEqual([])
})

it.each(['auto', 'legacy'] as const)('tells the truth about raise_exceptions, in mode %s', async (mode) => {
  const broken = new Error('broken')
  const fail = () => {
    throw broken
  }
  const server = new MCPServer('test', { onFault: () => {} })
  server.tool('fail', fail)
  server.resource('test://fail', fail)
  server.prompt('fail', fail)
  await using client = await Client.connect(server, { mode, raiseExceptions: true })
  const calls = [client.callTool('fail'), client.readResource('test://fail'), client.getPrompt('fail')]
  for (const outcome of await Promise.allSettled<unknown>(calls)) {
    const error = outcome.status === 'rejected' ? outcome.reason : undefined
    expect(error).toBeInstanceOf(MCPError)
    expect((error as MCPError).cause).toBe(broken)
  }
})

it('tells the truth about validate_tool_result', async () => {
  const server = new MCPServer('test', {
    tools: [tool('count', { output: z.object({ n: z.number() }) }, () => ({ n: 1 }))],
  })
  await using client = await Client.connect(server)
  const wrong = { content: [], structuredContent: { n: 'one' } }
  await expect(client.session.validateToolResult('count', wrong)).rejects.toThrow(InvalidResultError)
  await client.session.validateToolResult('count', { ...wrong, isError: true })
})

describe('the check by the compiler', () => {
  it('finds what is missing, and nothing else', async () => {
    const entryPoint = 'mcpwire/types'
    const some = ['Tool', 'Tol', 'Tool.inputSchema', 'Tool.input_schema', 'ErrorCode.ParseError', 'ErrorCode.Parse']
    const within = [
      'ClientCapabilities.sampling.tools',
      'ClientCapabilities.sampling.tool',
      'MCPError.from',
      'MCPError.of',
    ]
    const missing = await findMissing([...some, ...within].map((path) => ({ entryPoint, path })))
    const expected = ['Tol', 'Tool.input_schema', 'ErrorCode.Parse', 'ClientCapabilities.sampling.tool', 'MCPError.of']
    expect(missing).toEqual(expected.map((path) => `${path} from ${entryPoint}`))
  })
})

describe.skipIf(pages === undefined)(
  'the list of names (set MCP_REFERENCE_DIR to the folder of the pages to run)',
  () => {
    const folder = pages ?? ''

    it('holds every name that can be read from the pages', () => {
      const found = [...readNames(folder)]
      expect(found.length).toBeGreaterThan(500)
      expect(found.filter((name) => !PYTHON_NAMES.includes(name))).toEqual([])
    })

    it('holds no name whose words are not on the pages', () => {
      const text = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
      const words = new Set(text.join('\n').match(/\w+/g))
      const strange = PYTHON_NAMES.filter((name) => !name.match(/\w+/g)?.every((word) => words.has(word)))
      expect(strange).toEqual([])
    })
  },
)
