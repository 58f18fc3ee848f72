// The tables of the five revisions: that they are sound in themselves, and what the sieve lets through in each.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../../../src/types/protocol/versions.ts'
import { type Grammar, grammarOf, NEVER_SIEVED, SHAPES, type ShapeName } from '../../../../src/wire/shapes/grammar.ts'
import { formatPath } from '../../../../src/wire/shapes/misfit.ts'
import type { Shape } from '../../../../src/wire/shapes/shape.ts'

describe.each(PROTOCOL_VERSIONS)('the table of %s', (version) => {
  const table = SHAPES[version]

  it('has every shape that it refers to', () => {
    const missing = Object.values(table)
      .flatMap((make) => referencesIn(make()))
      .filter((name) => !Object.hasOwn(table, name))
    expect(missing).toEqual([])
  })

  it('has no shape that contains itself, so that no value can make a check recurse without end', () => {
    const visit = (name: string, path: string[]): void => {
      expect(path).not.toContain(name)
      for (const reference of referencesIn(table[name]?.() ?? '')) visit(reference, [...path, name])
    }
    for (const name of Object.keys(table)) visit(name, [])
  })

  it('takes any JSON value without throwing, and sieves it once and for all', () => {
    const { misfit, sieve } = grammarOf(version)
    const names = fc.constantFrom(...(Object.keys(table) as ShapeName[]))
    const members = [...new Set(Object.values(table).flatMap((make) => memberNames(make())))]
    const objects = fc.dictionary(fc.constantFrom(...members, '__proto__'), fc.jsonValue({ maxDepth: 3 }))
    fc.assert(
      fc.property(names, fc.oneof(fc.jsonValue(), objects), (name, value) => {
        const before = JSON.stringify(value)
        const sieved = sieve(name, value)
        expect(sieve(name, sieved)).toBe(sieved)
        expect(JSON.stringify(value)).toBe(before)
        // What is dropped is never what a value needs in order to fit.
        if (misfit(name, value) === undefined) expect(misfit(name, sieved)).toBeUndefined()
      }),
      { seed: 5, numRuns: 500 },
    )
  })

  it('F057 does not descend into what it does not describe', () => {
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)
    for (const name of Object.keys(table) as ShapeName[]) {
      expect(() => grammarOf(version).misfit(name, { arguments: { deep }, _meta: { deep }, data: deep })).not.toThrow()
      expect(() => grammarOf(version).sieve(name, { content: deep, structuredContent: deep })).not.toThrow()
    }
  })
})

function memberNames(shape: Shape): string[] {
  return typeof shape === 'object' && shape.kind === 'object' ? Object.keys(shape.members) : []
}

function referencesIn(shape: Shape): string[] {
  if (typeof shape === 'string') return [shape]
  switch (shape.kind) {
    case 'array':
      return referencesIn(shape.items)
    case 'record':
      return referencesIn(shape.values)
    case 'object':
      return Object.values(shape.members).flatMap((member) =>
        referencesIn(typeof member === 'object' && member.kind === 'optional' ? member.shape : member),
      )
    case 'tagged':
      return [...shape.arms.values()].flatMap(referencesIn)
    case 'anyOf':
      return shape.arms.flatMap(referencesIn)
    default:
      return []
  }
}

describe('grammarOf', () => {
  it('refuses a revision that it does not know', () => {
    expect(() => grammarOf('2023-01-01' as ProtocolVersion)).toThrow(RangeError)
    expect(() => grammarOf('constructor' as ProtocolVersion)).toThrow(RangeError)
  })

  it('refuses a name that the revision does not have', () => {
    expect(() => grammarOf('2026-07-28').misfit('InitializeResult', {})).toThrow("no shape named 'InitializeResult'")
    expect(grammarOf('2026-07-28').has('InitializeResult')).toBe(false)
    expect(grammarOf('2026-07-28').has('constructor')).toBe(false)
    expect(grammarOf('2025-11-25').has('InitializeResult')).toBe(true)
  })

  it.each<[string, ProtocolVersion, ShapeName, unknown]>([
    ['content[0].text', '2025-06-18', 'CallToolResult', { content: [{ type: 'text' }] }],
    ['content[1].type', '2024-11-05', 'CallToolResult', { content: [{ type: 'text', text: '' }, { type: 'audio' }] }],
    ['tools[0].inputSchema.type', '2025-11-25', 'ListToolsResult', { tools: [{ name: 'a', inputSchema: {} }] }],
    [
      '_meta["io.modelcontextprotocol/protocolVersion"]',
      '2026-07-28',
      'RequestParams',
      { _meta: { 'io.modelcontextprotocol/clientCapabilities': {} } },
    ],
    [
      'inputRequests.who.params.requestedSchema.properties.age.type',
      '2026-07-28',
      'InputRequiredResult',
      {
        resultType: 'input_required',
        inputRequests: {
          who: {
            method: 'elicitation/create',
            params: { message: '', requestedSchema: { type: 'object', properties: { age: { type: 'object' } } } },
          },
        },
      },
    ],
  ])('finds the place %s', (place, version, name, value) => {
    expect(formatPath(grammarOf(version).misfit(name, value)?.path ?? [])).toBe(place)
  })
})

