// The checkers of histories see what they are for: they are silent on a store that keeps its promises, and not on one with a mistake.
import { describe, expect, test } from 'vitest'
import type { Claim, Task, TaskStore } from '../../src/backend/task-store.ts'
import { checkTasks, countEvents } from './check-tasks.ts'
import { type Mutation, simulate } from './simulated.ts'

const SEEDS = [1, 2, 3, 4, 5]

function overriding(store: TaskStore, methods: Partial<TaskStore>): TaskStore {
  return new Proxy(store, {
    get: (target, name) => {
      const own = Reflect.get(methods, name) as unknown
      if (own !== undefined) return own
      const member = Reflect.get(target, name) as unknown
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}

/** Whoever ran a task once may end it. */
const withoutFence: Mutation = (store) => {
  const newest = new Map<string, Claim>()
  return overriding(store, {
    async claim(worker, options) {
      const claims = await store.claim(worker, options)
      for (const claim of claims) newest.set(claim.id, claim)
      return claims
    },
    finish: (claim, outcome) => store.finish(newest.get(claim.id) ?? claim, outcome),
  })
}

/** The outcome of a task that has ended can be replaced. */
const endsTwice: Mutation = (store) => {
  const outcomes = new Map<string, string>()
  return overriding(store, {
    async finish(claim, outcome) {
      const finished = await store.finish(claim, outcome)
      if (finished === 'already') outcomes.set(claim.id, outcome.text)
      return finished === 'already' ? 'finished' : finished
    },
    async get(id) {
      const task = await store.get(id)
      const outcome = outcomes.get(id)
      return task === undefined || outcome === undefined ? task : { ...task, outcome }
    },
  })
}

/** A task whose worker was lost waits behind all others. */
const lostGoLast: Mutation = (store) => {
  const held: Claim[] = []
  return overriding(store, {
    async claim(worker, options) {
      const given: Claim[] = []
      while (given.length < options.max) {
        const [claim] = await store.claim(worker, { ...options, max: 1, leaseMs: 60_000 })
        if (claim === undefined) break
        if (claim.attempt > 1 && Object.keys(claim.answers).length === 0) held.push(claim)
        else given.push(claim)
      }
      while (given.length < options.max && held.length > 0) given.push(held.shift() as Claim)
      return given
    },
  })
}

/** A lease ends before its time. */
const shortLeases: Mutation = (store) =>
  overriding(store, {
    claim: (worker, options) => store.claim(worker, { ...options, leaseMs: 300 }),
    renew: (claim) => store.renew(claim, 300),
  })

/** The last answer counts. */
const forgetsAnswers: Mutation = (store) =>
  overriding(store, {
    claim: async (worker, options) =>
      (await store.claim(worker, options)).map((claim) => ({
        ...claim,
        answers: claim.attempt > 3 ? {} : claim.answers,
      })),
  })

const losesTasks: Mutation = (store) => {
  let reads = 0
  return overriding(store, {
    get: async (id) => {
      reads += 1
      return reads % 100 === 0 ? undefined : store.get(id)
    },
  })
}

/** Reads of a copy that is behind. */
const readsBehind: Mutation = (store) => {
  const first = new Map<string, Task | undefined>()
  let reads = 0
  return overriding(store, {
    async get(id) {
      reads += 1
      const task = await store.get(id)
      if (!first.has(id)) first.set(id, task)
      return reads % 10 === 0 ? first.get(id) : task
    },
  })
}

/** A task that has ended goes on. */
const endsNotForEver: Mutation = (store) => {
  let reads = 0
  return overriding(store, {
    async get(id) {
      const task = await store.get(id)
      if (task === undefined || task.outcome === undefined) return task
      reads += 1
      const { outcome: _outcome, ...rest } = task
      return reads % 5 === 0 ? { ...rest, status: 'working', revision: task.revision + 1 } : task
    },
  })
}

/** What a task has ended with is written anew. */
const changesEnds: Mutation = (store) => {
  let reads = 0
  return overriding(store, {
    async get(id) {
      const task = await store.get(id)
      if (task?.outcome === undefined) return task
      reads += 1
      return { ...task, statusMessage: reads % 5 === 0 ? 'Done again.' : 'Done.' }
    },
  })
}

/** The outcome is none that a run has committed. */
const mixesOutcomes: Mutation = (store) =>
  overriding(store, {
    finish: (claim, outcome) => store.finish(claim, { ...outcome, text: `${outcome.text}, cut` }),
  })

/** Every claim has the same number, so that no fence can tell them apart. */
const sameNumbers: Mutation = (store) =>
  overriding(store, {
    claim: async (worker, options) =>
      (await store.claim(worker, options)).map((claim) => ({ ...claim, attempt: Math.min(claim.attempt, 2) })),
  })

/** Runs are not counted. */
const runsForEver: Mutation = (store) =>
  overriding(store, {
    create: (task, options) => store.create({ ...task, maxAttempts: 1_000 }, options),
    claim: (worker, options) => store.claim(worker, { ...options, leaseMs: 1 }),
    renew: async () => 'held',
    finish: async (claim, outcome) => (claim.attempt < 8 ? 'lost' : store.finish(claim, outcome)),
  })

/** No mistake: the client of the engine sends every commit once more, and only its second answer arrives. */
const sentAgain: Mutation = (store) =>
  overriding(store, {
    async finish(claim, outcome) {
      await store.finish(claim, outcome)
      return store.finish(claim, outcome)
    },
  })

/** No mistake either: a run that gives its task up hears `false` where another had the task before it was sent once more. */
const givenUpAgain: Mutation = (store) =>
  overriding(store, {
    async park(claim) {
      await store.park(claim)
      return store.park(claim)
    },
    async release(claim) {
      await store.release(claim)
      return store.release(claim)
    },
  })

describe('the checker of tasks', () => {
  test.each(SEEDS)('is silent where runs give their tasks up twice, and hear `false` (seed %i)', async (seed) => {
    const history = await simulate(seed, givenUpAgain)
    expect(history.some(({ name, value }) => name === 'park' && value === false)).toBe(true)
    expect(checkTasks(history)).toEqual([])
  })

  test.each(SEEDS)('is silent where commits are sent twice, and nobody hears `finished` (seed %i)', async (seed) => {
    const history = await simulate(seed, sentAgain)
    expect(history.some(({ name, value }) => name === 'finish' && value === 'already')).toBe(true)
    expect(checkTasks(history).filter((problem) => problem.startsWith('5:'))).toEqual([])
  })

  test.each(SEEDS)(
    'is silent on the store in memory, where runs are repeated and commits refused (seed %i)',
    async (seed) => {
      const history = await simulate(seed)
      expect(checkTasks(history)).toEqual([])
      const events = countEvents(history)
      expect(Math.min(...Object.values(events)), JSON.stringify(events)).toBeGreaterThan(0)
    },
  )

  test.each([
    ['4', 'finish without its fence', withoutFence],
    ['4', 'a second outcome', endsTwice],
    ['9', 'a lost task at the end of the queue', lostGoLast],
    ['7', 'leases that end early', shortLeases],
    ['8', 'answers that get lost', forgetsAnswers],
    ['1', 'tasks that are not found', losesTasks],
    ['2', 'reads of a copy that is behind', readsBehind],
    ['2', 'a task that goes on after its end', endsNotForEver],
    ['3', 'an end that changes', changesEnds],
    ['5', 'an outcome that nobody has committed', mixesOutcomes],
    ['6', 'claims with the same number', sameNumbers],
    ['6', 'more runs than a task may have', runsForEver],
  ])('rule %s goes red for %s', async (rule, _what, mutation) => {
    const problems = (await Promise.all(SEEDS.map((seed) => simulate(seed, mutation)))).flatMap(checkTasks)
    expect(problems.filter((problem) => problem.startsWith(`${rule}:`)).length).toBeGreaterThan(0)
  })
})
