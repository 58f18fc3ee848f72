// The response cache: what is served again, to whom, for how long, and what ends it.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type CacheConfig, cacheModeOf, checkCacheConfig } from '../../../../src/client/cache/cache-config.ts'
import {
  type CachedCall,
  MAX_TTL_MS,
  ResponseCache,
  type ResponseCacheOptions,
} from '../../../../src/client/cache/response-cache.ts'
import {
  type CacheEntry,
  fingerprint,
  InMemoryResponseCacheStore,
  type ResponseCacheStore,
  slotOf,
} from '../../../../src/client/cache/response-store.ts'
import { SharedRequests } from '../../../../src/client/cache/shared-requests.ts'
import { withoutUserinfo } from '../../../../src/client/opening/targets.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import type { CacheableResult } from '../../../../src/types/protocol/base.ts'
import { settle } from '../../../support/peers.ts'

type Listing = CacheableResult & { tools: string[] }

const TOOLS = slotOf('tools/list')
const listing = (name: string, more: Partial<Listing> = {}): Listing => ({ tools: [name], ttlMs: 1_000, ...more })

const origin = { protocolVersion: '2026-07-28', server: 'server', partition: 'ada', sharesPublic: false }

function setUp(options: Partial<ResponseCacheOptions> = {}) {
  const faults: Fault[] = []
  const time = { now: 1_000_000 }
  const store = options.store ?? new InMemoryResponseCacheStore()
  const cache = new ResponseCache({
    origin,
    honorsServerTtl: true,
    clock: () => time.now,
    report: (fault) => faults.push(fault),
    ...options,
    store,
  })
  return { cache, faults, time, store }
}

/** Serves a call; the results are those given, one per fetch. */
function serveFrom(cache: ResponseCache, results: Listing[]) {
  const fetch = vi.fn(async () => ({ result: results.shift()!, isCacheable: true }))
  const serve = (call: Partial<CachedCall<Listing>> = {}) =>
    cache.serve<Listing>({ slot: TOOLS, mode: 'use', isShareable: true, fetch, ...call })
  return { fetch, serve }
}

