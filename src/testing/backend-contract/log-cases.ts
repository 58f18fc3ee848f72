// What counts for logs.
import type { LogEntry, LogPage } from '../../backend/logs.ts'
import { equal, has, isTrue, present, rejects } from './check.ts'
import type { ContractCases } from './contract.ts'
import type { Case } from './under-test.ts'

const MANY = { maxEntries: 1_000, maxBytes: 1_048_576 }

/** Appends texts as the entries 1, 2, 3 … of the writer `w`. */
async function append({ backend, longMs }: Case, ...texts: readonly string[]): Promise<void> {
  for (const [index, data] of texts.entries()) {
    const options = { writer: 'w', ttlMs: longMs }
    equal('append', await backend.logs.append('l', { seq: index + 1, data }, options), 'kept')
  }
}

async function post(of: Case, writer: string, nth: number, data: string, limits = MANY): Promise<number> {
  return of.backend.logs.post('l', data, { writer, nth, ttlMs: of.longMs, ...limits })
}

async function read({ other }: Case, afterSeq: number, maxBytes?: number): Promise<LogPage> {
  const options = maxBytes === undefined ? undefined : { maxBytes }
  return present('page', await other.logs.read('l', afterSeq, options))
}

function numbered(first: number, ...texts: readonly string[]): LogEntry[] {
  return texts.map((data, index) => ({ seq: first + index, data }))
}

