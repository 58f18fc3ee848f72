import { describe, expect, it, vi } from 'vitest'
import { ToolCatalog } from '../../../../src/client/session/tool-catalog.ts'
import { type Fault, FaultReporter } from '../../../../src/dispatcher/fault.ts'
import { createSchemaEngine } from '../../../../src/schema/engine.ts'
import { InvalidResultError } from '../../../../src/types/errors/failures.ts'
import type { Tool, ToolOutputSchema } from '../../../../src/types/features/tools.ts'

const tool = (name: string, outputSchema?: ToolOutputSchema): Tool => ({
  name,
  inputSchema: { type: 'object', properties: { q: { type: 'string', 'x-mcp-header': 'Q' } } },
  ...(outputSchema && { outputSchema }),
})

function createCatalog() {
  const faults: Fault[] = []
  const ours = createSchemaEngine()
  const engine = { compile: vi.fn((schema: Parameters<typeof ours.compile>[0]) => ours.compile(schema)) }
  const catalog = new ToolCatalog(engine, new FaultReporter((fault) => faults.push(fault)))
  const learn = (tools: Tool[], isComplete = false) => catalog.learn({ tools }, { isComplete, mirrorsArguments: true })
  const check = (name: string, structuredContent: unknown) => {
    // An engine that is there checks at once.
    expect(catalog.checkResult(name, { content: [], structuredContent })).toBe(undefined)
  }
  return { catalog, engine, faults, learn, check }
}

describe('the tool catalog', () => {
  it('compiles an output schema when a result needs it, once per tool', () => {
    const { engine, learn, check } = createCatalog()
    learn([tool('a', { type: 'object' })])
    expect(engine.compile).not.toHaveBeenCalled()
    check('a', {})
    check('a', {})
    learn([tool('a', { type: 'object' })])
    check('a', {})
    expect(engine.compile).toHaveBeenCalledTimes(1)
  })

  it('compiles again when the schema has changed, where true is not 1', () => {
    const { engine, learn, check } = createCatalog()
    learn([tool('a', { const: 1 })])
    check('a', 1)
    learn([tool('a', { const: true })])
    expect(() => check('a', 1)).toThrow(InvalidResultError)
    expect(engine.compile).toHaveBeenCalledTimes(2)
  })

  it('forgets the schema of a tool that has none any more', () => {
    const { learn, check } = createCatalog()
    learn([tool('a', { type: 'string' })])
    expect(() => check('a', 1)).toThrow(InvalidResultError)
    learn([tool('a')])
    expect(() => check('a', 1)).not.toThrow()
  })

  it('adds with pages and prunes with a complete listing', () => {
    const { catalog, learn } = createCatalog()
    learn([tool('a')])
    learn([tool('b')])
    expect([catalog.knows('a'), catalog.knows('b')]).toEqual([true, true])
    learn([tool('b')], true)
    expect([catalog.knows('a'), catalog.knows('b')]).toEqual([false, true])
  })

  it('returns the very listing where nothing is left out, and never changes it', () => {
    const { catalog, learn } = createCatalog()
    const listing = { tools: [tool('a')] }
    expect(catalog.learn(listing, { isComplete: true, mirrorsArguments: true })).toBe(listing)
    const bad: Tool = { name: 'bad', inputSchema: { type: 'object', 'x-mcp-header': 'Root' } }
    const mixed = [bad, tool('a')]
    expect(learn(mixed).tools).toHaveLength(1)
    expect(mixed).toHaveLength(2)
  })

  it('names the tool and the reason, shortened and in quotes, when it leaves one out', () => {
    const { faults, learn } = createCatalog()
    const name = `\n${'x'.repeat(10_000)}`
    learn([{ name, inputSchema: { type: 'object', 'x-mcp-header': 'Root' } }])
    expect(faults[0]?.message).toMatch(/^The tool "\\nx{127}…" was left out of the listing: x-mcp-header at the root/)
  })

  it('knows tools with hostile names as plain data', () => {
    const { catalog, learn, check } = createCatalog()
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(catalog.knows(name)).toBe(false)
      expect(catalog.annotationsOf(name)).toEqual([])
      learn([tool(name, { type: 'string' })])
      expect(() => check(name, 1)).toThrow(InvalidResultError)
    }
  })

  it('is bounded, whatever a server lists', () => {
    const { catalog, learn } = createCatalog()
    learn([tool('first')])
    learn(Array.from({ length: 10_000 }, (_, index) => tool(`t${index}`)))
    expect(catalog.knows('first')).toBe(false)
    expect(catalog.knows('t9999')).toBe(true)
  })

  it.each([
    ['an unusable schema', { type: 12 } as never],
    ['an unknown dialect', { $schema: 'https://example.com/mine' }],
    ['F191 a hostile pattern', { type: 'string', pattern: '(a+)+$' }],
  ])('rejects results that cannot be checked, with the reason as cause: %s', (_what, schema) => {
    const { learn, check } = createCatalog()
    learn([tool('a', schema)])
    const failure = (() => {
      try {
        check('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!')
      } catch (error) {
        return error
      }
      return undefined
    })()
    expect(failure).toBeInstanceOf(InvalidResultError)
    expect((failure as Error).cause).toBeInstanceOf(Error)
  })

  it('never repeats the content of a result', () => {
    const { learn, check } = createCatalog()
    learn([tool('a', { type: 'object', properties: { n: { const: 1 } } })])
    expect(() => check('a', { n: 'hunter2' })).toThrow(expect.not.stringContaining('hunter2') as never)
    expect(() => check('a', { n: 'hunter2' })).toThrow(InvalidResultError)
  })
})