/** Something with every member that any revision gives it, and a vendor's besides; what of it each revision keeps. */
interface Superset {
  readonly name: ShapeName
  readonly value: Record<string, unknown>
  readonly kept: Readonly<Record<ProtocolVersion, readonly string[]>>
}

const META = { _meta: { 'com.example/x': 1, 'io.modelcontextprotocol/serverInfo': { name: 'n', version: '1' } } }
const VENDOR = { 'x-vendor': { deep: true } }

const SUPERSETS: readonly Superset[] = [
  {
    name: 'Tool',
    value: {
      name: 'add',
      description: '',
      inputSchema: { type: 'object', $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: {} },
      annotations: {},
      title: 'Add',
      outputSchema: { type: 'object' },
      icons: [],
      execution: {},
      ...META,
    },
    kept: {
      '2024-11-05': ['name', 'description', 'inputSchema'],
      '2025-03-26': ['name', 'description', 'inputSchema', 'annotations'],
      '2025-06-18': ['name', 'description', 'inputSchema', 'annotations', 'title', 'outputSchema', '_meta'],
      '2025-11-25': [
        'name',
        'description',
        'inputSchema',
        'annotations',
        'title',
        'outputSchema',
        'icons',
        'execution',
        '_meta',
      ],
      '2026-07-28': ['name', 'description', 'inputSchema', 'annotations', 'title', 'outputSchema', 'icons', '_meta'],
    },
  },
  {
    name: 'Resource',
    value: { uri: 'a:b', name: 'b', size: 1, title: 'B', icons: [], ...META },
    kept: {
      '2024-11-05': ['uri', 'name', 'size'],
      '2025-03-26': ['uri', 'name', 'size'],
      '2025-06-18': ['uri', 'name', 'size', 'title', '_meta'],
      '2025-11-25': ['uri', 'name', 'size', 'title', 'icons', '_meta'],
      '2026-07-28': ['uri', 'name', 'size', 'title', 'icons', '_meta'],
    },
  },
  {
    name: 'CallToolResult',
    value: { content: [], isError: false, structuredContent: {}, resultType: 'complete', ...META },
    kept: {
      '2024-11-05': ['content', 'isError', '_meta'],
      '2025-03-26': ['content', 'isError', '_meta'],
      '2025-06-18': ['content', 'isError', 'structuredContent', '_meta'],
      '2025-11-25': ['content', 'isError', 'structuredContent', '_meta'],
      '2026-07-28': ['content', 'isError', 'structuredContent', 'resultType', '_meta'],
    },
  },
  {
    name: 'ListToolsResult',
    value: { tools: [], nextCursor: '', resultType: 'complete', ttlMs: 0, cacheScope: 'public' },
    kept: {
      '2024-11-05': ['tools', 'nextCursor'],
      '2025-03-26': ['tools', 'nextCursor'],
      '2025-06-18': ['tools', 'nextCursor'],
      '2025-11-25': ['tools', 'nextCursor'],
      '2026-07-28': ['tools', 'nextCursor', 'resultType', 'ttlMs', 'cacheScope'],
    },
  },
  {
    name: 'CallToolRequestParams',
    value: { name: 'add', arguments: {}, task: {}, requestState: 's', inputResponses: {}, ...META },
    kept: {
      '2024-11-05': ['name', 'arguments', '_meta'],
      '2025-03-26': ['name', 'arguments', '_meta'],
      '2025-06-18': ['name', 'arguments', '_meta'],
      '2025-11-25': ['name', 'arguments', 'task', '_meta'],
      '2026-07-28': ['name', 'arguments', 'requestState', 'inputResponses', '_meta'],
    },
  },
  {
    name: 'ClientCapabilities',
    value: { roots: { listChanged: true }, sampling: {}, elicitation: {}, tasks: {}, extensions: {}, experimental: {} },
    kept: {
      '2024-11-05': ['roots', 'sampling', 'extensions', 'experimental'],
      '2025-03-26': ['roots', 'sampling', 'extensions', 'experimental'],
      '2025-06-18': ['roots', 'sampling', 'elicitation', 'extensions', 'experimental'],
      '2025-11-25': ['roots', 'sampling', 'elicitation', 'tasks', 'extensions', 'experimental'],
      '2026-07-28': ['roots', 'sampling', 'elicitation', 'extensions', 'experimental'],
    },
  },
  {
    name: 'Implementation',
    value: { name: 'n', version: '1', title: '', description: '', websiteUrl: 'https://example.com', icons: [] },
    kept: {
      '2024-11-05': ['name', 'version'],
      '2025-03-26': ['name', 'version'],
      '2025-06-18': ['name', 'version', 'title'],
      '2025-11-25': ['name', 'version', 'title', 'description', 'websiteUrl', 'icons'],
      '2026-07-28': ['name', 'version', 'title', 'description', 'websiteUrl', 'icons'],
    },
  },
]