export const logCases: ContractCases = {
  'read: undefined for a log that does not exist': async ({ backend }) => {
    equal('read', await backend.logs.read('l', 0), undefined)
  },

  'append: every client reads the entries in order, with their numbers': async (of) => {
    await append(of, 'a', 'b', 'c')
    equal('read', await read(of, 0), { entries: numbered(1, 'a', 'b', 'c'), lastSeq: 3, isEnded: false })
  },

  'append: a repeat is already there, and is not stored twice': async (of) => {
    await append(of, 'a', 'b')
    for (const entry of numbered(1, 'a', 'b')) {
      equal('repeat', await of.backend.logs.append('l', entry, { writer: 'w', ttlMs: of.longMs }), 'already')
    }
    equal('read', (await read(of, 0)).entries, numbered(1, 'a', 'b'))
  },

  'append: a repeat of a number keeps the first text': async (of) => {
    await append(of, 'a')
    const repeat = await of.backend.logs.append('l', { seq: 1, data: 'other' }, { writer: 'w', ttlMs: of.longMs })
    equal('repeat', repeat, 'already')
    equal('read', (await read(of, 0)).entries, numbered(1, 'a'))
  },

  'append: a number that another writer has is a conflict': async (of) => {
    await append(of, 'a')
    const theirs = { writer: 'other', ttlMs: of.longMs }
    equal('append', await of.other.logs.append('l', { seq: 1, data: 'b' }, theirs), 'conflict')
    equal('read', (await read(of, 0)).entries, numbered(1, 'a'))
  },

  'append: another writer may go on, and shuts out the first': async (of) => {
    await append(of, 'a')
    const theirs = { writer: 'other', ttlMs: of.longMs }
    equal('other', await of.other.logs.append('l', { seq: 2, data: 'lost' }, theirs), 'kept')
    const own = { writer: 'w', ttlMs: of.longMs }
    equal('first', await of.backend.logs.append('l', { seq: 2, data: 'b' }, own), 'conflict')
    equal('read', (await read(of, 0)).entries, numbered(1, 'a', 'lost'))
  },

  'append: a gap is a conflict': async (of) => {
    const options = { writer: 'w', ttlMs: of.longMs }
    equal('first', await of.backend.logs.append('l', { seq: 2, data: 'b' }, options), 'conflict')
    equal('no log', await of.backend.logs.read('l', 0), undefined)
    await append(of, 'a')
    equal('third', await of.backend.logs.append('l', { seq: 3, data: 'c' }, options), 'conflict')
    equal('read', (await read(of, 0)).entries, numbered(1, 'a'))
  },

  'append: many at once are kept in order, if they were begun in order': async (of) => {
    const entries = numbered(1, ...Array.from({ length: 20 }, (_, index) => `e${index}`))
    const options = { writer: 'w', ttlMs: of.longMs }
    const results = await Promise.all(entries.map((entry) => of.backend.logs.append('l', entry, options)))
    equal('results', new Set(results).size, 1)
    equal('read', (await read(of, 0)).entries, entries)
  },

  'append: of two writers at once one has the number': async (of) => {
    const writers = Array.from({ length: 8 }, (_, index) => `w${index}`)
    const results = await Promise.all(
      writers.map((writer, index) => {
        const { logs } = index % 2 === 0 ? of.backend : of.other
        return logs.append('l', { seq: 1, data: writer }, { writer, ttlMs: of.longMs })
      }),
    )
    equal('kept', results.filter((result) => result === 'kept').length, 1)
    equal('read', (await read(of, 0)).entries, numbered(1, writers[results.indexOf('kept')] as string))
  },

  'append with isLast: ends the log, which every client sees': async (of) => {
    await append(of, 'a')
    const last = { writer: 'w', ttlMs: of.longMs, isLast: true }
    equal('last', await of.backend.logs.append('l', { seq: 2, data: 'end' }, last), 'kept')
    equal('read', await read(of, 1), { entries: numbered(2, 'end'), lastSeq: 2, isEnded: true })
  },

  'append with isLast: nothing comes after, a repeat is already there': async (of) => {
    const last = { writer: 'w', ttlMs: of.longMs, isLast: true }
    await of.backend.logs.append('l', { seq: 1, data: 'end' }, last)
    for (const writer of ['w', 'other']) {
      const options = { writer, ttlMs: of.longMs }
      equal('more', await of.backend.logs.append('l', { seq: 2, data: 'x' }, options), 'conflict')
    }
    equal('repeat', await of.backend.logs.append('l', { seq: 1, data: 'end' }, last), 'already')
    equal('read', await read(of, 0), { entries: numbered(1, 'end'), lastSeq: 1, isEnded: true })
  },

  'append: takes any text, byte for byte': async (of) => {
    const texts = ['', '\0', 'a:b', 'ä€😀', '\r\n\u2028', '"\\%s']
    await append(of, ...texts)
    equal('read', (await read(of, 0)).entries, numbered(1, ...texts))
  },

  'append: refuses names, numbers and times that no log has': async ({ backend, longMs }) => {
    const options = { writer: 'w', ttlMs: longMs }
    const entry = { seq: 1, data: 'a' }
    const refused = (work: () => unknown) => rejects('refused', 'logs.append', work)
    await refused(() => backend.logs.append('a b', entry, options))
    await refused(() => backend.logs.append('l', entry, { ...options, writer: '' }))
    await refused(() => backend.logs.append('l', entry, { ...options, ttlMs: 0 }))
    for (const seq of [0, -1, 1.5, Number.NaN]) {
      await refused(() => backend.logs.append('l', { seq, data: 'a' }, options))
    }
    equal('read', await backend.logs.read('l', 0), undefined)
  },

  'append: refuses what is too large': async ({ backend, longMs, maxValueBytes }) => {
    const entry = { seq: 1, data: 'x'.repeat(maxValueBytes * 2 + 1) }
    await rejects('too-large', 'logs.append', () => backend.logs.append('l', entry, { writer: 'w', ttlMs: longMs }))
  },

  'append: the log goes after its time to live, and can be begun anew': async (of) => {
    const { logs } = of.backend
    await logs.append('l', { seq: 1, data: 'a' }, { writer: 'w', ttlMs: of.shortMs })
    await of.passes(of.shortMs, 'the log to go', async () => (await of.other.logs.read('l', 0)) === undefined)
    equal('anew', await logs.append('l', { seq: 1, data: 'b' }, { writer: 'other', ttlMs: of.longMs }), 'kept')
    equal('read', (await read(of, 0)).entries, numbered(1, 'b'))
  },

  'append: the time to live counts from the last entry': async (of) => {
    const { logs } = of.backend
    let seq = 0
    const more = (ttlMs: number) => logs.append('l', { seq: ++seq, data: 'x' }, { writer: 'w', ttlMs })
    await of.staysAlive('the log', {
      begin: async (ttlMs) => {
        await logs.drop('l')
        seq = 0
        await more(ttlMs)
      },
      renew: more,
      isAlive: async () => (await of.other.logs.read('l', 0))?.entries.length === seq,
    })
  },

  'read: begins after the given number': async (of) => {
    await append(of, 'a', 'b', 'c')
    equal('read', await read(of, 1), { entries: numbered(2, 'b', 'c'), lastSeq: 3, isEnded: false })
  },

  'read: nothing more is an empty page': async (of) => {
    await append(of, 'a', 'b')
    equal('read', await read(of, 2), { entries: [], lastSeq: 2, isEnded: false })
  },

  'read: undefined for a number that the log has not reached': async (of) => {
    await append(of, 'a')
    equal('read', await of.other.logs.read('l', 2), undefined)
  },

  'read: at most maxBytes, and says that there is more': async (of) => {
    const texts = ['a'.repeat(400), 'b'.repeat(400), 'c'.repeat(400)]
    await append(of, ...texts)
    equal('page', await read(of, 0, 900), { entries: numbered(1, ...texts.slice(0, 2)), lastSeq: 3, isEnded: false })
    equal('rest', await read(of, 2, 900), { entries: numbered(3, ...texts.slice(2)), lastSeq: 3, isEnded: false })
  },

  'read: at least one entry, however large': async (of) => {
    await append(of, 'a'.repeat(100), 'b')
    equal('page', (await read(of, 0, 10)).entries, numbered(1, 'a'.repeat(100)))
  },

  'read: pages of a large log are 1 MiB at most, and have every entry once': async (of) => {
    const size = Math.min(200_000, of.maxValueBytes)
    const texts = Array.from({ length: Math.ceil(1_500_000 / size) }, (_, index) => `${index}`.padEnd(size, '.'))
    await append(of, ...texts)
    const found: string[] = []
    for (let page = await read(of, 0); page.entries.length > 0; page = await read(of, found.length)) {
      const bytes = page.entries.reduce((sum, { data }) => sum + data.length, 0)
      isTrue('at most 1 MiB', bytes <= 1_048_576)
      found.push(...page.entries.map(({ data }) => data))
    }
    isTrue('every entry once', found.join() === texts.join())
  },

  'post: numbers the entries of all writers': async (of) => {
    equal('numbers', [await post(of, 'a', 1, 'x'), await post(of, 'b', 1, 'y'), await post(of, 'a', 2, 'z')], [1, 2, 3])
    equal('read', await read(of, 0), { entries: numbered(1, 'x', 'y', 'z'), lastSeq: 3, isEnded: false })
  },

  'post: a repeat returns the number of the first time': async (of) => {
    await post(of, 'a', 1, 'x')
    await post(of, 'b', 1, 'y')
    await post(of, 'a', 2, 'z')
    equal('repeats', [await post(of, 'a', 1, 'x'), await post(of, 'a', 2, 'z'), await post(of, 'b', 1, 'y')], [1, 3, 2])
    equal('entries', (await read(of, 0)).entries.length, 3)
  },

  'post: an entry that comes late is kept, in the order of arrival': async (of) => {
    equal('numbers', [await post(of, 'a', 2, 'second'), await post(of, 'a', 1, 'first')], [1, 2])
    equal('read', (await read(of, 0)).entries, numbered(1, 'second', 'first'))
  },

  'post: many writers at once, each number once': async (of) => {
    const posts = Array.from({ length: 24 }, (_, index) => {
      const { logs } = index % 2 === 0 ? of.backend : of.other
      return logs.post('l', `e${index}`, { writer: `w${index % 4}`, nth: index + 1, ttlMs: of.longMs, ...MANY })
    })
    const numbers = await Promise.all(posts)
    equal(
      'numbers',
      [...numbers].sort((a, b) => a - b),
      Array.from({ length: 24 }, (_, index) => index + 1),
    )
    const { entries } = await read(of, 0)
    for (const [index, seq] of numbers.entries()) has('entry', entries[seq - 1], { seq, data: `e${index}` })
  },

  'post: the oldest go beyond maxEntries, and numbers go on': async (of) => {
    for (let nth = 1; nth <= 5; nth += 1)
      equal('number', await post(of, 'a', nth, `e${nth}`, { ...MANY, maxEntries: 3 }), nth)
    equal('read', await read(of, 2), { entries: numbered(3, 'e3', 'e4', 'e5'), lastSeq: 5, isEnded: false })
  },

  'post: the oldest go beyond maxBytes, the newest stays': async (of) => {
    for (let nth = 1; nth <= 3; nth += 1) await post(of, 'a', nth, 'x'.repeat(40), { ...MANY, maxBytes: 100 })
    equal('read', (await read(of, 1)).entries.length, 2)
    equal('number', await post(of, 'a', 4, 'y'.repeat(300), { ...MANY, maxBytes: 100 }), 4)
    equal('read', (await read(of, 3)).entries, numbered(4, 'y'.repeat(300)))
  },

  'read: undefined where what came after is not all there': async (of) => {
    for (let nth = 1; nth <= 4; nth += 1) await post(of, 'a', nth, `e${nth}`, { ...MANY, maxEntries: 2 })
    equal('from the beginning', await of.other.logs.read('l', 0), undefined)
    equal('after 1', await of.other.logs.read('l', 1), undefined)
    equal('after 2', (await read(of, 2)).entries, numbered(3, 'e3', 'e4'))
  },

  'read with fromOldest: begins with the oldest entry that is there': async (of) => {
    for (let nth = 1; nth <= 4; nth += 1) await post(of, 'a', nth, `e${nth}`, { ...MANY, maxEntries: 2 })
    const page = await of.other.logs.read('l', 0, { fromOldest: true })
    equal('read', page, { entries: numbered(3, 'e3', 'e4'), lastSeq: 4, isEnded: false })
    equal('after 3', (await of.other.logs.read('l', 3, { fromOldest: true }))?.entries, numbered(4, 'e4'))
  },

  'post: the log goes after its time to live': async (of) => {
    await of.backend.logs.post('l', 'a', { writer: 'w', nth: 1, ttlMs: of.shortMs, ...MANY })
    await of.passes(of.shortMs, 'the log to go', async () => (await of.other.logs.read('l', 0)) === undefined)
  },

  'post: refuses numbers and limits below 1': async ({ backend, longMs }) => {
    const options = { writer: 'w', nth: 1, ttlMs: longMs, ...MANY }
    for (const wrong of [{ nth: 0 }, { maxEntries: 0 }, { maxBytes: 0 }, { writer: 'a b' }, { ttlMs: -1 }]) {
      await rejects('refused', 'logs.post', () => backend.logs.post('l', 'a', { ...options, ...wrong }))
    }
  },

  'follow: hints at what is posted, by any client': async (of) => {
    const hints: (LogEntry | undefined)[] = []
    const stop = of.other.logs.follow('l', (entry) => hints.push(entry))
    // A hint before the engine listens is lost, so there are several.
    let nth = 0
    await of.until('a hint', async () => {
      nth += 1
      await post(of, 'a', nth, `e${nth}`)
      return hints.length > 0
    })
    for (const hint of hints) if (hint !== undefined) equal('text', hint.data, `e${hint.seq}`)
    stop()
    stop()
  },

  'follow: another log gives no hint, and none comes after the end': async (of) => {
    const heard: string[] = []
    const stop = of.backend.logs.follow('l', () => heard.push('l'))
    const stopOther = of.backend.logs.follow('l2', () => heard.push('l2'))
    let nth = 0
    const options = { writer: 'w', ttlMs: of.longMs, ...MANY }
    const hint = () => of.other.logs.post('l2', 'x', { ...options, nth: ++nth })
    await of.until('a hint', async () => {
      await hint()
      return heard.length > 0
    })
    isTrue(
      'only of that log',
      heard.every((log) => log === 'l2'),
    )
    stop()
    await post(of, 'w', 1, 'x')
    const before = heard.length
    await of.until('a later hint', async () => {
      await hint()
      return heard.length > before
    })
    isTrue('none of the log that is not followed', !heard.includes('l'))
    stopOther()
  },

  'follow: a listener that throws costs only itself': async (of) => {
    let hints = 0
    const stops = [
      of.backend.logs.follow('l', () => {
        throw new Error('This listener always throws.')
      }),
      of.backend.logs.follow('l', () => {
        hints += 1
      }),
    ]
    let nth = 0
    await of.until('two hints', async () => {
      nth += 1
      await post(of, 'a', nth, 'x')
      return hints > 1
    })
    for (const stop of stops) stop()
  },

  'drop: the log is gone for everybody, and can be begun anew': async (of) => {
    await append(of, 'a', 'b')
    await of.other.logs.drop('l')
    equal('read', await of.backend.logs.read('l', 0), undefined)
    const options = { writer: 'other', ttlMs: of.longMs }
    equal('anew', await of.backend.logs.append('l', { seq: 1, data: 'c' }, options), 'kept')
    equal('read', (await read(of, 0)).entries, numbered(1, 'c'))
  },

  'drop: a log that has ended or was posted to leaves nothing behind': async (of) => {
    await of.backend.logs.append('l', { seq: 1, data: 'end' }, { writer: 'w', ttlMs: of.longMs, isLast: true })
    await of.backend.logs.drop('l')
    equal('number', await post(of, 'a', 1, 'x', { ...MANY, maxEntries: 1 }), 1)
    await post(of, 'a', 2, 'y', { ...MANY, maxEntries: 1 })
    await of.backend.logs.drop('l')
    equal('number', await post(of, 'a', 1, 'z'), 1)
    equal('read', await read(of, 0), { entries: numbered(1, 'z'), lastSeq: 1, isEnded: false })
  },

  'drop: a log that does not exist is no error': async ({ backend }) => {
    await backend.logs.drop('l')
    await backend.logs.drop('l')
  },
}
