// What counts for the limits of tasks, and for the turns of their owners.
import { NOBODY, type TaskStoreLimits } from '../../backend/task-store.ts'
import { equal, isTrue, present, rejectsAtLimit } from './check.ts'
import type { ContractCases } from './contract.ts'
import { claimAll, claimOne, create, DONE, newTask, whenDue } from './task-kit.ts'
import type { Case } from './under-test.ts'

/** Of these two fit into `roomFor`, and three do not, also where they are sealed. */
function text(of: Case): string {
  return 'x'.repeat(Math.min(100_000, of.maxValueBytes))
}

function roomFor(of: Case): { readonly maxBytesPerOwner: number } {
  return { maxBytesPerOwner: text(of).length * 3 }
}

/** Creates a task within the limits, with one of the two clients. */
function createWithin(of: Case, limits: TaskStoreLimits, change: Parameters<typeof newTask>[0] = {}, isOther = false) {
  const store = isOther ? of.otherTasks : of.tasks
  return store.create(newTask(change), { limits })
}

export const taskLimitCases: ContractCases = {
  'limits.perOwner: a task more is refused, by any client, until one has ended': async (of) => {
    const limits = { perOwner: 2 }
    await createWithin(of, limits)
    await createWithin(of, limits, {}, true)
    await rejectsAtLimit('perOwner', 'tasks.create', () => createWithin(of, limits))
    await rejectsAtLimit('perOwner', 'tasks.create', () => createWithin(of, limits, {}, true))
    equal('open', await of.tasks.countOpen('ada'), 2)
    await createWithin(of, limits, { owner: 'bob' })
    await of.tasks.finish(await claimOne(of), DONE)
    await createWithin(of, limits, {}, true)
  },

  'limits.perOwner: nobody is many callers, and has none of its own': async (of) => {
    for (let count = 0; count < 3; count += 1) {
      await createWithin(of, { perOwner: 1, maxBytesPerOwner: 1 }, { owner: NOBODY }, count % 2 === 1)
    }
    equal('open', await of.tasks.countOpen(NOBODY), 3)
  },

  'limits.perOwner: of many at once, by two clients, not one more is kept': async (of) => {
    const tries = Array.from({ length: 40 }, (_, index) => {
      return createWithin(of, { perOwner: 10 }, {}, index % 2 === 1).then(
        () => true,
        (error: { limit?: { name?: string } }) => (error.limit?.name === 'perOwner' ? false : Promise.reject(error)),
      )
    })
    const kept = (await Promise.all(tries)).filter(Boolean).length
    equal('kept and open', [kept, await of.tasks.countOpen('ada')], [10, 10])
    equal('claims', (await claimAll(of, of.longMs, 20)).length, 10)
  },

  'limits.total: counts the tasks of all owners': async (of) => {
    const limits = { total: 2 }
    await createWithin(of, limits)
    await createWithin(of, limits, { owner: NOBODY }, true)
    await rejectsAtLimit('total', 'tasks.create', () => createWithin(of, limits, { owner: 'bob' }))
    await of.tasks.finish(await claimOne(of), DONE)
    await createWithin(of, limits, { owner: 'bob' })
  },

  'limits: a repeat of a create is never refused': async (of) => {
    const limits = { perOwner: 1, total: 1, maxBytesPerOwner: 3_000, maxBytes: 3_000 }
    const task = newTask()
    await of.tasks.create(task, { limits })
    await of.otherTasks.create(task, { limits })
    equal('open', await of.tasks.countOpen(), 1)
  },

  'limits.maxBytesPerOwner: the input counts until the end, and the rest until the task is gone': async (of) => {
    const limits = roomFor(of)
    const input = text(of)
    const claimFor = { worker: 'w1', leaseMs: of.longMs }
    const short = newTask({ input, keepMs: of.shortMs, ttlMs: of.shortMs })
    const claim = present('claim', await of.tasks.create(short, { claimFor, limits }))
    await createWithin(of, limits, { input }, true)
    await rejectsAtLimit('maxBytesPerOwner', 'tasks.create', () => createWithin(of, limits, { input }))
    await createWithin(of, limits, { input, owner: 'bob' })
    equal(
      'an outcome as large as the input',
      await of.tasks.finish(claim, { ...DONE, text: input }, limits),
      'finished',
    )
    await whenDue(of, 'the outcome to be gone', async () => (await of.tasks.get(claim.id)) === undefined)
    await createWithin(of, limits, { input })
  },

  'limits.maxBytesPerOwner: a task that is taken back counts no more': async (of) => {
    const limits = roomFor(of)
    const claimFor = { worker: 'w1', leaseMs: of.longMs }
    for (let count = 0; count < 4; count += 1) {
      const claim = await of.tasks.create(newTask({ input: text(of) }), { claimFor, limits })
      equal('taken back', await of.otherTasks.discard(present('claim', claim)), true)
    }
  },

  'limits.maxBytes: counts the tasks of all owners, also of nobody': async (of) => {
    const limits = { maxBytes: roomFor(of).maxBytesPerOwner }
    const input = text(of)
    await createWithin(of, limits, { input })
    await createWithin(of, limits, { input, owner: NOBODY }, true)
    await rejectsAtLimit('maxBytes', 'tasks.create', () => createWithin(of, limits, { input, owner: 'bob' }))
    await createWithin(of, limits, { owner: 'bob' })
  },

  'limits of bytes: steps, questions and answers count, and what is refused changes nothing': async (of) => {
    const limits = roomFor(of)
    const large = text(of)
    await create(of)
    const claim = await claimOne(of)
    isTrue('a step', await of.tasks.keepStep(claim, 'one', large, limits))
    isTrue('a question', await of.tasks.ask(claim, { q: '?', r: large }, limits))
    await rejectsAtLimit('maxBytesPerOwner', 'tasks.keepStep', () => of.tasks.keepStep(claim, 'two', large, limits))
    await rejectsAtLimit('maxBytesPerOwner', 'tasks.ask', () => of.otherTasks.ask(claim, { s: large }, limits))
    await rejectsAtLimit('maxBytesPerOwner', 'tasks.answer', () => of.tasks.answer(claim.id, { q: large }, limits))
    const task = present('task', await of.otherTasks.get(claim.id))
    equal('questions', Object.keys(task.questions).sort(), ['q', 'r'])
    const journal = present('journal', await of.tasks.journal(claim))
    equal('journal', [Object.keys(journal.steps), Object.keys(journal.answers)], [['one'], []])
    equal('a short answer', await of.otherTasks.answer(claim.id, { q: '!', r: '!' }, limits), 'taken')
    isTrue('a step in place of the question', await of.tasks.keepStep(claim, 'two', large, limits))
  },

  'limits of bytes: what was taken can be repeated, however full the store is': async (of) => {
    const large = text(of)
    await create(of, { owner: 'bob' })
    const claim = await claimOne(of)
    const full = { maxBytes: 1, maxBytesPerOwner: 1 }
    await of.tasks.keepStep(claim, 'one', large)
    isTrue('step', await of.tasks.keepStep(claim, 'one', large, full))
    await of.tasks.ask(claim, { q: large })
    isTrue('question', await of.otherTasks.ask(claim, { q: large }, full))
    await of.tasks.answer(claim.id, { q: large })
    equal('answer', await of.otherTasks.answer(claim.id, { q: large }, full), 'taken')
    await of.tasks.finish(claim, { ...DONE, text: large })
    equal('outcome', await of.otherTasks.finish(claim, { ...DONE, text: large }, full), 'already')
  },

  'limits of bytes: an outcome that does not fit is refused, and a small one ends the task all the same': async (
    of,
  ) => {
    await create(of, { input: '' })
    const claim = await claimOne(of)
    const limits = { maxBytesPerOwner: 2_100, maxBytes: 2_100 }
    const finish = (length: number) => of.tasks.finish(claim, { ...DONE, text: 'x'.repeat(length) }, limits)
    await rejectsAtLimit('maxBytesPerOwner', 'tasks.finish', () => finish(5_000))
    equal('held', await of.otherTasks.renew(claim, of.longMs), 'held')
    equal('small', await finish(1_024), 'finished')
  },

  'claim: owners take turns: 1,000 tasks of one do not keep that of another waiting': async (of) => {
    for (let made = 0; made < 1_000; made += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => createWithin(of, {}, {}, index % 2 === 1)))
    }
    equal('begun', (await claimAll(of, of.longMs, 16)).length, 16)
    const late = await create(of, { owner: 'bob' })
    const claims = await claimAll(of, of.longMs, 3)
    isTrue(
      'the task of the other owner is among the next',
      claims.some(({ id }) => id === late.id),
    )
  },

  'claim: owners take turns, whatever kinds their tasks have': async (of) => {
    const kinds = ['report', 'import', 'export']
    const owners = new Map<string, string>()
    const make = async (owner: string, kind: string) => owners.set((await create(of, { owner, kind })).id, owner)
    for (let count = 0; count < 4; count += 1) for (const kind of kinds) await make('ada', kind)
    for (const owner of ['bob', 'eve']) for (let count = 0; count < 2; count += 1) await make(owner, 'report')
    const claims = await of.tasks.claim('w1', { kinds, max: 6, leaseMs: of.longMs })
    const turns = claims.map(({ id }) => owners.get(id)).sort()
    equal('turns', turns, ['ada', 'ada', 'bob', 'bob', 'eve', 'eve'])
  },
}
