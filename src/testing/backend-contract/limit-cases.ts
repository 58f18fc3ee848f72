// What counts for rates and places.
import { equal, isTrue, rejects } from './check.ts'
import type { ContractCases } from './contract.ts'

/** Regains nothing while a case runs. */
const SLOW = { perSecond: 0.001, burst: 3 }
/** Has a token again while a case waits. */
const QUICK = { perSecond: 20, burst: 2 }

export const limitCases: ContractCases = {
  'take: as many tokens as the burst at once, from all clients together': async ({ backend, other }) => {
    equal('first', await backend.limits.take('k', SLOW), 0)
    equal('second', await other.limits.take('k', SLOW), 0)
    equal('third', await backend.limits.take('k', SLOW), 0)
    isTrue('the fourth waits', (await other.limits.take('k', SLOW)) > 0)
  },

  'take: says how long to wait, in whole milliseconds': async ({ backend }) => {
    const rate = { perSecond: 0.1, burst: 1 }
    await backend.limits.take('k', rate)
    const wait = await backend.limits.take('k', rate)
    isTrue('a whole number', Number.isInteger(wait))
    isTrue(`at most 10 s, and not much less: ${wait}`, wait <= 10_000 && wait > 0)
  },

  'take: who waits for retryAfterMs gets its token': async (of) => {
    const rate = { perSecond: 5, burst: 1 }
    let wait = 0
    await of.until('an empty bucket', async () => {
      wait = await of.backend.limits.take('k', rate)
      return wait > 0
    })
    await of.passes(wait, 'a token', async () => (await of.backend.limits.take('k', rate)) === 0)
  },

  'take: a token that was not there is not taken': async (of) => {
    const rate = { perSecond: 20, burst: 1 }
    for (let turn = 0; turn < 20; turn += 1) await of.backend.limits.take('k', { ...rate })
    await of.passes(60, 'a token', async () => (await of.backend.limits.take('k', rate)) === 0)
  },

  'take: several tokens at once, or none of them': async ({ backend }) => {
    equal('two of three', await backend.limits.take('k', { ...SLOW, tokens: 2 }), 0)
    isTrue('two of one', (await backend.limits.take('k', { ...SLOW, tokens: 2 })) > 0)
    equal('one of one', await backend.limits.take('k', SLOW), 0)
  },

  'take: waits longer for more tokens': async ({ backend }) => {
    await backend.limits.take('k', { ...SLOW, tokens: 3 })
    const one = await backend.limits.take('k', SLOW)
    const three = await backend.limits.take('k', { ...SLOW, tokens: 3 })
    isTrue(`${one} ms for one, ${three} ms for three`, three > one * 2)
  },

  'take: fractions of tokens, and rates below one a second': async ({ backend }) => {
    const rate = { perSecond: 0.001, burst: 1 }
    equal('half', await backend.limits.take('k', { ...rate, tokens: 0.5 }), 0)
    equal('the other half', await backend.limits.take('k', { ...rate, tokens: 0.5 }), 0)
    isTrue('nothing left', (await backend.limits.take('k', { ...rate, tokens: 0.5 })) > 0)
  },

  'take: one key does not touch another': async ({ backend }) => {
    for (const key of ['k', 'k2', 'K']) equal(key, await backend.limits.take(key, { ...SLOW, tokens: 3 }), 0)
  },

  'take: a bucket that nobody uses is full again, and never more than full': async (of) => {
    await of.backend.limits.take('k', { ...QUICK, tokens: 2 })
    const two = { ...QUICK, tokens: 2 }
    await of.passes(60_000, 'a full bucket', async () => (await of.backend.limits.take('k', two)) === 0)
  },

  'take: of many at once as many as the burst get a token': async ({ backend, other }) => {
    const tries = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? backend : other).limits.take('k', SLOW))
    const waits = await Promise.all(tries)
    equal('taken', waits.filter((wait) => wait === 0).length, 3)
  },

  'take: a burst that has become smaller holds at once': async ({ backend }) => {
    equal('one of ten', await backend.limits.take('k', { perSecond: 0.001, burst: 10 }), 0)
    isTrue('none of one', (await backend.limits.take('k', { perSecond: 0.001, burst: 1 })) > 0)
  },

  'take: refuses rates and tokens that make no sense': async ({ backend }) => {
    const wrong = [
      { perSecond: 0 },
      { burst: 0 },
      { tokens: 0 },
      { tokens: -1 },
      { perSecond: Number.NaN },
      { tokens: 4 },
    ]
    for (const options of wrong) {
      await rejects('refused', 'limits.take', () => backend.limits.take('k', { ...SLOW, ...options }))
    }
    await rejects('refused', 'limits.take', () => backend.limits.take('a b', SLOW))
    equal('the bucket is full', await backend.limits.take('k', { ...SLOW, tokens: 3 }), 0)
  },

  'hold: at most max holders, of all clients together': async ({ backend, other, longMs }) => {
    const options = { max: 2, ttlMs: longMs }
    equal('a', await backend.limits.hold('k', 'a', options), true)
    equal('b', await other.limits.hold('k', 'b', options), true)
    equal('c', await backend.limits.hold('k', 'c', options), false)
  },

  'hold: a holder that has a place keeps it, and takes no second': async ({ backend, other, longMs }) => {
    const options = { max: 2, ttlMs: longMs }
    await backend.limits.hold('k', 'a', options)
    equal('again', await other.limits.hold('k', 'a', options), true)
    equal('b', await backend.limits.hold('k', 'b', options), true)
    equal('again, when full', await backend.limits.hold('k', 'a', options), true)
    equal('c', await backend.limits.hold('k', 'c', options), false)
  },

  'hold: of many at once as many as there are places get one': async ({ backend, other, longMs }) => {
    const tries = Array.from({ length: 16 }, (_, index) => {
      return (index % 2 === 0 ? backend : other).limits.hold('k', `h${index}`, { max: 5, ttlMs: longMs })
    })
    equal('places', (await Promise.all(tries)).filter(Boolean).length, 5)
  },

  'hold: a place is lost after its time to live': async (of) => {
    await of.backend.limits.hold('k', 'a', { max: 1, ttlMs: of.shortMs })
    await of.passes(of.shortMs, 'the place to be free', () =>
      of.other.limits.hold('k', 'b', { max: 1, ttlMs: of.longMs }),
    )
    equal('the former holder', await of.backend.limits.hold('k', 'a', { max: 1, ttlMs: of.longMs }), false)
  },

  'hold: one place that is lost takes no other with it': async (of) => {
    await of.backend.limits.hold('k', 'stays', { max: 2, ttlMs: of.longMs })
    await of.backend.limits.hold('k', 'goes', { max: 2, ttlMs: of.shortMs })
    const options = { max: 2, ttlMs: of.longMs }
    await of.passes(of.shortMs, 'the place to be free', () => of.other.limits.hold('k', 'next', options))
    equal('no third', await of.other.limits.hold('k', 'third', options), false)
  },

  'hold: a place that is held again in time is not lost': async (of) => {
    const { limits } = of.backend
    await of.staysAlive('the place', {
      begin: async (ttlMs) => {
        await of.other.limits.release('k', 'b')
        await limits.hold('k', 'a', { max: 1, ttlMs })
      },
      renew: (ttlMs) => limits.hold('k', 'a', { max: 1, ttlMs }),
      isAlive: async () => !(await of.other.limits.hold('k', 'b', { max: 1, ttlMs: 1 })),
    })
  },

  'hold: refuses names, places and times that make no sense': async ({ backend, longMs }) => {
    const refused = (work: () => unknown) => rejects('refused', 'limits.hold', work)
    await refused(() => backend.limits.hold('a b', 'h', { max: 1, ttlMs: longMs }))
    await refused(() => backend.limits.hold('k', '', { max: 1, ttlMs: longMs }))
    await refused(() => backend.limits.hold('k', 'h', { max: 0, ttlMs: longMs }))
    await refused(() => backend.limits.hold('k', 'h', { max: 1, ttlMs: 0 }))
  },

  'release: the place is free for the next': async ({ backend, other, longMs }) => {
    const options = { max: 1, ttlMs: longMs }
    await backend.limits.hold('k', 'a', options)
    await other.limits.release('k', 'a')
    equal('b', await backend.limits.hold('k', 'b', options), true)
  },

  'release: who has no place takes none away': async ({ backend, longMs }) => {
    const options = { max: 1, ttlMs: longMs }
    await backend.limits.release('k', 'a')
    await backend.limits.hold('k', 'a', options)
    await backend.limits.release('k', 'b')
    await backend.limits.release('k2', 'a')
    equal('b', await backend.limits.hold('k', 'b', options), false)
  },

  'take and hold: the same key does not mix them': async ({ backend, longMs }) => {
    equal('hold', await backend.limits.hold('k', 'a', { max: 1, ttlMs: longMs }), true)
    equal('take', await backend.limits.take('k', { ...SLOW, tokens: 3 }), 0)
    equal('hold', await backend.limits.hold('k', 'b', { max: 1, ttlMs: longMs }), false)
  },
}
