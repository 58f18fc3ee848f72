// What counts for tasks: making, finding and listing them. What counts for their runs is in the files beside.
import { equal, has, isTrue, present, rejects } from './check.ts'
import type { ContractCases } from './contract.ts'
import { taskEndCases } from './task-end-cases.ts'
import { claimAll, claimOne, create, DONE, get, idsOf, newTask } from './task-kit.ts'
import { taskLimitCases } from './task-limit-cases.ts'
import { taskQuestionCases } from './task-question-cases.ts'
import { taskRunCases } from './task-run-cases.ts'
import type { Case } from './under-test.ts'

const PAGE = { dialect: 'extension', limit: 10 }

function claimFor({ longMs }: Case) {
  return { claimFor: { worker: 'w1', leaseMs: longMs } }
}

export const taskCases: ContractCases = {
  'D042: create: every client finds the task as soon as it has resolved': async (of) => {
    const task = newTask()
    equal('create', await of.tasks.create(task), undefined)
    const { id, owner, kind, dialect, ttlMs, pollIntervalMs } = task
    const expected = {
      id,
      owner,
      kind,
      dialect,
      ttlMs,
      pollIntervalMs,
      status: 'working',
      attempt: 0,
      questions: {},
    } as const
    has('task', await of.otherTasks.get(id), expected)
  },

  'get: undefined for an id that nobody has created': async ({ tasks }) => {
    equal('get', await tasks.get('unknown'), undefined)
  },

  'get: times are those of the engine, and a new task has no outcome': async (of) => {
    const found = await get(of, await create(of))
    isTrue('createdAt', Number.isFinite(found.createdAt) && found.createdAt > 0)
    equal('updatedAt', found.updatedAt, found.createdAt)
    equal('outcome and message', [found.outcome, found.statusMessage], [undefined, undefined])
  },

  'create: the same task twice is one task': async (of) => {
    const task = await create(of)
    equal('again', await of.otherTasks.create(task), undefined)
    equal('open', await of.tasks.countOpen(), 1)
    equal('claims', idsOf(await claimAll(of)), [task.id])
  },

  'create: another task with the same id is refused': async (of) => {
    const task = await create(of)
    for (const change of [{ input: 'other' }, { owner: 'bob' }, { kind: 'other' }, { dialect: 'core' }]) {
      await rejects('refused', 'tasks.create', () => of.tasks.create({ ...task, ...change }))
    }
    has('task', await get(of, task), { owner: 'ada', kind: 'report' })
  },

  'create: of many at once with the same id there is one task': async (of) => {
    const task = newTask()
    const tries = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? of.tasks : of.otherTasks).create(task))
    await Promise.all(tries)
    equal('open', await of.tasks.countOpen('ada'), 1)
    equal('claims', (await claimAll(of)).length, 1)
  },

  'D053: create with claimFor: nobody else gets the task': async (of) => {
    const task = newTask()
    const claim = present('claim', await of.tasks.create({ ...task, steps: { read: '1' } }, claimFor(of)))
    const { id, kind, input } = task
    has('claim', claim, { id, kind, input, attempt: 1, steps: { read: '1' }, answers: {} })
    equal('claims of others', await of.otherTasks.claim('w2', { kinds: ['report'], max: 5, leaseMs: of.longMs }), [])
    has('task', await get(of, task), { attempt: 1, status: 'working' })
  },

  'create with claimFor: a repeat returns the same claim': async (of) => {
    const task = { ...newTask(), steps: { read: '1' }, answers: { q: '!' } }
    const claim = await of.tasks.create(task, claimFor(of))
    equal('repeat', await of.tasks.create(task, claimFor(of)), claim)
    equal('open', await of.tasks.countOpen(), 1)
  },

  'create with claimFor: a repeat returns what the run has kept since': async (of) => {
    const task = { ...newTask(), steps: { read: '1' } }
    const claim = present('claim', await of.tasks.create(task, claimFor(of)))
    await of.tasks.keepStep(claim, 'write', '2')
    await of.tasks.ask(claim, { q: '?' })
    await of.otherTasks.answer(task.id, { q: '!' })
    const repeat = present('repeat', await of.otherTasks.create(task, claimFor(of)))
    has('repeat', repeat, { attempt: 1, steps: { read: '1', write: '2' }, answers: { q: '!' } })
  },

  'create: the journal that is given comes with the claim': async (of) => {
    const task = { ...newTask(), steps: { read: '"rows"' }, answers: { name: '"Ada"' } }
    await of.tasks.create(task)
    has('claim', await claimOne(of), { steps: { read: '"rows"' }, answers: { name: '"Ada"' } })
  },

  'create: input is any text, byte for byte, also a large one': async (of) => {
    for (const input of ['', '\0ä€😀\r\n', '"\\%s', 'x'.repeat(Math.min(100_000, of.maxValueBytes))]) {
      await create(of, { input })
      const claim = await claimOne(of)
      isTrue('the same input', claim.input === input)
      await of.tasks.finish(claim, DONE)
    }
  },

  'discard: takes back a task that nobody knows yet': async (of) => {
    const task = newTask()
    const claim = present('claim', await of.tasks.create(task, claimFor(of)))
    equal('discard', await of.tasks.discard(claim), true)
    equal('get', await of.otherTasks.get(task.id), undefined)
    equal('open', [await of.tasks.countOpen('ada'), await of.tasks.countOpen()], [0, 0])
    equal('list', await of.tasks.list('ada', PAGE), [])
    equal('again', await of.tasks.discard(claim), false)
  },

  'discard: not after the end, and not with an old claim': async (of) => {
    await create(of)
    const first = await claimOne(of)
    await of.tasks.release(first)
    equal('old claim', await of.tasks.discard(first), false)
    const second = await claimOne(of)
    await of.tasks.finish(second, DONE)
    equal('ended', await of.tasks.discard(second), false)
    has('task', await get(of, second), { status: 'completed' })
  },

  'list: the tasks of one owner, oldest first, page by page': async (of) => {
    const own = []
    for (const owner of ['ada', 'bob', 'ada', 'ada']) own.push(await create(of, { owner }))
    const ids = idsOf(own.filter(({ owner }) => owner === 'ada'))
    equal('first page', idsOf(await of.otherTasks.list('ada', { ...PAGE, limit: 2 })), ids.slice(0, 2))
    equal(
      'second page',
      idsOf(await of.tasks.list('ada', { ...PAGE, limit: 2, after: ids[1] as string })),
      ids.slice(2),
    )
    equal('after the last', await of.tasks.list('ada', { ...PAGE, after: ids[2] as string }), [])
    equal('of nobody', await of.tasks.list('eve', PAGE), [])
  },

  'list: one dialect alone': async (of) => {
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) {
      await create(of)
      ids.push((await create(of, { dialect: 'core' })).id)
    }
    equal('list', idsOf(await of.tasks.list('ada', { dialect: 'core', limit: 10 })), ids)
    const after = ids[0] as string
    equal('after', idsOf(await of.tasks.list('ada', { dialect: 'core', limit: 10, after })), ids.slice(1))
  },

  'list: empty after a task that is unknown, of another owner or of another dialect': async (of) => {
    await create(of)
    const strangers = [await create(of, { owner: 'bob' }), await create(of, { dialect: 'core' })]
    for (const after of ['unknown', ...idsOf(strangers)])
      equal('list', await of.tasks.list('ada', { ...PAGE, after }), [])
  },

  'list: from a time on': async (of) => {
    await create(of)
    const first = await get(of, await create(of))
    await of.passes(10, 'the clock to move', async () => {
      return (await get(of, await create(of, { owner: 'clock' }))).createdAt > first.createdAt
    })
    const later = await create(of)
    const { createdAt } = await get(of, later)
    equal('list', idsOf(await of.tasks.list('ada', { ...PAGE, createdFrom: createdAt })), [later.id])
  },

  'list: has those that have ended, with their outcome': async (of) => {
    const task = await create(of)
    await of.tasks.finish(await claimOne(of), DONE)
    const [listed] = await of.tasks.list('ada', PAGE)
    equal('listed', listed, await get(of, task))
    equal('outcome', listed?.outcome, DONE.text)
  },

  'countOpen: those that have not ended, of one owner or of all': async (of) => {
    for (const owner of ['ada', 'ada', 'bob']) await create(of, { owner })
    equal(
      'open',
      [await of.tasks.countOpen('ada'), await of.otherTasks.countOpen(), await of.tasks.countOpen('eve')],
      [2, 3, 0],
    )
    await of.tasks.finish(await claimOne(of), DONE)
    equal('one has ended', [await of.tasks.countOpen('ada'), await of.tasks.countOpen()], [1, 2])
  },

  ...taskRunCases,
  ...taskQuestionCases,
  ...taskEndCases,
  ...taskLimitCases,
}
