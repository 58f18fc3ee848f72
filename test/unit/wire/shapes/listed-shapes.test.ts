// The shapes of listed things that are written out are those of the newest revision, down to the order of their members.
import { expect, it } from 'vitest'
import { LATEST_PROTOCOL_VERSION } from '../../../../src/types/protocol/versions.ts'
import { SHAPES } from '../../../../src/wire/shapes/grammar.ts'
import { LISTED_SHAPES, misfitOfListed } from '../../../../src/wire/shapes/listed-shapes.ts'

const published = SHAPES[LATEST_PROTOCOL_VERSION]

it.each(Object.entries(LISTED_SHAPES))('%s is as the newest revision has it', (name, make) => {
  expect(JSON.stringify(make())).toBe(JSON.stringify(published[name]?.()))
})

it('names nothing that is not written out', () => {
  const named = Object.values(LISTED_SHAPES).flatMap((make) => namesIn(make()))
  expect(named).toContain('Icon')
  expect(named.filter((name) => !Object.hasOwn(LISTED_SHAPES, name))).toEqual([])
})

it('says where something does not fit', () => {
  const tool = { name: 'add', inputSchema: { type: 'object' }, icons: [{ src: 'data:,', theme: 'blue' }] }
  expect(misfitOfListed('Tool', tool)?.path).toEqual(['icons', 0, 'theme'])
  expect(misfitOfListed('Tool', { ...tool, icons: [] })).toBeUndefined()
})

/** The names of other shapes that a shape has inside. */
function namesIn(shape: unknown, key = ''): string[] {
  if (typeof shape === 'string') return key === 'kind' ? [] : [shape]
  if (typeof shape !== 'object' || shape === null) return []
  const { kind, values } = shape as { kind?: unknown; values?: unknown }
  if (kind === 'oneOf' && Array.isArray(values)) return []
  return Object.entries(shape).flatMap(([member, inner]) => namesIn(inner, member))
}
