import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Place, pageFrom, startOf } from '../../../../src/mcpserver/lists/pages.ts'

const places = (orders: readonly number[]): Place[] => orders.map((order) => ({ key: `k${order}`, order }))

function page(items: readonly Place[], cursor: string | undefined, size: number) {
  return pageFrom('list', items, startOf('list', items, cursor), size)
}

it('lists each item once, page by page', () => {
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

it('neither loses nor repeats items that stay, whatever is added and removed between two pages', () => {
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

/** Items that one registration brings along, between two that stand for themselves. */
function grouped(keys: readonly string[]): Place[] {
  return [{ key: 'before', order: 0 }, ...keys.map((key) => ({ key, order: 1 })), { key: 'behind', order: 2 }]
}

it('neither loses nor repeats items of a group, whatever is removed between two pages', () => {
  const removals = fc.array(fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 20 }), { maxLength: 8 })
  fc.assert(
    fc.property(removals, fc.integer({ min: 1, max: 6 }), (rounds, size) => {
      let keys = Array.from({ length: 30 }, (_, index) => `k${index}`)
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { items, nextCursor } = page(grouped(keys), cursor, size)
        seen.push(...items.map(({ key }) => key))
        cursor = nextCursor
        const gone = rounds.shift() ?? []
        keys = keys.filter((key) => !gone.some((n) => key === `k${n}`))
      } while (cursor !== undefined)
      expect(new Set(seen).size).toBe(seen.length)
      for (const { key } of grouped(keys)) expect(seen).toContain(key)
    }),
    { seed: 7, numRuns: 200 },
  )
})

it('continues in a group whose items have all been removed, and always advances', () => {
  const { nextCursor } = page(grouped(['a', 'b', 'c', 'd']), undefined, 3)
  const next = (keys: string[]) => page(grouped(keys), nextCursor, 5).items.map(({ key }) => key)
  expect(next(['c', 'd'])).toEqual(['c', 'd', 'behind'])
  expect(next(['d'])).toEqual(['d', 'behind'])
  expect(next([])).toEqual(['behind'])
  // Others in their place, and as many: what was passed once is not passed again.
  expect(next(['w', 'x', 'y', 'z'])).toEqual(['y', 'z', 'behind'])
})

it('loses nothing of a long group either, and its cursors stay short', () => {
  const keys = Array.from({ length: 1000 }, (_, index) => `notes://day/${index}`)
  const { nextCursor = '' } = page(grouped(keys), undefined, 501)
  expect(nextCursor.length).toBeLessThan(2500)
  const next = (rest: string[]) => page(grouped(rest), nextCursor, 501).items[0]?.key
  expect(next(keys.slice(0, 400).concat(keys.slice(500)))).toBe('notes://day/500')
  expect(next(keys.slice(500))).toBe('notes://day/500')
  expect(next(keys.slice(600))).toBe('notes://day/600')
})

it('rejects every text that is not a cursor of this list', () => {
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
