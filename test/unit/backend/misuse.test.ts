// What is no backend, where one is wanted: mostly the client of an engine that nobody has wrapped.
import { describe, expect, test } from 'vitest'
import { type Backend, combine, observed, sealed } from '../../../src/exports/backend.ts'
import { MCPServer } from '../../../src/exports/server.ts'

const NONE = [
  ['undefined', undefined],
  ['an empty object', {}],
  ['a client', { get: () => {}, set: () => {}, close: () => {} }],
  ['parts alone', { records: {}, logs: {}, topics: {}, limits: {} }],
] as const

const takers: Record<string, (given: Backend) => unknown> = {
  'sealed()': (given) => sealed(given, ['s'.repeat(32)]),
  'observed()': (given) => observed(given, () => {}),
}

describe.each(NONE)('%s is no backend', (_what, given) => {
  test.each(Object.keys(takers))('for %s', (owner) => {
    expect(() => takers[owner]?.(given as never)).toThrow(TypeError)
    expect(() => takers[owner]?.(given as never)).toThrow(`${owner} takes a backend, as redis()`)
  })
})

test('combine() without parts says so', () => {
  expect(() => combine(undefined as never)).toThrow('The parts of combine() must be an object, not undefined.')
})

test('a server whose backend is a client of an engine says so when it starts', async () => {
  const server = new MCPServer('x', { backend: { get: () => {} } as never })
  const starting = server.run({ transport: 'http', port: 0 })
  await expect(starting).rejects.toThrow(/^The option backend takes a backend, as redis\(\).* not an object\.$/)
})
