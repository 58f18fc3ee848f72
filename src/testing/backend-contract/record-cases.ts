// What counts for records.
import { equal, isTrue, present, rejects } from './check.ts'
import type { ContractCases } from './contract.ts'
import type { Case } from './under-test.ts'

/** 200 characters, the longest name there is, with every kind of character. */
const LONGEST = 'aZ09-_.:'.repeat(25)

async function put({ backend, longMs }: Case, key: string, value: string): Promise<string> {
  return present('revision', await backend.records.put(key, value, { ttlMs: longMs }))
}

async function stored({ other }: Case, key: string): Promise<string | undefined> {
  return (await other.records.get(key))?.value
}

export const recordCases: ContractCases = {
  'get: undefined for a key without a value': async ({ backend }) => {
    equal('get', await backend.records.get('k'), undefined)
  },

  'put: every client gets the value with the revision that was returned': async (of) => {
    const revision = await put(of, 'k', 'v')
    equal('get', await of.other.records.get('k'), { value: 'v', revision })
  },

  'put: replaces the value, under another revision, even by the same value': async (of) => {
    const first = await put(of, 'k', 'a')
    const second = await put(of, 'k', 'b')
    const third = await put(of, 'k', 'b')
    equal('different revisions', new Set([first, second, third]).size, 3)
    equal('get', await of.other.records.get('k'), { value: 'b', revision: third })
  },

  'put: a key does not touch another': async (of) => {
    await put(of, 'k', 'a')
    await put(of, 'k:1', 'b')
    await put(of, 'K', 'c')
    equal('values', [await stored(of, 'k'), await stored(of, 'k:1'), await stored(of, 'K')], ['a', 'b', 'c'])
  },

  'put: takes any text, byte for byte': async (of) => {
    for (const value of ['', ' ', '\0\u0001', '\r\n', '"\\', '1:2', 'ä€😀', '\u2028\ufeff', "%s {0} $1 '--"]) {
      await put(of, 'k', value)
      equal('value', await stored(of, 'k'), value)
    }
  },

  'put: takes names of 200 characters, and none of another shape': async (of) => {
    await put(of, LONGEST, 'v')
    equal('value', await stored(of, LONGEST), 'v')
    for (const key of ['', `${LONGEST}x`, 'a b', 'ä', 'a/b', 'a*', 'a\n', '{a}']) {
      await rejects('refused', 'records.put', () => of.backend.records.put(key, 'v', { ttlMs: 1_000 }))
      await rejects('refused', 'records.get', () => of.backend.records.get(key))
      await rejects('refused', 'records.delete', () => of.backend.records.delete(key))
    }
  },

  'put: takes a value of maxValueBytes, by its size in UTF-8': async (of) => {
    const value = 'ü'.repeat(Math.floor(of.maxValueBytes / 2))
    await put(of, 'k', value)
    isTrue('the same value', (await stored(of, 'k')) === value)
  },

  'put: refuses a value that is too large, and keeps the one there is': async (of) => {
    await put(of, 'k', 'old')
    const large = `${'ü'.repeat(of.maxValueBytes)}xx`
    await rejects('too-large', 'records.put', () => of.backend.records.put('k', large, { ttlMs: 1_000 }))
    equal('value', await stored(of, 'k'), 'old')
  },

  'put: refuses a time to live of 0, less, more than 400 days, or none': async ({ backend, longMs }) => {
    for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 401 * 86_400_000]) {
      await rejects('refused', 'records.put', () => backend.records.put('k', 'v', { ttlMs }))
    }
    equal('get', await backend.records.get('k'), undefined)
    isTrue('400 days', (await backend.records.put('k', 'v', { ttlMs: 400 * 86_400_000 })) !== undefined)
    await rejects('refused', 'records.get', () => backend.records.get('k', { touchMs: 0 }))
    isTrue('a fraction', (await backend.records.put('k', 'v', { ttlMs: longMs + 0.5 })) !== undefined)
  },

  'put: what is stored goes after its time to live': async (of) => {
    await of.backend.records.put('k', 'v', { ttlMs: of.shortMs })
    await of.passes(of.shortMs, 'the record to go', async () => (await of.other.records.get('k')) === undefined)
  },

  'put: a new value has its own time to live': async (of) => {
    await of.backend.records.put('short', 'v', { ttlMs: of.shortMs })
    await of.backend.records.put('k', 'a', { ttlMs: of.shortMs })
    await put(of, 'k', 'b')
    await of.passes(
      of.shortMs,
      'the other record to go',
      async () => (await of.backend.records.get('short')) === undefined,
    )
    equal('value', await stored(of, 'k'), 'b')
  },

  'put if absent: stores where there is nothing, and not where there is': async (of) => {
    const { records } = of.backend
    const revision = present('revision', await records.put('k', 'a', { ttlMs: of.longMs, if: 'absent' }))
    equal('second put', await of.other.records.put('k', 'b', { ttlMs: of.longMs, if: 'absent' }), undefined)
    equal('get', await records.get('k'), { value: 'a', revision })
  },

  'put if absent: a record whose time is over is absent': async (of) => {
    const { records } = of.backend
    await records.put('k', 'a', { ttlMs: of.shortMs, if: 'absent' })
    await of.passes(of.shortMs, 'the key to be free', async () => {
      return (await records.put('k', 'b', { ttlMs: of.longMs, if: 'absent' })) !== undefined
    })
    equal('value', await stored(of, 'k'), 'b')
  },

  'put if absent: of many at once one wins': async (of) => {
    const tries = Array.from({ length: 16 }, (_, index) => {
      const { records } = index % 2 === 0 ? of.backend : of.other
      return Promise.resolve(records.put('k', `v${index}`, { ttlMs: of.longMs, if: 'absent' }))
    })
    const won = (await Promise.all(tries)).map((revision, index) => ({ revision, value: `v${index}` }))
    const winners = won.filter(({ revision }) => revision !== undefined)
    equal('winners', winners.length, 1)
    equal('get', await of.backend.records.get('k'), winners[0])
  },

  'put if absent: the same value by somebody else is no repeat': async (of) => {
    const same = ({ records }: typeof of.backend) => records.put('k', 'v', { ttlMs: of.longMs, if: 'absent' })
    const results = await Promise.all([same(of.backend), same(of.other), same(of.backend), same(of.other)])
    equal('winners', results.filter((revision) => revision !== undefined).length, 1)
  },

  'put if absent with as: the repeat of one that was done returns its revision': async (of) => {
    const put = (as: string) => of.backend.records.put('k', 'v', { ttlMs: of.longMs, if: 'absent', as })
    equal('put', await put('first-0123456789'), 'first-0123456789')
    equal('repeat', await put('first-0123456789'), 'first-0123456789')
    equal('another', await put('other_ABCDEFGHIJ'), undefined)
    equal('get', await of.other.records.get('k'), { value: 'v', revision: 'first-0123456789' })
  },

  'put with as: refuses a revision of another shape': async ({ backend, longMs }) => {
    for (const as of ['', 'short', 'x'.repeat(17), '0123456789:abcde', '0123456789 abcde']) {
      await rejects('refused', 'records.put', () => backend.records.put('k', 'v', { ttlMs: longMs, as }))
    }
    equal('get', await backend.records.get('k'), undefined)
  },

  'put if revision: replaces the value of that revision alone': async (of) => {
    const first = await put(of, 'k', 'a')
    const condition = { ttlMs: of.longMs, if: { revision: first } }
    const second = present('revision', await of.backend.records.put('k', 'b', condition))
    isTrue('another revision', first !== second)
    equal('put of a former revision', await of.other.records.put('k', 'c', condition), undefined)
    equal('get', await of.other.records.get('k'), { value: 'b', revision: second })
  },

  'put if revision: not where there is nothing': async (of) => {
    const revision = await put(of, 'k', 'a')
    await of.backend.records.delete('k')
    const condition = { ttlMs: of.longMs, if: { revision } }
    equal('put', await of.backend.records.put('k', 'b', condition), undefined)
    equal('get', await of.backend.records.get('k'), undefined)
  },

  'put if revision: no revision of another key or of an invented text': async (of) => {
    const other = await put(of, 'other', 'a')
    await put(of, 'k', 'a')
    for (const revision of [`${other}x`, '', 'null', '*', '-1', '9'.repeat(300)]) {
      equal('put', await of.backend.records.put('k', 'b', { ttlMs: of.longMs, if: { revision } }), undefined)
    }
    equal('value', await stored(of, 'k'), 'a')
  },

  'put if revision with as: the repeat of one that was done returns its revision': async (of) => {
    const first = await put(of, 'k', 'a')
    const second = (as: string) => of.backend.records.put('k', 'b', { ttlMs: of.longMs, if: { revision: first }, as })
    equal('put', await second('second-012345678'), 'second-012345678')
    equal('repeat', await second('second-012345678'), 'second-012345678')
    equal('the same value by somebody else', await second('third-0123456789'), undefined)
  },

  'put if revision: of many at once one wins': async (of) => {
    const first = await put(of, 'k', 'a')
    const tries = Array.from({ length: 16 }, (_, index) => {
      const { records } = index % 2 === 0 ? of.backend : of.other
      return Promise.resolve(records.put('k', `v${index}`, { ttlMs: of.longMs, if: { revision: first } }))
    })
    const winners = (await Promise.all(tries)).filter((revision) => revision !== undefined)
    equal('winners', winners.length, 1)
    equal('revision', (await of.backend.records.get('k'))?.revision, winners[0])
  },

  'put if revision: counts of many clients lose nothing': async (of) => {
    await put(of, 'k', '0')
    const count = async (records: typeof of.backend.records) => {
      for (let done = 0; done < 5; ) {
        const kept = present('record', await records.get('k'))
        // All of them try to put the same value.
        const value = String(Number(kept.value) + 1)
        if ((await records.put('k', value, { ttlMs: of.longMs, if: kept })) !== undefined) done += 1
      }
    }
    const clients = [of.backend, of.other, of.backend]
    await Promise.all(clients.map(({ records }) => count(records)))
    equal('count', await stored(of, 'k'), '15')
  },

  'get with touchMs: returns what is there': async (of) => {
    await put(of, 'k', 'v')
    const touched = present('record', await of.other.records.get('k', { touchMs: of.longMs }))
    equal('value', touched.value, 'v')
    equal('get', await of.backend.records.get('k'), touched)
  },

  'get with touchMs: the time to live starts anew': async (of) => {
    const { records } = of.backend
    await of.staysAlive('the record', {
      begin: (ttlMs) => records.put('k', 'v', { ttlMs }),
      renew: (ttlMs) => records.get('k', { touchMs: ttlMs }),
      isAlive: async () => (await of.other.records.get('k'))?.value === 'v',
    })
  },

  'get with touchMs: also shortens the time to live': async (of) => {
    await put(of, 'k', 'v')
    await of.backend.records.get('k', { touchMs: of.shortMs })
    await of.passes(of.shortMs, 'the record to go', async () => (await of.other.records.get('k')) === undefined)
  },

  'get with touchMs: makes nothing where there is nothing': async ({ backend, longMs }) => {
    equal('get', await backend.records.get('k', { touchMs: longMs }), undefined)
    equal('get', await backend.records.get('k'), undefined)
  },

  'delete: says whether there was something': async (of) => {
    equal('nothing there', await of.backend.records.delete('k'), false)
    await put(of, 'k', 'v')
    equal('something there', await of.other.records.delete('k'), true)
    equal('get', await of.backend.records.get('k'), undefined)
    equal('again', await of.backend.records.delete('k'), false)
  },

  'delete if revision: deletes that revision alone': async (of) => {
    const first = await put(of, 'k', 'a')
    const second = await put(of, 'k', 'b')
    equal('former revision', await of.backend.records.delete('k', { if: { revision: first } }), false)
    equal('value', await stored(of, 'k'), 'b')
    equal('revision', await of.backend.records.delete('k', { if: { revision: second } }), true)
    equal('get', await of.backend.records.get('k'), undefined)
  },

  'delete: a value that comes back has a revision of its own': async (of) => {
    const first = await put(of, 'k', 'v')
    await of.backend.records.delete('k')
    const second = await put(of, 'k', 'v')
    isTrue('another revision', first !== second)
  },
}