describe('what is served', () => {
  it('is the stored result while it is fresh, and a new one from then on', async () => {
    const { cache, time } = setUp()
    const { serve, fetch } = serveFrom(cache, [listing('first'), listing('second')])
    await serve()
    time.now += 999
    expect(await serve()).toEqual(listing('first'))
    time.now += 1
    expect(await serve()).toEqual(listing('second'))
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('differs by method and uri', async () => {
    const { cache } = setUp()
    const { serve, fetch } = serveFrom(cache, [listing('a'), listing('b'), listing('c')])
    await serve({ slot: slotOf('resources/read', 'file:///a') })
    await serve({ slot: slotOf('resources/read', 'file:///b') })
    await serve({ slot: slotOf('resources/list') })
    expect(fetch).toHaveBeenCalledTimes(3)
    expect(await serve({ slot: slotOf('resources/read', 'file:///b') })).toEqual(listing('b'))
  })

  it('is a copy when stored and when read', async () => {
    const { cache } = setUp()
    const { serve } = serveFrom(cache, [listing('first')])
    const fetched = await serve()
    fetched.tools.push('spoiled')
    const served = await serve()
    served.tools.push('spoiled')
    expect(await serve()).toEqual(listing('first'))
  })

  it('calls onHit for hits, and only for hits', async () => {
    const { cache } = setUp()
    const { serve } = serveFrom(cache, [listing('first')])
    const onHit = vi.fn()
    await serve({ onHit })
    expect(onHit).not.toHaveBeenCalled()
    await serve({ onHit })
    expect(onHit).toHaveBeenCalledExactlyOnceWith(listing('first'))
  })

  it.each([0, -5, Number.NaN, undefined])('F221 is nothing with a ttl of %s', async (ttlMs) => {
    const { cache } = setUp()
    const result = { tools: ['a'], ...(ttlMs === undefined ? {} : { ttlMs }) }
    const { serve, fetch } = serveFrom(cache, [result, result])
    await serve()
    await serve()
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('F221 is served for a day at most, whatever the server says', async () => {
    const { cache, time } = setUp()
    const { serve, fetch } = serveFrom(cache, [listing('a', { ttlMs: Infinity }), listing('b', { ttlMs: Infinity })])
    await serve()
    time.now += MAX_TTL_MS - 1
    await serve()
    expect(fetch).toHaveBeenCalledTimes(1)
    time.now += 1
    await serve()
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('is nothing after the clock was set back by more than a day', async () => {
    const { cache, time } = setUp()
    const { serve, fetch } = serveFrom(cache, [listing('a'), listing('b')])
    await serve()
    time.now -= 2 * MAX_TTL_MS
    await serve()
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('follows the default where the server says nothing, and where its revision cannot', async () => {
    const said = setUp({ defaultTtlMs: 500 })
    const first = serveFrom(said.cache, [listing('a', { ttlMs: 0 }), listing('b', { ttlMs: 0 })])
    await first.serve()
    await first.serve()
    expect(first.fetch).toHaveBeenCalledTimes(2)

    const unsaid = setUp({ defaultTtlMs: 500, honorsServerTtl: false })
    const second = serveFrom(unsaid.cache, [listing('a', { ttlMs: 0 })])
    await second.serve()
    await second.serve()
    expect(second.fetch).toHaveBeenCalledTimes(1)
  })

  it('is nothing in the legacy era without a default, whatever a server sends', async () => {
    const { cache, store } = setUp({ honorsServerTtl: false })
    const { serve, fetch } = serveFrom(cache, [listing('a'), listing('b')])
    await Promise.all([serve(), serve()])
    expect(fetch).toHaveBeenCalledTimes(2)
    expect((store as InMemoryResponseCacheStore).size).toBe(0)
  })
})

describe('modes', () => {
  it('refresh fetches and stores', async () => {
    const { cache } = setUp()
    const { serve } = serveFrom(cache, [listing('first'), listing('second')])
    await serve()
    expect(await serve({ mode: 'refresh' })).toEqual(listing('second'))
    expect(await serve()).toEqual(listing('second'))
  })

  it('bypass fetches and does not touch the store', async () => {
    const { cache } = setUp()
    const { serve } = serveFrom(cache, [listing('first'), listing('second')])
    await serve()
    expect(await serve({ mode: 'bypass' })).toEqual(listing('second'))
    expect(await serve()).toEqual(listing('first'))
  })

  it('use with _meta of its own is a refresh', () => {
    expect(cacheModeOf({})).toBe('use')
    expect(cacheModeOf({ meta: {} })).toBe('refresh')
    expect(cacheModeOf({ meta: {}, cacheMode: 'bypass' })).toBe('bypass')
    expect(() => cacheModeOf({ cacheMode: 'never' as 'use' })).toThrow(RangeError)
  })

  it('a refresh whose result cannot be stored removes the old one', async () => {
    const { cache } = setUp()
    const { serve, fetch } = serveFrom(cache, [listing('first'), listing('third')])
    await serve()
    await serve({ mode: 'refresh', fetch: async () => ({ result: listing('second'), isCacheable: false }) })
    expect(await serve()).toEqual(listing('third'))
    expect(fetch).toHaveBeenCalledTimes(2)
  })
})

describe('invalidation', () => {
  it.each([
    [{ type: 'toolsListChanged' }, slotOf('tools/list')],
    [{ type: 'promptsListChanged' }, slotOf('prompts/list')],
    [{ type: 'resourcesListChanged' }, slotOf('resources/list')],
    [{ type: 'resourcesListChanged' }, slotOf('resources/templates/list')],
    [{ type: 'resourceUpdated', uri: 'file:///a' }, slotOf('resources/read', 'file:///a')],
  ] as const)('F221 by %j', async (event, slot) => {
    const { cache } = setUp()
    const { serve } = serveFrom(cache, [listing('old'), listing('new')])
    await serve({ slot })
    await cache.invalidate(event)
    expect(await serve({ slot })).toEqual(listing('new'))
  })

  it('of one resource leaves the others', async () => {
    const { cache } = setUp()
    const { serve, fetch } = serveFrom(cache, [listing('a')])
    const slot = slotOf('resources/read', 'file:///a')
    await serve({ slot })
    await cache.invalidate({ type: 'resourceUpdated', uri: 'file:///a/b' })
    await serve({ slot })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('wins over a fetch in progress', async () => {
    const { cache } = setUp()
    const { serve } = serveFrom(cache, [listing('new')])
    const slow = createDeferred<{ result: Listing; isCacheable: boolean }>()
    const stale = serve({ fetch: () => slow.promise })
    await settle()
    await cache.invalidate({ type: 'toolsListChanged' })
    slow.resolve({ result: listing('old'), isCacheable: true })
    expect(await stale).toEqual(listing('old'))
    expect(await serve()).toEqual(listing('new'))
  })

  it('wins over a write in progress', async () => {
    const writing = createDeferred()
    const memory = new InMemoryResponseCacheStore()
    const store = slowStore(memory, {
      set: async (key, entry) => {
        await writing.promise
        memory.set(key, entry)
      },
    })
    const { cache } = setUp({ store })
    const { serve } = serveFrom(cache, [listing('old'), listing('new')])
    const first = serve()
    await settle()
    const invalidated = cache.invalidate({ type: 'toolsListChanged' })
    const second = serve()
    await settle()
    writing.resolve()
    await Promise.all([first, invalidated])
    expect(await second).toEqual(listing('new'))
    expect(await serve()).toEqual(listing('new'))
  })

  it('wins over a read in progress', async () => {
    const memory = new InMemoryResponseCacheStore()
    const reading = createDeferred()
    let isSlow = false
    const store = slowStore(memory, {
      get: async (key) => {
        const entry = memory.get(key)
        if (isSlow) await reading.promise
        return entry
      },
    })
    const { cache } = setUp({ store })
    const { serve } = serveFrom(cache, [listing('old'), listing('new')])
    await serve()
    isSlow = true
    const second = serve()
    await settle()
    await cache.invalidate({ type: 'toolsListChanged' })
    reading.resolve()
    expect(await second).toEqual(listing('new'))
  })

  it('counts at once although the store is slow to delete', async () => {
    const memory = new InMemoryResponseCacheStore()
    const deleting = createDeferred()
    let isSlow = false
    const store = slowStore(memory, {
      delete: async (key) => {
        if (isSlow) await deleting.promise
        memory.delete(key)
      },
    })
    const { cache } = setUp({ store })
    const { serve } = serveFrom(cache, [listing('old'), listing('new')])
    await serve()
    isSlow = true
    void cache.invalidate({ type: 'toolsListChanged' })
    const second = serve()
    await settle()
    deleting.resolve()
    expect(await second).toEqual(listing('new'))
  })

  it('holds when more slots were invalidated than are remembered', async () => {
    const { cache } = setUp()
    const { serve } = serveFrom(cache, [listing('new')])
    const slow = createDeferred<{ result: Listing; isCacheable: boolean }>()
    const stale = serve({ fetch: () => slow.promise })
    await settle()
    await cache.invalidate({ type: 'toolsListChanged' })
    for (let index = 0; index < 5_000; index++) {
      await cache.invalidate({ type: 'resourceUpdated', uri: `file:///${index}` })
    }
    slow.resolve({ result: listing('old'), isCacheable: true })
    await stale
    expect(await serve()).toEqual(listing('new'))
  })
})

describe('who gets a result', () => {
  const shared = () => new InMemoryResponseCacheStore()
  const at = (store: ResponseCacheStore, more: Partial<typeof origin>) =>
    setUp({ store, origin: { ...origin, ...more } }).cache

  it.each(['private', 'public'] as const)('F221 a %s result stays with its principal', async (cacheScope) => {
    const store = shared()
    await serveFrom(at(store, { partition: 'ada' }), [listing('hers', { cacheScope })]).serve()
    const his = serveFrom(at(store, { partition: 'bob' }), [listing('his', { cacheScope })])
    expect(await his.serve()).toMatchObject({ tools: ['his'] })
  })

  it('a public result is for all where that is asked for, a private one never', async () => {
    const store = shared()
    const slot = slotOf('prompts/list')
    const hers = serveFrom(at(store, { partition: 'ada', sharesPublic: true }), [
      listing('public', { cacheScope: 'public' }),
      listing('private', { cacheScope: 'private' }),
    ])
    await hers.serve()
    await hers.serve({ slot })
    const his = serveFrom(at(store, { partition: 'bob', sharesPublic: true }), [listing('his')])
    expect(await his.serve()).toMatchObject({ tools: ['public'] })
    expect(await his.serve({ slot })).toMatchObject({ tools: ['his'] })
  })

  it('nothing crosses servers or revisions', async () => {
    const store = shared()
    await serveFrom(at(store, {}), [listing('a')]).serve()
    expect(await serveFrom(at(store, { server: 'other' }), [listing('b')]).serve()).toMatchObject({ tools: ['b'] })
    const older = at(store, { protocolVersion: '2025-11-25' })
    expect(await serveFrom(older, [listing('c')]).serve()).toMatchObject({ tools: ['c'] })
  })

  it('a result without a scope is private', async () => {
    const store = shared()
    await serveFrom(at(store, { sharesPublic: true }), [listing('hers')]).serve()
    const his = serveFrom(at(store, { partition: 'bob', sharesPublic: true }), [listing('his')])
    expect(await his.serve()).toMatchObject({ tools: ['his'] })
  })

  it('a result that changes its scope leaves nothing in the old one', async () => {
    const store = shared()
    const { serve } = serveFrom(at(store, { sharesPublic: true }), [
      listing('public', { cacheScope: 'public' }),
      listing('private', { cacheScope: 'private' }),
    ])
    await serve()
    await serve({ mode: 'refresh' })
    expect(store.size).toBe(1)
    expect(await serve()).toMatchObject({ tools: ['private'] })
  })

  it('a private entry under a public key is not served', async () => {
    const memory = new InMemoryResponseCacheStore()
    const store = slowStore(memory, {
      get: async (key) => {
        const entry = memory.get(key)
        return entry && { ...entry, scope: entry.scope === 'public' ? 'private' : 'public' }
      },
    })
    const { cache } = setUp({ store })
    const { serve, fetch } = serveFrom(cache, [listing('a'), listing('b')])
    await serve()
    await serve()
    expect(fetch).toHaveBeenCalledTimes(2)
  })
})

describe('a store that fails', () => {
  const broken = (): ResponseCacheStore => ({
    get: () => Promise.reject(new Error('no get')),
    set: () => {
      throw new Error('no set')
    },
    delete: () => {},
    clear: () => {},
  })

  it('is a miss, and one report per kind of operation', async () => {
    const { cache, faults } = setUp({ store: broken() })
    const { serve, fetch } = serveFrom(cache, [listing('a'), listing('b'), listing('c')])
    for (let count = 0; count < 3; count++) await serve()
    expect(fetch).toHaveBeenCalledTimes(3)
    expect(faults.map(({ message }) => /failed to (\w+)/.exec(message)?.[1])).toEqual(['get', 'set'])
  })

  it('is reported again after it has worked', async () => {
    const store = broken()
    const { cache, faults } = setUp({ store })
    const { serve } = serveFrom(cache, [listing('a'), listing('b'), listing('c')])
    const failingSet = store.set
    await serve()
    store.set = () => {}
    await serve()
    store.set = failingSet
    await serve()
    expect(faults.filter(({ message }) => message.includes('failed to set'))).toHaveLength(2)
  })

  it.each(['nonsense', null, {}, { value: [], scope: 'private', expiresAt: Infinity }])(
    'costs a miss when it returns %j',
    async (entry) => {
      const store = { ...broken(), get: () => entry as CacheEntry, set: () => {} }
      const { serve, fetch } = serveFrom(setUp({ store }).cache, [listing('a'), listing('b')])
      await serve()
      await serve()
      expect(fetch).toHaveBeenCalledTimes(2)
    },
  )

  describe('to answer', () => {
    afterEach(() => {
      vi.useRealTimers()
    })

    it('is waited for only for a limited time', async () => {
      vi.useFakeTimers()
      const store = { ...broken(), get: () => new Promise<never>(() => {}), set: () => {} }
      const { cache, faults } = setUp({ store })
      const { serve } = serveFrom(cache, [listing('a')])
      const served = serve()
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await served).toEqual(listing('a'))
      expect(faults).toHaveLength(1)
    })
  })
})

describe('identical calls at the same time', () => {
  it('do not join a request that is being cancelled, not even at once', async () => {
    const requests = new SharedRequests<Listing>()
    const controller = new AbortController()
    const first = requests.join('x', controller.signal, () => new Promise(() => {}))
    controller.abort(new Error('enough'))
    const second = requests.join('x', undefined, async () => listing('second'))
    await expect(first).rejects.toThrow('enough')
    expect(await second).toEqual(listing('second'))
  })

  it('share one request, and each gets a copy', async () => {
    const { cache } = setUp()
    const { serve, fetch } = serveFrom(cache, [listing('a', { ttlMs: 0 })])
    const [first, second] = await Promise.all([serve(), serve()])
    expect(fetch).toHaveBeenCalledTimes(1)
    expect(second).toEqual(first)
    first.tools.push('spoiled')
    expect(second.tools).toEqual(['a'])
  })

  it('share a failure too, and the next call asks again', async () => {
    const { cache } = setUp()
    const fetch = vi.fn(() => Promise.reject(new Error('down')))
    const { serve } = serveFrom(cache, [])
    const outcomes = await Promise.allSettled([serve({ fetch }), serve({ fetch })])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(fetch).toHaveBeenCalledTimes(1)
    await expect(serve({ fetch })).rejects.toThrow('down')
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('do not share when one of them has options of its own', async () => {
    const { cache } = setUp()
    const { serve, fetch } = serveFrom(cache, [listing('a'), listing('b')])
    await Promise.all([serve(), serve({ isShareable: false })])
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('do not share when a change happens between them', async () => {
    const { cache } = setUp()
    const { serve, fetch } = serveFrom(cache, [listing('new')])
    const slow = createDeferred<{ result: Listing; isCacheable: boolean }>()
    const before = serve({ fetch: () => slow.promise })
    await settle()
    void cache.invalidate({ type: 'toolsListChanged' })
    expect(await serve()).toEqual(listing('new'))
    slow.resolve({ result: listing('old'), isCacheable: true })
    await before
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('the last one to leave cancels the request, and no call joins it any more', async () => {
    const { cache } = setUp()
    const signals: AbortSignal[] = []
    const fetch = vi.fn((signal: AbortSignal | undefined) => {
      signals.push(signal!)
      return new Promise<never>((_resolve, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason))
      })
    })
    const { serve } = serveFrom(cache, [listing('fresh')])
    const [one, two] = [new AbortController(), new AbortController()]
    const calls = [serve({ fetch, signal: one.signal }), serve({ fetch, signal: two.signal })]
    const outcomes = Promise.allSettled(calls)
    await settle()
    one.abort(new Error('one'))
    expect(signals[0]!.aborted).toBe(false)
    two.abort(new Error('two'))
    expect(signals[0]!.aborted).toBe(true)
    expect(await serve()).toEqual(listing('fresh'))
    expect((await outcomes).map((outcome) => (outcome as PromiseRejectedResult).reason.message)).toEqual(['one', 'two'])
  })

  it('one that is aborted already sends nothing', async () => {
    const { cache } = setUp()
    const { serve, fetch } = serveFrom(cache, [])
    await expect(serve({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before')
    expect(fetch).not.toHaveBeenCalled()
  })
})

describe('checkCacheConfig', () => {
  const store = new InMemoryResponseCacheStore()

  it.each<[CacheConfig, string | undefined]>([
    [{ store }, 'http://host/mcp'],
    [{ store, targetId: 'x' }, undefined],
    [{ store, partition: 'ada' }, undefined],
    ['yes' as CacheConfig, undefined],
  ])('rejects %j for a target at %s', (config, url) => {
    expect(() => checkCacheConfig(config, { url, hasBackend: false })).toThrow(TypeError)
  })

  it.each([-1, Number.NaN, Infinity])('rejects a default of %s', (defaultTtlMs) => {
    expect(() => checkCacheConfig({ defaultTtlMs }, { url: undefined, hasBackend: false })).toThrow(RangeError)
  })

  it.each<[CacheConfig, string | undefined]>([
    [{}, undefined],
    [{ store, partition: 'ada' }, 'http://host/mcp'],
    [{ store, partition: 'ada', targetId: 'x' }, undefined],
  ])('takes %j for a target at %s', (config, url) => {
    expect(() => checkCacheConfig(config, { url, hasBackend: false })).not.toThrow()
  })
})

describe('the identity of a server', () => {
  it.each([
    ['https://user:secret@host/mcp?a=1', 'https://host/mcp?a=1'],
    ['HTTPS://user@HOST:443/mcp/', 'HTTPS://HOST:443/mcp/'],
    ['https://host/a@b?c=d@e', 'https://host/a@b?c=d@e'],
  ])('of %s has no credentials and is else untouched', (url, expected) => {
    expect(withoutUserinfo(url)).toBe(expected)
  })

  it('does not show in its fingerprint', async () => {
    const print = await fingerprint('https://host/mcp?token=secret')
    expect(print).not.toContain('secret')
    expect(print).toBe(await fingerprint('https://host/mcp?token=secret'))
    expect(print).not.toBe(await fingerprint('https://host/mcp?token=other'))
  })
})

/** A store over `memory` with some operations replaced. */
function slowStore(memory: InMemoryResponseCacheStore, replaced: Partial<ResponseCacheStore>): ResponseCacheStore {
  return {
    get: (key) => memory.get(key),
    set: (key, entry) => memory.set(key, entry),
    delete: (key) => memory.delete(key),
    clear: () => memory.clear(),
    ...replaced,
  }
}
