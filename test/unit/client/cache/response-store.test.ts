// The store in memory.
import { describe, expect, it } from 'vitest'
import { type CacheEntry, InMemoryResponseCacheStore } from '../../../../src/client/cache/response-store.ts'

const entry = (name: string): CacheEntry => ({ value: { name }, scope: 'private', expiresAt: 1 })

describe('InMemoryResponseCacheStore', () => {
  it('drops what was used longest ago', () => {
    const store = new InMemoryResponseCacheStore(2)
    store.set('a', entry('a'))
    store.set('b', entry('b'))
    store.get('a')
    store.set('c', entry('c'))
    expect(store.get('b')).toBeUndefined()
    expect(store.get('a')).toEqual(entry('a'))
    expect(store.get('c')).toEqual(entry('c'))
  })

  it('does not drop anything for an entry that is written again', () => {
    const store = new InMemoryResponseCacheStore(2)
    store.set('a', entry('a'))
    store.set('b', entry('b'))
    store.set('a', entry('a2'))
    expect(store.get('a')).toEqual(entry('a2'))
    expect(store.get('b')).toEqual(entry('b'))
  })

  it('keeps all with a bound of 0, and 1,024 without one', () => {
    const all = new InMemoryResponseCacheStore(0)
    const some = new InMemoryResponseCacheStore()
    for (let index = 0; index < 2_000; index++) {
      all.set(`${index}`, entry('x'))
      some.set(`${index}`, entry('x'))
    }
    expect(all.size).toBe(2_000)
    expect(some.size).toBe(1_024)
  })

  it('deletes and clears', () => {
    const store = new InMemoryResponseCacheStore()
    store.set('a', entry('a'))
    store.set('b', entry('b'))
    store.delete('a')
    expect(store.get('a')).toBeUndefined()
    store.clear()
    expect(store.size).toBe(0)
  })

  it.each([-1, 1.5, Number.NaN])('rejects a bound of %s', (max) => {
    expect(() => new InMemoryResponseCacheStore(max)).toThrow(RangeError)
  })
})
