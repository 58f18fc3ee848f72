import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Place, pageFrom, startOf } from '../../../src/mcpserver/pages.ts'

const places = (orders: readonly number[]): Place[] => orders.map((order) => ({ key: `k${order}`, order, index: 0 }))

function page(items: readonly Place[], cursor: string | undefined, size: number) {
  return pageFrom('list', items, startOf('list', items, cursor), size)
}

it('goes through a list once, page by page', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 7 }), (count, size) => {
      const items = places(Array.from({ length: count }, (_, order) => order))
      const seen: Place[] = []
      let cursor: string | undefined
      do {
        const { items: some, nextCursor } = page(items, cursor, size)
        expect(some.length).toBeLessThanOrEqual(size)
        seen.push(...some)
        cursor = nextCursor
      } while (cursor !== undefined)
      expect(seen).toEqual(items)
    }),
    { seed: 3, numRuns: 100 },
  )
})

it('loses and repeats nothing that stays, whatever comes and goes between two pages', () => {
  const change = fc.record({
    removed: fc.uniqueArray(fc.integer({ min: 0, max: 19 }), { maxLength: 12 }),
    size: fc.integer({ min: 1, max: 6 }),
    pages: fc.integer({ min: 1, max: 4 }),
  })
  fc.assert(
    fc.property(change, ({ removed, size, pages }) => {
      let items = places(Array.from({ length: 20 }, (_, order) => order))
      const seen: string[] = []
      let cursor: string | undefined
      let round = 0
      do {
        if (round === pages) items = [...items.filter(({ order }) => !removed.includes(order)), ...places([20, 21])]
        round += 1
        const { items: some, nextCursor } = page(items, cursor, size)
        seen.push(...some.map(({ key }) => key))
        cursor = nextCursor
      } while (cursor !== undefined)
      expect(new Set(seen).size).toBe(seen.length)
      for (const { key } of items) if (round > pages) expect(seen).toContain(key)
    }),
    { seed: 5, numRuns: 200 },
  )
})

it('goes on within a group whose last item has gone, and always gets further', () => {
  const group = (keys: string[]): Place[] => keys.map((key, index) => ({ key, order: 1, index }))
  const { nextCursor } = page(group(['a', 'b', 'c', 'd']), undefined, 2)
  expect(page(group(['x', 'y', 'z']), nextCursor, 2).items.map(({ key }) => key)).toEqual(['z'])
})

it('refuses every text that is no cursor of this list', () => {
  const items = places([0, 1, 2])
  const { nextCursor = '' } = page(items, undefined, 1)
  expect(startOf('list', items, nextCursor)).toBe(1)
  expect(() => startOf('other', items, nextCursor)).toThrow(expect.objectContaining({ code: -32602 }))
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json().map(btoaOf)), (cursor) => {
      expect(() => startOf('list', items, cursor)).toThrow(expect.objectContaining({ code: -32602 }))
    }),
    { seed: 11, numRuns: 300 },
  )
  expect(() => startOf('list', items, '')).toThrow(expect.objectContaining({ code: -32602 }))
})

function btoaOf(text: string): string {
  return Buffer.from(text).toString('base64url')
}
