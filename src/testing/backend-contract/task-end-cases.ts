// What counts for the end of tasks: outcomes, cancellation, time.
import { equal, has, isTrue } from './check.ts'
import type { ContractCases } from './contract.ts'
import { claimAll, claimOne, claimWhenLost, create, DONE, get, whenDue } from './task-kit.ts'

export const taskEndCases: ContractCases = {
  'finish: keeps the outcome, for every client': async (of) => {
    for (const status of ['completed', 'failed', 'cancelled'] as const) {
      const task = await create(of)
      const before = await get(of, task)
      equal('finish', await of.tasks.finish(await claimOne(of), { status, text: `ä ${status}\0` }), 'finished')
      const ended = await get(of, task)
      has('task', ended, { status, outcome: `ä ${status}\0`, questions: {} })
      isTrue('a higher revision', ended.revision > before.revision)
    }
  },

  'finish: nothing changes afterwards': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.finish(claim, DONE)
    const ended = await get(of, task)
    equal('renew', await of.tasks.renew(claim, of.longMs, 'late'), 'lost')
    equal('step', await of.tasks.keepStep(claim, 'late', '1'), false)
    equal('ask', await of.tasks.ask(claim, { q: '?' }), false)
    equal('extend', await of.tasks.extend(claim, { ttlMs: null }), false)
    equal('park', await of.tasks.park(claim), false)
    equal('release', await of.tasks.release(claim), false)
    equal('journal', await of.tasks.journal(claim), undefined)
    equal('cancel', await of.otherTasks.cancel(task.id, 1_000), 'ended')
    equal('claims', await claimAll(of), [])
    equal('task', await get(of, task), ended)
  },

  'D035: finish: a repeat is already done, and the first outcome stays': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.finish(claim, DONE)
    equal('repeat', await of.tasks.finish(claim, DONE), 'already')
    equal('another', await of.tasks.finish(claim, { status: 'failed', text: 'late' }), 'already')
    has('task', await get(of, task), { status: 'completed', outcome: DONE.text })
  },

  'finish: of many at once exactly one is finished': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        return (index % 2 === 0 ? of.tasks : of.otherTasks).finish(claim, { status: 'completed', text: `r${index}` })
      }),
    )
    equal('finished', results.filter((result) => result === 'finished').length, 1)
    equal('outcome', (await get(of, task)).outcome, `r${results.indexOf('finished')}`)
  },

  'finish: lost for a task that nobody knows': async (of) => {
    const claim = { id: 'unknown', kind: 'report', input: '', attempt: 1, steps: {}, answers: {} }
    equal('finish', await of.tasks.finish(claim, DONE), 'lost')
    equal('renew', await of.tasks.renew(claim, of.longMs), 'lost')
    equal('journal', await of.tasks.journal(claim), undefined)
  },

  'create: a repeat after the end changes nothing': async (of) => {
    const task = await create(of)
    await of.tasks.finish(await claimOne(of), DONE)
    const ended = await get(of, task)
    equal('create', await of.tasks.create(task), undefined)
    equal('task', await get(of, task), ended)
    equal('claims', await claimAll(of), [])
  },

  'cancel: at once where nobody has begun, for good': async (of) => {
    const task = await create(of)
    equal('cancel', await of.otherTasks.cancel(task.id, of.longMs), 'cancelled')
    has('task', await get(of, task), { status: 'cancelled' })
    equal('claims', await claimAll(of), [])
    equal('again', await of.tasks.cancel(task.id, of.longMs), 'ended')
    equal('open', await of.tasks.countOpen(), 0)
  },

  'cancel: unknown for an id that nobody has': async (of) => {
    equal('cancel', await of.tasks.cancel('unknown', 1_000), 'unknown')
  },

  'cancel: at once where the run waits for an answer': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.ask(claim, { q: '?' })
    await of.tasks.park(claim)
    equal('cancel', await of.tasks.cancel(task.id, of.longMs), 'cancelled')
    has('task', await get(of, task), { status: 'cancelled', questions: {} })
    equal('answer', await of.tasks.answer(task.id, { q: '!' }), 'ended')
  },

  'cancel: whoever reads the task sees that it is on its way, as one change': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    const before = await get(of, task)
    equal('before', before.isCancelling, undefined)
    await of.otherTasks.cancel(task.id, of.longMs)
    const { revision, isCancelling } = await get(of, task)
    equal('after', isCancelling, true)
    isTrue(`revision grows: ${before.revision}, ${revision}`, revision > before.revision)
    await of.otherTasks.cancel(task.id, of.longMs)
    has('again', await get(of, task), { revision, isCancelling: true })
    await of.tasks.finish(claim, { status: 'cancelled', text: '' })
    equal('ended', (await get(of, task)).isCancelling, undefined)
  },

  'cancel: the worker hears of it when it renews': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    equal('cancel', await of.otherTasks.cancel(task.id, of.longMs), 'cancelling')
    equal('again', await of.otherTasks.cancel(task.id, of.longMs), 'cancelling')
    equal('renew', await of.tasks.renew(claim, of.longMs), 'cancelling')
    has('task', await get(of, task), { status: 'working', isCancelling: true })
    equal('finish', await of.tasks.finish(claim, { status: 'cancelled', text: 'stopped' }), 'finished')
    has('task', await get(of, task), { status: 'cancelled', outcome: 'stopped' })
  },

  'D036: cancel: work that ends before the grace is over wins': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    await of.tasks.cancel(task.id, of.longMs)
    equal('finish', await of.tasks.finish(claim, DONE), 'finished')
    has('task', await get(of, task), { status: 'completed', outcome: DONE.text })
    equal('cancel', await of.tasks.cancel(task.id, 1_000), 'ended')
  },

  'D036: cancel and finish at once: both see the same end': async (of) => {
    for (let turn = 0; turn < 5; turn += 1) {
      const task = await create(of)
      const claim = await claimOne(of)
      const [finished] = await Promise.all([of.tasks.finish(claim, DONE), of.otherTasks.cancel(task.id, of.longMs)])
      equal('finish', finished, 'finished')
      has('task', await get(of, task), { status: 'completed' })
    }
  },

  'D037: cancel: after the grace whatever the worker does, and its result is refused': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    equal('cancel', await of.tasks.cancel(task.id, of.shortMs), 'cancelling')
    await whenDue(of, 'the end', async () => (await get(of, task)).status === 'cancelled')
    equal('finish', await of.tasks.finish(claim, DONE), 'already')
    equal('renew', await of.tasks.renew(claim, of.longMs), 'lost')
    equal('outcome', (await get(of, task)).outcome, undefined)
  },

  'cancel: a run that is parked or released meanwhile is cancelled': async (of) => {
    for (const giveUp of ['park', 'release'] as const) {
      const task = await create(of)
      const claim = await claimOne(of)
      await of.tasks.ask(claim, { q1: '?' })
      await of.tasks.cancel(task.id, of.longMs)
      equal(giveUp, await of.tasks[giveUp](claim), true)
      has('task', await get(of, task), { status: 'cancelled', questions: {} })
      equal('claims', await claimAll(of), [])
    }
  },

  'cancel: a task whose worker was lost meanwhile is cancelled, not run again': async (of) => {
    const task = await create(of, { maxAttempts: 3 })
    await claimOne(of, of.shortMs)
    await of.tasks.cancel(task.id, of.longMs)
    await whenDue(of, 'the end', async () => (await get(of, task)).status === 'cancelled')
    equal('claims', await claimAll(of), [])
  },

  'time: a task that nobody has begun fails when ttlMs passes': async (of) => {
    const task = await create(of, { ttlMs: of.shortMs, keepMs: of.longMs })
    await whenDue(of, 'the end', async () => (await get(of, task)).status === 'failed')
    has('task', await get(of, task), { statusMessage: 'The task was not run in time.' })
    equal('claims', await claimAll(of), [])
    equal('open', await of.tasks.countOpen(), 0)
  },

  'time: a question that nobody answers fails the task when ttlMs passes': async (of) => {
    const task = await create(of, { ttlMs: of.shortMs, keepMs: of.longMs })
    // Time may pass before it is claimed, on a slow machine: it fails in another way then.
    const [claim] = await claimAll(of)
    if (claim !== undefined) {
      await of.tasks.ask(claim, { q1: '?' })
      await of.tasks.park(claim)
    }
    await whenDue(of, 'the end', async () => (await get(of, task)).status === 'failed')
    const statusMessage =
      claim === undefined ? 'The task was not run in time.' : 'Nobody answered the question in time.'
    has('task', await get(of, task), { questions: {}, statusMessage })
    equal('answer', await of.tasks.answer(task.id, { q1: '!' }), 'ended')
  },

  'D041: time: running work goes on when ttlMs passes': async (of) => {
    const task = await create(of, { ttlMs: of.longMs, keepMs: 1 })
    const claim = await claimOne(of)
    const ttlMs = of.shortMs * 4
    const short = await create(of, { kind: 'short', ttlMs, keepMs: 1 })
    const [running] = await of.tasks.claim('w1', { kinds: ['short'], max: 1, leaseMs: of.longMs })
    // The time of this one passes after that of the one that runs.
    const marker = await create(of, { kind: 'marker', ttlMs, keepMs: of.longMs })
    await whenDue(of, 'time to pass', async () => (await get(of, marker)).status === 'failed', ttlMs)
    if (running !== undefined) {
      has('running', await get(of, short), { status: 'working' })
      equal('finish', await of.tasks.finish(running, DONE), 'finished')
    }
    equal('finish', await of.tasks.finish(claim, DONE), 'finished')
    has('task', await get(of, task), { status: 'completed' })
  },

  'D041: finish: the time of a task grows where less than keepMs of it is left': async (of) => {
    const task = await create(of, { ttlMs: of.longMs, keepMs: of.longMs * 2 })
    await of.tasks.finish(await claimOne(of), DONE)
    const { ttlMs, outcome } = await get(of, task)
    equal('outcome', outcome, DONE.text)
    isTrue(`at least keepMs: ${ttlMs}`, (ttlMs ?? 0) >= of.longMs * 2)
  },

  'time: a task that has ended goes after ttlMs and keepMs, and is unknown then': async (of) => {
    const task = await create(of, { ttlMs: of.shortMs, keepMs: 1, maxAttempts: 2 })
    const kept = await create(of, { kind: 'other' })
    const [claim] = await claimAll(of)
    if (claim !== undefined) await of.tasks.finish(claim, DONE)
    await whenDue(of, 'the task to go', async () => (await of.otherTasks.get(task.id)) === undefined)
    equal('answer', await of.tasks.answer(task.id, { q: '!' }), 'unknown')
    equal('cancel', await of.tasks.cancel(task.id, 1_000), 'unknown')
    const listed = await of.tasks.list('ada', { dialect: 'extension', limit: 10 })
    equal(
      'list',
      listed.map(({ id }) => id),
      [kept.id],
    )
  },

  'D040: a task that takes its worker with it each time fails, and others go on': async (of) => {
    const poison = await create(of, { maxAttempts: 2 })
    await claimOne(of, of.shortMs)
    await claimWhenLost(of, of.shortMs)
    const healthy = await create(of)
    await whenDue(of, 'the task to fail', async () => (await get(of, poison)).status === 'failed')
    equal('finish', await of.tasks.finish(await claimOne(of), DONE), 'finished')
    has('task', await get(of, healthy), { status: 'completed' })
  },
}
