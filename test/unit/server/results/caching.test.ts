import { describe, expect, it } from 'vitest'
import { type CacheHints, checkCacheHints, fillCacheHints } from '../../../../src/server/results/caching.ts'
import { requestsWith } from '../../../../src/wire/method-rows.ts'

const hints = checkCacheHints({
  'tools/list': { ttlMs: 60_000, scope: 'public' },
  'resources/read': { ttlMs: 5_000 },
})

describe('checkCacheHints', () => {
  it('keeps a copy that later changes do not reach', () => {
    const given = { 'tools/list': { ttlMs: 1 } }
    const checked = checkCacheHints(given)
    given['tools/list'].ttlMs = -1
    expect(checked).toEqual({ 'tools/list': { ttlMs: 1, scope: 'private' } })
  })

  it.each(['tools/call', 'tool/list', 'constructor', '__proto__'])('refuses hints for %s', (method) => {
    const wrong = JSON.parse(`{"${method}":{"ttlMs":1}}`) as CacheHints
    expect(() => checkCacheHints(wrong)).toThrow(RangeError)
  })

  it.each([null, 5, [], { scope: 'public' }, { ttlMs: '60' }, { ttlMs: null }])(
    'is a TypeError for the hint %j',
    (hint) => {
      expect(() => checkCacheHints({ 'tools/list': hint } as unknown as CacheHints)).toThrow(TypeError)
    },
  )

  it.each([
    { ttlMs: -1 },
    { ttlMs: 0.5 },
    { ttlMs: Number.NaN },
    { ttlMs: Number.POSITIVE_INFINITY },
    { ttlMs: 1, scope: 'shared' },
  ])('is a RangeError for the hint %j', (hint) => {
    expect(() => checkCacheHints({ 'tools/list': hint } as unknown as CacheHints)).toThrow(RangeError)
  })

  it('is a TypeError for what is no object at all', () => {
    expect(() => checkCacheHints([] as unknown as CacheHints)).toThrow(TypeError)
  })
})

describe('fillCacheHints', () => {
  it.each(requestsWith('cacheable'))(
    'puts both fields on %s, stale and private unless the author says otherwise',
    (method) => {
      expect(fillCacheHints(method, {}, {})).toEqual({ ttlMs: 0, cacheScope: 'private' })
    },
  )

  it('takes the hint of the method', () => {
    expect(fillCacheHints('tools/list', { tools: [] }, hints)).toEqual({
      tools: [],
      ttlMs: 60_000,
      cacheScope: 'public',
    })
    expect(fillCacheHints('resources/read', {}, hints)).toEqual({ ttlMs: 5_000, cacheScope: 'private' })
  })

  it('fills only what the handler left unset, and leaves its object alone', () => {
    const result = Object.freeze({ ttlMs: 0 })
    expect(fillCacheHints('tools/list', result, hints)).toEqual({ ttlMs: 0, cacheScope: 'public' })
    const other = { cacheScope: 'private', resultType: 'complete' }
    expect(fillCacheHints('tools/list', other, hints)).toEqual({ ...other, ttlMs: 60_000 })
    const complete = { ttlMs: 7, cacheScope: 'private' }
    expect(fillCacheHints('tools/list', complete, hints)).toBe(complete)
  })

  it.each(['input_required', 'task'])('leaves a result of type %s as it is', (resultType) => {
    const result = { resultType }
    expect(fillCacheHints('resources/read', result, hints)).toBe(result)
  })

  it.each(['tools/call', 'prompts/get', 'constructor'])('leaves results of %s as they are', (method) => {
    const result = {}
    expect(fillCacheHints(method, result, hints)).toBe(result)
  })
})
