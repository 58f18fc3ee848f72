// Listings over many pages, and servers that never let them end.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { eachItem, eachPage, MAX_PAGES } from '../../../../src/client/session/pages.ts'
import { LimitError } from '../../../../src/types/errors/failures.ts'

interface Page {
  items: number[]
  nextCursor?: string
}

const itemsOf = (page: Page) => page.items

async function collect(...listing: Parameters<typeof eachItem<Page, number>>): Promise<number[]> {
  const items: number[] = []
  for await (const item of eachItem(...listing)) items.push(item)
  return items
}

/** A server that has these pages, by cursor; the first one under `undefined`. */
function serverOf(pages: Map<string | undefined, Page>) {
  return vi.fn(async (cursor: string | undefined) => pages.get(cursor) ?? { items: [] })
}

describe('eachItem', () => {
  it('returns all items of all pages in order', async () => {
    const cursors = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        cursors,
        fc.array(fc.array(fc.integer()), { minLength: 9, maxLength: 9 }),
        async (names, lists) => {
          const pages = new Map<string | undefined, Page>()
          const keys = [undefined, ...names]
          keys.forEach((key, index) => {
            const nextCursor = keys[index + 1]
            pages.set(key, { items: lists[index]!, ...(nextCursor === undefined ? {} : { nextCursor }) })
          })
          expect(await collect(serverOf(pages), itemsOf)).toEqual(lists.slice(0, keys.length).flat())
        },
      ),
      { seed: 7, numRuns: 50 },
    )
  })

  it('treats an empty cursor as a cursor', async () => {
    const fetchPage = serverOf(
      new Map<string | undefined, Page>([
        [undefined, { items: [1], nextCursor: '' }],
        ['', { items: [2] }],
      ]),
    )
    expect(await collect(fetchPage, itemsOf)).toEqual([1, 2])
  })

  it('treats null as the end', async () => {
    const page = { items: [1], nextCursor: null } as unknown as Page
    expect(await collect(async () => page, itemsOf)).toEqual([1])
  })

  it('fetches a page only when it is read', async () => {
    const fetchPage = serverOf(new Map<string | undefined, Page>([[undefined, { items: [1, 2], nextCursor: 'next' }]]))
    for await (const item of eachItem(fetchPage, itemsOf)) if (item === 2) break
    expect(fetchPage).toHaveBeenCalledTimes(1)
  })

  it('rejects with the failure of a page', async () => {
    const failure = new Error('gone')
    await expect(collect(() => Promise.reject(failure), itemsOf)).rejects.toBe(failure)
  })
})

describe('eachPage', () => {
  it('F101 stops at a cursor that does not change', async () => {
    const fetchPage = vi.fn(async (): Promise<Page> => ({ items: [1], nextCursor: 'same' }))
    await expect(collect(fetchPage, itemsOf)).rejects.toThrow(LimitError)
    expect(fetchPage).toHaveBeenCalledTimes(2)
  })

  it('F101 stops at cursors that go in a circle', async () => {
    const next: Record<string, string> = { start: 'a', a: 'b', b: 'c', c: 'a' }
    const fetchPage = vi.fn(async (cursor: string | undefined): Promise<Page> => {
      return { items: [], nextCursor: next[cursor ?? 'start']! }
    })
    await expect(collect(fetchPage, itemsOf)).rejects.toThrow(/had sent before/)
    expect(fetchPage).toHaveBeenCalledTimes(4)
  })

  it('F101 stops at a listing that never ends', async () => {
    const fetchPage = vi.fn(async (cursor = '0'): Promise<Page> => ({ items: [], nextCursor: `${Number(cursor) + 1}` }))
    const reading = (async () => {
      for await (const _page of eachPage(fetchPage));
    })()
    await expect(reading).rejects.toMatchObject({ max: MAX_PAGES })
    expect(fetchPage).toHaveBeenCalledTimes(MAX_PAGES)
  })

  it('allows as many pages as the limit says', async () => {
    const fetchPage = async (cursor = '1'): Promise<Page> => {
      const page = Number(cursor)
      return page === MAX_PAGES ? { items: [page] } : { items: [page], nextCursor: `${page + 1}` }
    }
    expect(await collect(fetchPage, itemsOf)).toHaveLength(MAX_PAGES)
  })
})
