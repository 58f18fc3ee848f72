// What counts for questions of tasks and their answers.
import { equal, has } from './check.ts'
import type { ContractCases } from './contract.ts'
import { claimAll, claimOne, claimWhenLost, create, DONE, get, whenDue } from './task-kit.ts'

export const taskQuestionCases: ContractCases = {
  'ask: every client sees what is open': async (of) => {
    const task = await create(of)
    const before = await get(of, task)
    const claim = await claimOne(of)
    equal('ask', await of.tasks.ask(claim, { q1: 'name?', q2: 'sure?' }), true)
    const after = await get(of, task)
    has('task', after, { status: 'input_required', questions: { q1: 'name?', q2: 'sure?' } })
    equal('a higher revision', after.revision > before.revision, true)
  },

  'ask: a key that was asked before is ignored, open or answered': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.ask(claim, { q1: 'first' })
    equal('again', await of.tasks.ask(claim, { q1: 'second' }), true)
    has('task', await get(of, task), { questions: { q1: 'first' } })
    await of.tasks.answer(task.id, { q1: '!' })
    equal('once more', await of.tasks.ask(claim, { q1: 'third' }), true)
    has('task', await get(of, task), { status: 'working', questions: {} })
    equal('answers', (await of.tasks.journal(claim))?.answers, { q1: '!' })
  },

  'answer: from any client, one key after the other': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.ask(claim, { q1: '?', q2: '?' })
    equal('first', await of.otherTasks.answer(task.id, { q1: 'Ada' }), 'taken')
    has('task', await get(of, task), { status: 'input_required', questions: { q2: '?' } })
    equal('second', await of.otherTasks.answer(task.id, { q2: 'yes' }), 'taken')
    has('task', await get(of, task), { status: 'working', questions: {} })
    equal('answers', (await of.tasks.journal(claim))?.answers, { q1: 'Ada', q2: 'yes' })
  },

  'answer: the first to a key stays, and keys that were not asked are ignored': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.ask(claim, { q1: '?', q2: '?' })
    await of.tasks.answer(task.id, { q1: 'Ada', nobody: 'asked' })
    equal('again', await of.tasks.answer(task.id, { q1: 'Bob' }), 'taken')
    equal('answers', (await of.tasks.journal(claim))?.answers, { q1: 'Ada' })
  },

  'D038: answer: of many at once one is taken': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.ask(claim, { q1: '?' })
    const answers = Array.from({ length: 8 }, (_, index) => {
      return (index % 2 === 0 ? of.tasks : of.otherTasks).answer(task.id, { q1: `a${index}` })
    })
    await Promise.all(answers)
    const first = (await of.tasks.journal(claim))?.answers['q1']
    await of.tasks.answer(task.id, { q1: 'late' })
    equal('the same answer', (await of.tasks.journal(claim))?.answers['q1'], first)
  },

  'answer: unknown for an id that nobody has, ended for a task that has ended': async (of) => {
    equal('unknown', await of.tasks.answer('unknown', { q1: '!' }), 'unknown')
    const task = await create(of)
    await of.tasks.finish(await claimOne(of), DONE)
    equal('ended', await of.tasks.answer(task.id, { q1: '!' }), 'ended')
  },

  'answer: any keys and texts, those of the language too': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.ask(claim, { constructor: 'ä\0', toString: '😀', 'a:b c': '"\r\n' })
    equal('questions', Object.keys((await get(of, task)).questions).sort(), ['a:b c', 'constructor', 'toString'])
    await of.tasks.answer(task.id, { hasOwnProperty: '!', constructor: '\u2028', 'a:b c': '' })
    equal('questions', (await get(of, task)).questions, { toString: '😀' })
    await of.tasks.park(claim)
    equal('answers', Object.entries((await claimOne(of)).answers).sort(), [
      ['a:b c', ''],
      ['constructor', '\u2028'],
    ])
  },

  'park: nobody gets the task until an answer comes': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.ask(claim, { q1: '?' })
    equal('park', await of.tasks.park(claim), true)
    equal('claims', await claimAll(of), [])
    has('task', await get(of, task), { status: 'input_required' })
    await of.otherTasks.answer(task.id, { q1: 'Ada' })
    has('claim', await claimOne(of), { attempt: 2, answers: { q1: 'Ada' } })
  },

  'park: a task that is parked is not lost, whatever its lease was': async (of) => {
    const task = await create(of, { maxAttempts: 1 })
    const claim = await claimOne(of, of.shortMs)
    await of.tasks.ask(claim, { q1: '?' })
    equal('park', await of.tasks.park(claim), true)
    const marker = await create(of, { kind: 'marker' })
    await of.tasks.claim('w1', { kinds: ['marker'], max: 1, leaseMs: of.shortMs })
    await whenDue(of, 'the lease to run out', async () => (await get(of, marker)).status === 'failed')
    has('task', await get(of, task), { status: 'input_required' })
  },

  'park: one of several answers is enough to go on': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.ask(claim, { q1: '?', q2: '?' })
    await of.tasks.park(claim)
    await of.tasks.answer(task.id, { q1: '!' })
    has('claim', await claimOne(of), { answers: { q1: '!' } })
    has('task', await get(of, task), { status: 'input_required', questions: { q2: '?' } })
  },

  'park: back at once where an answer has come since the question': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.ask(claim, { q1: '?' })
    await of.tasks.answer(task.id, { q1: 'Ada' })
    equal('park', await of.tasks.park(claim), true)
    has('claim', await claimOne(of), { attempt: 2, answers: { q1: 'Ada' } })
  },

  'park: counts as no attempt, and the claim is lost': async (of) => {
    const task = await create(of, { maxAttempts: 1 })
    for (let turn = 1; turn <= 3; turn += 1) {
      const claim = await claimOne(of)
      await of.tasks.ask(claim, { [`q${turn}`]: '?' })
      await of.tasks.park(claim)
      equal('again', await of.tasks.park(claim), false)
      equal('finish', await of.tasks.finish(claim, DONE), 'lost')
      await of.tasks.answer(task.id, { [`q${turn}`]: '!' })
    }
    equal('finish', await of.tasks.finish(await claimOne(of), DONE), 'finished')
  },

  'journal: has the answers that came meanwhile, until the claim is lost': async (of) => {
    const task = await create(of, { maxAttempts: 2 })
    const claim = await claimOne(of, of.shortMs)
    await of.tasks.keepStep(claim, 'read', '1')
    await of.tasks.ask(claim, { name: '?', age: '?' })
    has('journal', await of.tasks.journal(claim), { steps: { read: '1' }, answers: {} })
    await of.otherTasks.answer(task.id, { name: '"Ada"' })
    has('journal', await of.tasks.journal(claim), { answers: { name: '"Ada"' } })
    const next = await claimWhenLost(of)
    equal('former claim', await of.tasks.journal(claim), undefined)
    has('journal', await of.tasks.journal(next), { steps: { read: '1' }, answers: { name: '"Ada"' } })
  },
}
