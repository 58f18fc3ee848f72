// What counts for the runs of tasks: claims, leases, attempts, steps.
import { equal, has, isTrue, rejects } from './check.ts'
import type { ContractCases } from './contract.ts'
import { claimAll, claimOne, claimWhenLost, create, DONE, get, idsOf, whenDue } from './task-kit.ts'

export const taskRunCases: ContractCases = {
  'claim: the oldest first, by kind, as many as asked for, each once': async (of) => {
    const tasks = []
    for (const kind of ['other', 'report', 'report', 'report']) tasks.push(await create(of, { kind }))
    const ids = idsOf(tasks)
    equal('two', idsOf(await claimAll(of, of.longMs, 2)), ids.slice(1, 3))
    equal('the rest', idsOf(await claimAll(of)), ids.slice(3))
    equal('none left', await claimAll(of), [])
    const both = { kinds: ['report', 'other'], max: 5, leaseMs: of.longMs }
    equal('the other kind', idsOf(await of.tasks.claim('w2', both)), ids.slice(0, 1))
  },

  'D039: claim: a task of a kind that nobody knows stays in the queue': async (of) => {
    const task = await create(of, { kind: 'newer-tool' })
    equal('claims', await claimAll(of), [])
    has('task', await get(of, task), { status: 'working', attempt: 0 })
  },

  'claim: nothing for no kinds': async (of) => {
    await create(of)
    equal('claims', await of.tasks.claim('w1', { kinds: [], max: 5, leaseMs: of.longMs }), [])
  },

  'claim: nothing with 0 as max, which is what a busy worker asks for, and a refusal for less': async (of) => {
    const task = await create(of)
    equal('claims', await claimAll(of, of.longMs, 0), [])
    has('task', await get(of, task), { status: 'working', attempt: 0 })
    equal('the next claim', idsOf(await claimAll(of, of.longMs, 1)), [task.id])
    for (const max of [-1, 1.5]) await rejects('refused', 'tasks.claim', () => claimAll(of, of.longMs, max))
  },

  'claim: of many workers at once each task has one': async (of) => {
    const ids = []
    for (let count = 0; count < 12; count += 1) ids.push((await create(of)).id)
    const workers = Array.from({ length: 8 }, (_, index) => {
      const tasks = index % 2 === 0 ? of.tasks : of.otherTasks
      return tasks.claim(`w${index}`, { kinds: ['report'], max: 3, leaseMs: of.longMs })
    })
    equal('claims', idsOf((await Promise.all(workers)).flat()).sort(), ids.sort())
  },

  'claim: not before notBeforeMs has passed': async (of) => {
    await create(of, { notBeforeMs: of.longMs })
    const soon = await create(of, { notBeforeMs: of.shortMs })
    equal('claim', (await claimWhenLost(of)).id, soon.id)
    equal('the other one', await claimAll(of), [])
  },

  'claim: each has a higher attempt than the one before': async (of) => {
    const task = await create(of, { maxAttempts: 3 })
    const attempts = []
    for (let turn = 0; turn < 3; turn += 1) {
      const claim = await claimOne(of)
      attempts.push(claim.attempt)
      has('task', await get(of, task), { attempt: claim.attempt })
      await of.tasks.release(claim)
    }
    equal('attempts', attempts, [1, 2, 3])
  },

  'D034: claim: a task whose worker was lost is run again as far as its attempts allow, then it fails': async (of) => {
    for (const maxAttempts of [1, 3]) {
      const task = await create(of, { maxAttempts })
      equal('attempt', (await claimOne(of, of.shortMs)).attempt, 1)
      for (let attempt = 2; attempt <= maxAttempts; attempt += 1) {
        equal('attempt', (await claimWhenLost(of, of.shortMs)).attempt, attempt)
      }
      await whenDue(of, 'the task to fail', async () => (await get(of, task)).status === 'failed')
      const ended = await get(of, task)
      has('task', ended, { statusMessage: 'The worker was lost.' })
      equal('outcome', ended.outcome, undefined)
      equal('no more claims', await claimAll(of), [])
    }
  },

  'claim: those whose worker was lost come before new ones': async (of) => {
    const lost = await create(of, { maxAttempts: 2 })
    await claimOne(of, of.shortMs)
    await create(of, { kind: 'other' })
    const fresh = await create(of)
    // Claimed by nobody meanwhile, as the first look that finds anything finds both.
    let claims: readonly { readonly id: string }[] = []
    await of.passes(of.shortMs, 'the lease to run out', async () => {
      claims = await of.otherTasks.claim('w2', { kinds: ['report'], max: 5, leaseMs: of.longMs })
      if (claims.length === 1 && claims[0]?.id === fresh.id) await of.otherTasks.release(claims[0] as never)
      return claims.length === 2
    })
    equal('claims', idsOf(claims), [lost.id, fresh.id])
  },

  'D020: claim: shuts out the former worker, and has the steps that it kept': async (of) => {
    const task = await create(of, { maxAttempts: 2 })
    const old = await claimOne(of, of.shortMs)
    equal('step', await of.tasks.keepStep(old, 'read', '"rows"'), true)
    const fresh = await claimWhenLost(of)
    has('claim', fresh, { attempt: 2, steps: { read: '"rows"' } })
    equal('finish', await of.tasks.finish(old, DONE), 'lost')
    equal('renew', await of.tasks.renew(old, of.longMs), 'lost')
    equal('step', await of.tasks.keepStep(old, 'write', '1'), false)
    equal('ask', await of.tasks.ask(old, { q: '?' }), false)
    equal('park', await of.tasks.park(old), false)
    equal('release', await of.tasks.release(old), false)
    equal('extend', await of.tasks.extend(old, { ttlMs: null }), false)
    equal('journal', await of.tasks.journal(old), undefined)
    equal('discard', await of.tasks.discard(old), false)
    has('task', await get(of, task), { status: 'working', attempt: 2, questions: {} })
    equal('finish', await of.otherTasks.finish(fresh, DONE), 'finished')
  },

  'renew: a lease that is renewed is not lost': async (of) => {
    const task = await create(of, { maxAttempts: 1 })
    let claim = await claimOne(of, of.longMs)
    await of.staysAlive('the lease', {
      begin: async (ttlMs) => {
        // A run that was given back begins anew.
        if (await of.tasks.release(claim)) claim = await claimOne(of, ttlMs)
      },
      renew: (ttlMs) => of.tasks.renew(claim, ttlMs),
      isAlive: async () => {
        await of.otherTasks.claim('w2', { kinds: ['report'], max: 1, leaseMs: of.longMs })
        return (await get(of, task)).status === 'working' && (await of.tasks.renew(claim, of.longMs)) === 'held'
      },
    })
  },

  'renew: a worker whose lease ran out may go on while nobody has taken the task': async (of) => {
    await create(of, { maxAttempts: 2 })
    const claim = await claimOne(of, of.shortMs)
    // Only time shows that the lease has run out: another task with the same lease is lost by then.
    await create(of, { kind: 'marker', maxAttempts: 2 })
    await of.tasks.claim('w1', { kinds: ['marker'], max: 1, leaseMs: of.shortMs })
    await of.passes(of.shortMs, 'the lease to run out', async () => {
      const [marker] = await of.otherTasks.claim('w2', { kinds: ['marker'], max: 1, leaseMs: of.longMs })
      return marker !== undefined
    })
    equal('renew', await of.tasks.renew(claim, of.longMs), 'held')
    equal('claims of others', await of.otherTasks.claim('w2', { kinds: ['report'], max: 1, leaseMs: of.longMs }), [])
    equal('finish', await of.tasks.finish(claim, DONE), 'finished')
  },

  'finish: a worker whose lease ran out may finish while nobody has taken the task': async (of) => {
    const task = await create(of, { maxAttempts: 2 })
    const claim = await claimOne(of, of.shortMs)
    await create(of, { kind: 'marker', maxAttempts: 2 })
    await of.tasks.claim('w1', { kinds: ['marker'], max: 1, leaseMs: of.shortMs })
    await of.passes(of.shortMs, 'the lease to run out', async () => {
      const [marker] = await of.otherTasks.claim('w2', { kinds: ['marker'], max: 1, leaseMs: of.longMs })
      return marker !== undefined
    })
    equal('finish', await of.tasks.finish(claim, DONE), 'finished')
    equal('claims', await claimAll(of), [])
    has('task', await get(of, task), { status: 'completed', attempt: 1 })
  },

  'renew: shows the newest message, under a new revision': async (of) => {
    const task = await create(of)
    const claim = await claimOne(of)
    const before = await get(of, task)
    equal('renew', await of.tasks.renew(claim, of.longMs, 'half way'), 'held')
    const after = await get(of, task)
    equal('message', after.statusMessage, 'half way')
    isTrue('a higher revision', after.revision > before.revision)
    await of.tasks.renew(claim, of.longMs, 'half way')
    await of.tasks.renew(claim, of.longMs)
    has('task', await get(of, task), { statusMessage: 'half way', revision: after.revision })
  },

  'D041: renew: the time of a task grows where less than keepMs of it is left': async (of) => {
    const keepMs = of.longMs * 2
    const task = await create(of, { ttlMs: of.longMs, keepMs })
    const claim = await claimOne(of)
    equal('renew', await of.tasks.renew(claim, of.longMs), 'held')
    const { ttlMs } = await get(of, task)
    isTrue(`at least keepMs: ${ttlMs}`, (ttlMs ?? 0) >= keepMs)
  },

  'D041: renew: the time grows in steps, so that the next renewals change nothing': async (of) => {
    const task = await create(of, { ttlMs: of.longMs, keepMs: of.longMs * 2 })
    const claim = await claimOne(of)
    await of.tasks.renew(claim, of.longMs)
    const { revision } = await get(of, task)
    const marker = await create(of, { kind: 'marker', ttlMs: of.shortMs, keepMs: of.longMs })
    await of.passes(of.shortMs, 'time passes', async () => (await get(of, marker)).status === 'failed')
    for (let renewal = 0; renewal < 3; renewal += 1) equal('renew', await of.tasks.renew(claim, of.longMs), 'held')
    has('task', await get(of, task), { revision })
  },

  'extend: the time of a task does not shrink, and null stays': async (of) => {
    const task = await create(of, { ttlMs: 6_000_000, keepMs: 1 })
    const claim = await claimOne(of)
    equal('extend', await of.tasks.extend(claim, { ttlMs: 5_000_000, pollIntervalMs: 2_000 }), true)
    has('shorter', await get(of, task), { ttlMs: 6_000_000, pollIntervalMs: 2_000 })
    await of.tasks.extend(claim, { ttlMs: 9_000_000 })
    has('longer', await get(of, task), { ttlMs: 9_000_000, pollIntervalMs: 2_000 })
    await of.tasks.extend(claim, { ttlMs: null })
    await of.tasks.extend(claim, { ttlMs: 1_000 })
    has('no limit', await get(of, task), { ttlMs: null })
  },

  'keepStep: the first value of a step stays': async (of) => {
    await create(of)
    const claim = await claimOne(of)
    for (const value of ['"first"', '"second"']) equal('keep', await of.tasks.keepStep(claim, 'read', value), true)
    equal('steps', (await of.tasks.journal(claim))?.steps, { read: '"first"' })
  },

  'keepStep: any names and texts, those of the language too': async (of) => {
    await create(of)
    const claim = await claimOne(of)
    const steps = [
      ['__proto__', '1'],
      ['constructor', ''],
      ['a:b c', 'ä€😀\0'],
      ['1', '\r\n'],
      ['0', '"'],
    ] as const
    for (const [name, value] of steps) await of.tasks.keepStep(claim, name, value)
    await of.tasks.release(claim)
    const again = await claimOne(of)
    equal('steps', Object.entries(again.steps).sort(), [...steps].sort())
  },

  'release: gives the run back at once, and counts as no attempt': async (of) => {
    await create(of, { maxAttempts: 1 })
    for (let turn = 1; turn <= 3; turn += 1) {
      const claim = await claimOne(of)
      equal('attempt', claim.attempt, turn)
      equal('release', await of.tasks.release(claim), true)
      equal('a second time', await of.tasks.release(claim), false)
    }
    equal('finish', await of.tasks.finish(await claimOne(of), DONE), 'finished')
  },

  'watch: hints at work and at changes, of any client': async (of) => {
    const heard: string[] = []
    const stop = of.otherTasks.watch({
      changed: (id) => heard.push(id),
      work: () => heard.push('work'),
      missed: () => {},
    })
    // A hint before the engine listens is lost, so there are several.
    await of.until('a hint at work', async () => {
      await create(of)
      return heard.includes('work')
    })
    const claim = await claimOne(of)
    await of.tasks.finish(claim, DONE)
    await of.until('a hint at the change', () => heard.includes(claim.id))
    stop()
    stop()
  },

  'watch: a listener that throws costs only itself, and one that has left hears nothing': async (of) => {
    const heard: string[] = []
    const thrower = () => {
      throw new Error('This listener always throws.')
    }
    const stopThrower = of.tasks.watch({ changed: thrower, work: thrower, missed: thrower })
    const left = of.tasks.watch({ changed: () => heard.push('left'), work: () => heard.push('left'), missed: () => {} })
    left()
    const stop = of.tasks.watch({ changed: () => {}, work: () => heard.push('work'), missed: () => {} })
    await of.until('a hint', async () => {
      await create(of)
      return heard.includes('work')
    })
    isTrue('none for the one that has left', !heard.includes('left'))
    stopThrower()
    stop()
  },
}