describe.each(SUPERSETS)('the sieve on a $name', ({ name, value, kept }) => {
  it.each(PROTOCOL_VERSIONS)('keeps what %s has, and what is a vendor’s', (version) => {
    const input = deepFreeze({ ...value, ...VENDOR })
    const sieved = grammarOf(version).sieve(name, input)
    const expected = Object.entries(input).filter(([key]) => key === 'x-vendor' || kept[version].includes(key))
    expect(sieved).toEqual(Object.fromEntries(expected))
    expect(grammarOf(version).sieve(name, sieved)).toBe(sieved)
  })
})

describe('the sieve', () => {
  const legacy: Grammar = grammarOf('2024-11-05')

  it('gives the same object back when nothing has to go', () => {
    const result = deepFreeze({ content: [{ type: 'text', text: 'hi' }], 'x-vendor': 1 })
    expect(legacy.sieve('CallToolResult', result)).toBe(result)
  })

  it('copies what changes and shares what does not', () => {
    const untouched = { type: 'text', text: 'a' }
    const result = deepFreeze({ content: [untouched, { type: 'text', text: 'b', ...META }] })
    const sieved = legacy.sieve('CallToolResult', result)
    expect(sieved).toEqual({ content: [untouched, { type: 'text', text: 'b' }] })
    expect(sieved.content[0]).toBe(untouched)
  })

  it('reaches through unions, lists and maps', () => {
    const read = { contents: [{ uri: 'a:b', blob: '', ...META }] }
    expect(legacy.sieve('ReadResourceResult', read)).toEqual({ contents: [{ uri: 'a:b', blob: '' }] })

    const asking = {
      resultType: 'input_required',
      inputRequests: {
        url: { method: 'elicitation/create', params: { mode: 'url', message: '', url: 'a:b', elicitationId: 'e' } },
        form: {
          method: 'elicitation/create',
          params: { message: '', task: {}, requestedSchema: { type: 'object', properties: {} } },
        },
      },
    }
    const { inputRequests } = grammarOf('2026-07-28').sieve('InputRequiredResult', deepFreeze(asking))
    expect(inputRequests.url.params).toEqual({ mode: 'url', message: '', url: 'a:b' })
    expect(inputRequests.form.params).toEqual({ message: '', requestedSchema: { type: 'object', properties: {} } })
  })

  it('leaves alone what it does not recognise', () => {
    for (const value of [null, 'text', 5, [], { content: 'none' }, { content: [{ type: 'video', _meta: {} }, 7] }]) {
      expect(legacy.sieve('CallToolResult', value)).toBe(value)
    }
  })

  it('F059 keeps a key named __proto__ as data', () => {
    const result = JSON.parse('{"content":[],"structuredContent":{},"__proto__":{"polluted":1}}')
    const sieved = legacy.sieve('CallToolResult', result)
    expect(JSON.stringify(sieved)).toBe('{"content":[],"__proto__":{"polluted":1}}')
    expect(Object.getPrototypeOf(sieved)).toBe(Object.prototype)

    const asking = JSON.parse(
      '{"resultType":"input_required","inputRequests":{"__proto__":{"method":"elicitation/create","params":{"mode":"url","message":"","url":"a:b","elicitationId":"e"}}}}',
    )
    const { inputRequests } = grammarOf('2026-07-28').sieve('InputRequiredResult', asking)
    expect(Object.keys(inputRequests)).toEqual(['__proto__'])
    expect(JSON.stringify(inputRequests)).not.toContain('elicitationId')
  })

  it('does not take an inherited member for one that has to go', () => {
    const result = Object.assign(Object.create({ structuredContent: {} }), { content: [] })
    expect(legacy.sieve('CallToolResult', result)).toBe(result)
  })

  it('has a reason for each exception', () => {
    for (const { shapes, reason } of NEVER_SIEVED) {
      expect(shapes.length).toBeGreaterThan(0)
      expect(reason).toMatch(/\w.*\.$/)
    }
  })
})

function deepFreeze<T extends object>(value: T): T {
  for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) deepFreeze(item)
  return Object.freeze(value)
}
