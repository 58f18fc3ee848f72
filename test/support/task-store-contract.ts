// What every task store does, whatever engine it is on. Time is the store's own clock, moved by the test.
import { describe, expect, it } from 'vitest'
import type { Claim, NewTask, Task, TaskStore } from '../../src/backend/task-store.ts'

export interface StoreUnderTest {
  readonly store: TaskStore
  /** Moves the engine's clock. */
  advance(ms: number): Promise<void> | void
  close?(): Promise<void>
}

let made = 0

export function newTask(change: Partial<NewTask> = {}): NewTask {
  made += 1
  return {
    id: `task-${String(made).padStart(6, '0')}`,
    owner: 'ada',
    kind: 'report',
    dialect: 'extension',
    input: '{"quarter":"Q3"}',
    ttlMs: 3_600_000,
    keepMs: 600_000,
    pollIntervalMs: 500,
    maxAttempts: 1,
    ...change,
  }
}

const LEASE = 30_000
const CLAIM = { kinds: ['report'], max: 10, leaseMs: LEASE }
const DONE = { status: 'completed', text: '{"content":[]}' } as const

export function describeTaskStore(name: string, open: () => Promise<StoreUnderTest> | StoreUnderTest): void {
  async function setUp(change: Partial<NewTask> = {}) {
    const under = await open()
    const task = newTask(change)
    const get = async () => (await under.store.get(task.id)) as Task
    const claimOne = async () => {
      const [claim] = await under.store.claim('w1', CLAIM)
      return claim as Claim
    }
    return { ...under, task, get, claimOne }
  }

  describe(`task store: ${name}`, () => {
    it('finds a task as soon as create has resolved', async () => {
      const { store, task, get } = await setUp()
      expect(await store.create(task)).toBeUndefined()
      expect(await get()).toMatchObject({
        id: task.id,
        status: 'working',
        attempt: 0,
        questions: {},
        ttlMs: task.ttlMs,
      })
      expect(await store.get('unknown')).toBeUndefined()
    })

    it('takes the same create twice, and rejects another task with the same id', async () => {
      const { store, task } = await setUp()
      await store.create(task)
      await store.create(task)
      expect(await store.countOpen()).toBe(1)
      await expect(store.create({ ...task, input: 'other' })).rejects.toMatchObject({ kind: 'refused' })
      // A store may forget the input at the end.
      await store.finish((await store.claim('w1', CLAIM))[0] as Claim, DONE)
      expect(await store.create(task)).toBeUndefined()
      await expect(store.create({ ...task, owner: 'bob' })).rejects.toMatchObject({ kind: 'refused' })
    })

    it('hands a task that was created with a claim to nobody else', async () => {
      const { store, task } = await setUp()
      const claimFor = { worker: 'w1', leaseMs: LEASE }
      const claim = await store.create({ ...task, steps: { read: '1' } }, { claimFor })
      expect(claim).toMatchObject({ id: task.id, input: task.input, attempt: 1, steps: { read: '1' }, answers: {} })
      expect(await store.claim('w2', CLAIM)).toEqual([])
      expect(await store.create({ ...task, steps: { read: '1' } }, { claimFor })).toEqual(claim)
    })

    it('takes back a task that nobody knows yet', async () => {
      const { store, task } = await setUp()
      const claim = (await store.create(task, { claimFor: { worker: 'w1', leaseMs: LEASE } })) as Claim
      expect(await store.discard(claim)).toBe(true)
      expect(await store.get(task.id)).toBeUndefined()
      expect(await store.countOpen('ada')).toBe(0)
      expect(await store.discard(claim)).toBe(false)
    })

    it('lists the tasks of one owner, oldest first, page by page', async () => {
      const { store } = await setUp()
      const own = [newTask(), newTask(), newTask()]
      for (const one of [own[0], newTask({ owner: 'bob' }), own[1], own[2]]) await store.create(one as NewTask)
      const ids = own.map(({ id }) => id)
      const first = await store.list('ada', { dialect: 'extension', limit: 2 })
      expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2))
      const rest = await store.list('ada', { dialect: 'extension', after: ids[1] as string, limit: 2 })
      expect(rest.map(({ id }) => id)).toEqual(ids.slice(2))
      expect(await store.countOpen('ada')).toBe(3)
      expect(await store.countOpen()).toBe(4)
    })

    it('lists one dialect alone, after a task that it knows, or from a time on', async () => {
      const { store, advance } = await setUp()
      const ids: string[] = []
      let time = 0
      for (let count = 0; count < 4; count++) {
        const core = newTask({ dialect: 'core' })
        await store.create(newTask())
        await store.create(core)
        ids.push(core.id)
        if (count === 2) time = (await store.get(core.id))?.createdAt ?? 0
        await advance(10)
      }
      const strangers = newTask({ dialect: 'core', owner: 'bob' })
      await store.create(strangers)
      const list = async (page: { after?: string; createdFrom?: number }) =>
        (await store.list('ada', { dialect: 'core', limit: 10, ...page })).map(({ id }) => id)
      expect(await list({})).toEqual(ids)
      expect(await list({ after: ids[0] as string })).toEqual(ids.slice(1))
      expect(await list({ createdFrom: time })).toEqual(ids.slice(2))
      for (const after of ['unknown', strangers.id]) expect(await list({ after })).toEqual([])
    })

    it('gives out the oldest first, by kind, as many as asked for, each once', async () => {
      const { store } = await setUp()
      const tasks = [newTask({ kind: 'other' }), newTask(), newTask(), newTask()]
      for (const one of tasks) await store.create(one)
      const claims = await store.claim('w1', { ...CLAIM, max: 2 })
      expect(claims.map(({ id }) => id)).toEqual([tasks[1]?.id, tasks[2]?.id])
      expect((await store.claim('w2', CLAIM)).map(({ id }) => id)).toEqual([tasks[3]?.id])
      expect(await store.claim('w3', CLAIM)).toEqual([])
    })

    it('does not run a task before its time', async () => {
      const { store, task, advance } = await setUp({ notBeforeMs: 5_000 })
      await store.create(task)
      expect(await store.claim('w1', CLAIM)).toEqual([])
      await advance(5_000)
      expect(await store.claim('w1', CLAIM)).toHaveLength(1)
    })

    it('keeps exactly one outcome, and nothing changes after it', async () => {
      const { store, task, get, claimOne } = await setUp()
      await store.create(task)
      const claim = await claimOne()
      expect(await store.finish(claim, DONE)).toBe('finished')
      const ended = await get()
      expect(ended).toMatchObject({ status: 'completed', outcome: DONE.text })
      expect(await store.finish(claim, { status: 'failed', text: 'late' })).toBe('already')
      expect(await store.renew(claim, LEASE, 'late')).toBe('lost')
      expect(await store.ask(claim, { q1: '?' })).toBe(false)
      expect(await store.answer(task.id, { q1: '!' })).toBe('ended')
      expect(await store.cancel(task.id, 1_000)).toBe('ended')
      expect(await store.extend(claim, { ttlMs: 9e9 })).toBe(false)
      expect(await get()).toEqual(ended)
      expect(await store.countOpen('ada')).toBe(0)
    })

    it('fails a task whose worker was lost, and runs it again only as far as its attempts allow', async () => {
      for (const maxAttempts of [1, 3]) {
        const { store, task, get, advance } = await setUp({ maxAttempts })
        await store.create(task)
        for (let attempt = 1; attempt <= maxAttempts; attempt++) {
          const [claim] = await store.claim('w1', CLAIM)
          expect(claim).toMatchObject({ attempt })
          await advance(LEASE + 1_000)
        }
        expect(await store.claim('w2', CLAIM)).toEqual([])
        const task1 = await get()
        expect(task1).toMatchObject({ status: 'failed', statusMessage: 'The worker was lost.' })
        expect(task1.outcome).toBeUndefined()
      }
    })

    it.each([1, 2])(
      'lets a worker whose lease ran out finish while nobody has taken the task, of %i attempts',
      async (maxAttempts) => {
        const { store, task, advance, claimOne } = await setUp({ maxAttempts })
        await store.create(task)
        const claim = await claimOne()
        await advance(LEASE + 1_000)
        expect(await store.renew(claim, LEASE)).toBe('held')
        expect(await store.claim('w2', CLAIM)).toEqual([])
        await advance(LEASE + 1_000)
        expect(await store.finish(claim, DONE)).toBe('finished')
        expect(await store.claim('w2', CLAIM)).toEqual([])
      },
    )

    it('shuts out the old worker once another has claimed, with the steps that were kept', async () => {
      const { store, task, get, advance, claimOne } = await setUp({ maxAttempts: 2 })
      await store.create(task)
      const old = await claimOne()
      await store.keepStep(old, 'read', '"rows"')
      await store.keepStep(old, 'read', '"other rows"')
      await advance(LEASE + 1_000)
      const [fresh] = await store.claim('w2', CLAIM)
      expect(fresh).toMatchObject({ attempt: 2, steps: { read: '"rows"' } })
      expect(await store.finish(old, DONE)).toBe('lost')
      expect(await store.keepStep(old, 'write', '1')).toBe(false)
      expect(await store.release(old)).toBe(false)
      expect(await store.park(old)).toBe(false)
      expect((await get()).status).toBe('working')
      expect(await store.finish(fresh as Claim, DONE)).toBe('finished')
    })

    it('gives those whose worker was lost before new ones', async () => {
      const { store, task, advance } = await setUp({ maxAttempts: 2 })
      await store.create(task)
      await store.claim('w1', CLAIM)
      await store.create(newTask())
      await advance(LEASE + 1_000)
      const claims = await store.claim('w2', CLAIM)
      expect(claims[0]).toMatchObject({ id: task.id, attempt: 2 })
      expect(claims).toHaveLength(2)
    })

    it('asks, shows what is open, and takes the first answer to each key', async () => {
      const { store, task, get, claimOne } = await setUp()
      await store.create(task)
      const claim = await claimOne()
      expect(await store.ask(claim, { q1: 'name?', q2: 'sure?' })).toBe(true)
      expect(await get()).toMatchObject({ status: 'input_required', questions: { q1: 'name?', q2: 'sure?' } })
      expect(await store.park(claim)).toBe(true)
      expect(await store.claim('w2', CLAIM)).toEqual([])
      expect(await store.answer(task.id, { q1: 'Ada', nobody: 'x' })).toBe('taken')
      expect(await get()).toMatchObject({ status: 'input_required', questions: { q2: 'sure?' } })
      expect(await store.answer(task.id, { q1: 'Bob', q2: 'yes' })).toBe('taken')
      expect(await get()).toMatchObject({ status: 'working', questions: {} })
      const [again] = await store.claim('w2', CLAIM)
      expect(again).toMatchObject({ attempt: 2, answers: { q1: 'Ada', q2: 'yes' } })
      // A key is never used again, not even for the same question.
      expect(await store.ask(again as Claim, { q1: 'name?' })).toBe(true)
      expect(await get()).toMatchObject({ status: 'working', questions: {} })
      expect(await store.finish(again as Claim, DONE)).toBe('finished')
    })

    it('shows a run that waits the answers that came meanwhile, until it has lost its task', async () => {
      const { store, task, advance, claimOne } = await setUp({ maxAttempts: 2 })
      await store.create(task)
      const claim = await claimOne()
      await store.keepStep(claim, 'read', '1')
      await store.ask(claim, { name: '?', age: '?' })
      expect(await store.journal(claim)).toMatchObject({ steps: { read: '1' }, answers: {} })
      await store.answer(task.id, { name: '"Ada"' })
      expect(await store.journal(claim)).toMatchObject({ answers: { name: '"Ada"' } })
      await advance(LEASE + 1_000)
      await store.claim('w2', CLAIM)
      expect(await store.journal(claim)).toBeUndefined()
    })

    it('puts a parked run back at once where an answer has come since it asked', async () => {
      const { store, task, claimOne } = await setUp()
      await store.create(task)
      const claim = await claimOne()
      await store.ask(claim, { q1: 'name?' })
      await store.answer(task.id, { q1: 'Ada' })
      await store.park(claim)
      expect(await store.claim('w2', CLAIM)).toMatchObject([{ attempt: 2, answers: { q1: 'Ada' } }])
    })

    it('counts neither a parked nor a released run as an attempt', async () => {
      const { store, task, claimOne } = await setUp({ maxAttempts: 1 })
      await store.create(task)
      await store.release(await claimOne())
      const second = await claimOne()
      await store.ask(second, { q1: '?' })
      await store.park(second)
      await store.answer(task.id, { q1: '!' })
      const third = await claimOne()
      expect(third.attempt).toBe(3)
      expect(await store.finish(third, DONE)).toBe('finished')
    })

    it('cancels what nobody runs at once, and what somebody runs after a while at the latest', async () => {
      const { store, task, get, advance, claimOne } = await setUp()
      await store.create(task)
      expect(await store.cancel(task.id, 5_000)).toBe('cancelled')
      expect(await store.claim('w1', CLAIM)).toEqual([])
      expect(await store.cancel(task.id, 5_000)).toBe('ended')
      expect(await store.cancel('unknown', 5_000)).toBe('unknown')

      const running = newTask()
      await store.create(running)
      const claim = await claimOne()
      expect(await store.cancel(running.id, 5_000)).toBe('cancelling')
      expect(await store.renew(claim, LEASE)).toBe('cancelling')
      await advance(5_000)
      expect(await store.get(running.id)).toMatchObject({ status: 'cancelled' })
      expect(await store.finish(claim, DONE)).toBe('already')
      expect((await get()).outcome).toBeUndefined()
    })

    it('shows that a cancel is on its way, as a change, until the task has ended', async () => {
      const { store, task, get } = await setUp()
      await store.create(task)
      const [claim] = await store.claim('w1', CLAIM)
      const before = await get()
      expect(before).not.toHaveProperty('isCancelling')
      await store.cancel(task.id, 5_000)
      const asked = await get()
      expect(asked).toMatchObject({ status: 'working', isCancelling: true })
      expect(asked.revision).toBeGreaterThan(before.revision)
      await store.cancel(task.id, 5_000)
      expect((await get()).revision).toBe(asked.revision)
      await store.finish(claim as Claim, { status: 'cancelled', text: '' })
      expect(await get()).not.toHaveProperty('isCancelling')
    })

    it('lets the time of a task that runs grow in steps, so that most renewals change nothing', async () => {
      const { store, task, get, advance, claimOne } = await setUp({ ttlMs: 60_000, keepMs: 600_000 })
      await store.create(task)
      const claim = await claimOne()
      const revisions = new Set<number>()
      for (let renewal = 0; renewal < 30; renewal += 1) {
        await advance(10_000)
        expect(await store.renew(claim, LEASE)).toBe('held')
        const { revision, ttlMs } = await get()
        revisions.add(revision)
        expect(ttlMs).toBeGreaterThanOrEqual((renewal + 1) * 10_000 + 600_000)
      }
      expect(revisions.size).toBeLessThanOrEqual(2)
    })

    it('lets work that ends while a cancel is on its way win', async () => {
      const { store, task, get, claimOne } = await setUp()
      await store.create(task)
      const claim = await claimOne()
      await store.cancel(task.id, 5_000)
      expect(await store.finish(claim, DONE)).toBe('finished')
      expect((await get()).status).toBe('completed')
    })

    it('cancels a run that is parked or released while a cancel is on its way', async () => {
      for (const giveUp of ['park', 'release'] as const) {
        const { store, task, get, claimOne } = await setUp()
        await store.create(task)
        const claim = await claimOne()
        await store.ask(claim, { q1: '?' })
        await store.cancel(task.id, 5_000)
        expect(await store[giveUp](claim)).toBe(true)
        expect(await get()).toMatchObject({ status: 'cancelled', questions: {} })
      }
    })

    it('never ends running work because of its time, and keeps a fresh result', async () => {
      const { store, task, get, advance, claimOne } = await setUp({ ttlMs: 60_000, keepMs: 10_000 })
      await store.create(task)
      const claim = await claimOne()
      for (let i = 0; i < 10; i++) {
        await advance(20_000)
        expect(await store.renew(claim, LEASE)).toBe('held')
      }
      expect((await get()).ttlMs).toBe(210_000)
      await store.finish(claim, DONE)
      await advance(9_999)
      expect((await get()).outcome).toBe(DONE.text)
      await advance(1)
      expect(await store.get(task.id)).toBeUndefined()
    })

    it('fails a task that nobody runs when its time passes, and closes its questions', async () => {
      const { store, task, get, advance, claimOne } = await setUp({ ttlMs: 60_000, keepMs: 10_000 })
      await store.create(task)
      const claim = await claimOne()
      await store.ask(claim, { q1: '?' })
      await store.park(claim)
      await advance(60_000)
      expect(await get()).toMatchObject({ status: 'failed', questions: {} })
      expect(await store.answer(task.id, { q1: '!' })).toBe('ended')
      await advance(10_000)
      expect(await store.get(task.id)).toBeUndefined()
      expect(await store.list('ada', { dialect: 'extension', limit: 10 })).toEqual([])
    })

    it('keeps what it promised: the time of a task does not shrink', async () => {
      const { store, task, get, claimOne } = await setUp({ ttlMs: 60_000, keepMs: 0 })
      await store.create(task)
      const claim = await claimOne()
      await store.extend(claim, { ttlMs: 1_000, pollIntervalMs: 2_000 })
      expect(await get()).toMatchObject({ ttlMs: 60_000, pollIntervalMs: 2_000 })
      await store.extend(claim, { ttlMs: 90_000 })
      expect(await get()).toMatchObject({ ttlMs: 90_000 })
      await store.extend(claim, { ttlMs: null })
      await store.extend(claim, { ttlMs: 1 })
      expect(await get()).toMatchObject({ ttlMs: null })
    })

    it('shows the newest status message, and a revision that grows with each change', async () => {
      const { store, task, get, claimOne } = await setUp()
      await store.create(task)
      const claim = await claimOne()
      const before = await get()
      await store.renew(claim, LEASE, 'half way')
      const after = await get()
      expect(after.statusMessage).toBe('half way')
      expect(after.revision).toBeGreaterThan(before.revision)
      await store.renew(claim, LEASE, 'half way')
      expect((await get()).revision).toBe(after.revision)
    })

    it('takes keys that are names of the language for what they are', async () => {
      const { store, task, get, claimOne } = await setUp()
      await store.create(task)
      const claim = await claimOne()
      await store.keepStep(claim, '__proto__', '1')
      await store.ask(claim, { constructor: '?', toString: '?' })
      await store.answer(task.id, { hasOwnProperty: '!', constructor: '!' })
      expect(Object.keys((await get()).questions)).toEqual(['toString'])
      await store.park(claim)
      const again = await claimOne()
      expect(Object.entries(again.steps)).toEqual([['__proto__', '1']])
      expect(Object.entries(again.answers)).toEqual([['constructor', '!']])
    })

    it('gives hints of changes and of work, and takes a listener out again', async () => {
      const { store, task, claimOne } = await setUp()
      const heard: string[] = []
      const stop = store.watch({
        changed: (id) => heard.push(`changed ${id}`),
        work: () => heard.push('work'),
        missed: () => heard.push('missed'),
      })
      await store.create(task)
      expect(heard).toContain('work')
      const claim = await claimOne()
      heard.length = 0
      await store.finish(claim, DONE)
      expect(heard).toContain(`changed ${task.id}`)
      stop()
      heard.length = 0
      await store.create(newTask())
      expect(heard).toEqual([])
    })
  })
}
