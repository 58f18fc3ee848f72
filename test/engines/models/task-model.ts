// Tasks as a model: two of them, with leases that do not run out.
import fc from 'fast-check'
import type { Claim, Task, TaskStore } from '../../../src/backend/task-store.ts'
import { newTask } from '../../../src/testing/backend-contract/task-kit.ts'
import type { Model } from './history.ts'

const LEASE = 3_600_000
const IDS = ['first', 'second'] as const
const KEYS = ['q1', 'q2'] as const

type Id = (typeof IDS)[number]

export interface TaskOperation {
  readonly do:
    | 'create'
    | 'create-claimed'
    | 'get'
    | 'claim'
    | 'renew'
    | 'step'
    | 'journal'
    | 'ask'
    | 'answer'
    | 'park'
    | 'release'
    | 'finish'
    | 'cancel'
    | 'discard'
  readonly id: Id
  readonly key: (typeof KEYS)[number]
  /** Of the claim, counted from the newest. */
  readonly age: number
  readonly attempt?: number
  /** Nobody else says it. */
  readonly text: string
}

type Texts = Readonly<Record<string, string>>

interface TaskState {
  readonly place: 'ready' | 'leased' | 'parked' | 'ended'
  readonly status: string
  readonly attempt: number
  readonly steps: Texts
  readonly questions: Texts
  readonly answers: Texts
  readonly wasAnswered: boolean
  readonly isCancelling: boolean
  readonly outcome: string | null
}

type State = Readonly<Partial<Record<Id, TaskState>>>
/** What was returned, as JSON that is equal where it means the same. */
interface Result {
  readonly claims: readonly { readonly id: Id; readonly attempt: number }[]
  readonly text: string
}

let texts = 0

export const taskOperation: fc.Arbitrary<TaskOperation> = fc.record({
  do: fc.constantFrom(
    ...(['create', 'create', 'create-claimed', 'get', 'get', 'claim', 'claim', 'renew', 'step', 'journal'] as const),
    ...(['ask', 'ask', 'answer', 'answer', 'park', 'release', 'finish', 'cancel', 'discard'] as const),
  ),
  id: fc.constantFrom(...IDS),
  key: fc.constantFrom(...KEYS),
  age: fc.constantFrom(0, 0, 0, 1, 2),
  text: fc.constant(''),
})

const NEW: TaskState = {
  place: 'ready',
  status: 'working',
  attempt: 0,
  steps: {},
  questions: {},
  answers: {},
  wasAnswered: false,
  isCancelling: false,
  outcome: null,
}

export const taskModel: Model<TaskOperation, State, Result> = {
  start: {},

  prepare(operation, seen) {
    texts += 1
    const claims = seen.flatMap(({ claims: given }) => given.filter(({ id }) => id === operation.id))
    return { ...operation, text: `t${texts}`, attempt: claims.at(-1 - operation.age)?.attempt ?? 1 }
  },

  async run({ tasks }, operation) {
    const value = await runTask(tasks as TaskStore, operation)
    const claims = (Array.isArray(value) ? (value as Claim[]) : isClaim(value) ? [value] : []).map(
      ({ id, attempt }) => ({
        id: id as Id,
        attempt,
      }),
    )
    return { claims, text: describeValue(value) }
  },

  /** Two who claim at once may share what is ready, so a claim is a step for each task: it got the task, or nobody could. */
  steps: (operation, result) =>
    operation.do === 'claim' ? IDS.map((id) => ({ operation: { ...operation, id }, result })) : [{ operation, result }],

  next(state, operation, result) {
    const { id } = operation
    const known = state[id]
    if (operation.do === 'claim') return claimOf(state, id, result)
    const [next, text] = step(known, operation)
    if (text !== result.text) return undefined
    if (next === 'gone') return Object.fromEntries(Object.entries(state).filter(([name]) => name !== id))
    return next === undefined ? state : { ...state, [id]: next }
  },
}

async function runTask(tasks: TaskStore, { do: what, id, key, text, attempt = 1 }: TaskOperation): Promise<unknown> {
  const claim: Claim = { id, kind: 'report', input: '{}', attempt, steps: {}, answers: {} }
  const task = newTask({ id, input: '{}', maxAttempts: 99 })
  if (what === 'create') return tasks.create(task)
  if (what === 'create-claimed') return tasks.create(task, { claimFor: { worker: 'w', leaseMs: LEASE } })
  if (what === 'get') return tasks.get(id)
  if (what === 'claim') return tasks.claim('w', { kinds: ['report'], max: 5, leaseMs: LEASE })
  if (what === 'renew') return tasks.renew(claim, LEASE)
  if (what === 'step') return tasks.keepStep(claim, key, text)
  if (what === 'journal') {
    const journal = await tasks.journal(claim)
    // Alone, since an engine may return a whole claim.
    return journal === undefined ? undefined : { steps: journal.steps, answers: journal.answers }
  }
  if (what === 'ask') return tasks.ask(claim, { [key]: text })
  if (what === 'answer') return tasks.answer(id, { [key]: text })
  if (what === 'park') return tasks.park(claim)
  if (what === 'release') return tasks.release(claim)
  if (what === 'finish') return tasks.finish(claim, { status: 'completed', text })
  if (what === 'cancel') return tasks.cancel(id, LEASE)
  return tasks.discard(claim)
}

/** What the operation does to its task, and what it returns. */
function step(task: TaskState | undefined, operation: TaskOperation): [TaskState | 'gone' | undefined, string] {
  const { do: what, id, key, text, attempt } = operation
  const held = task?.place === 'leased' && task.attempt === attempt ? task : undefined
  const end: Partial<TaskState> = { place: 'ended', questions: {}, answers: {}, steps: {} }
  switch (what) {
    case 'create':
      return [task === undefined ? NEW : undefined, 'undefined']
    case 'create-claimed': {
      if (task === undefined) {
        const made = { ...NEW, place: 'leased' as const, attempt: 1 }
        return [made, describeClaim(id, made)]
      }
      const isFirst = task.place === 'leased' && task.attempt === 1
      return [undefined, isFirst ? describeClaim(id, task) : 'undefined']
    }
    case 'get':
      return [undefined, task === undefined ? 'undefined' : describeTask(id, task)]
    case 'renew':
      return [undefined, held === undefined ? 'lost' : held.isCancelling ? 'cancelling' : 'held']
    case 'step': {
      if (held === undefined) return [undefined, 'false']
      return [{ ...held, steps: { [key]: text, ...held.steps } }, 'true']
    }
    case 'journal':
      return [undefined, held === undefined ? 'undefined' : describeTexts(held.steps, held.answers)]
    case 'ask': {
      if (held === undefined) return [undefined, 'false']
      const isKnown = held.questions[key] !== undefined || held.answers[key] !== undefined
      const asked = isKnown ? {} : { questions: { ...held.questions, [key]: text }, status: 'input_required' }
      return [{ ...held, wasAnswered: false, ...asked }, 'true']
    }
    case 'answer': {
      if (task === undefined) return [undefined, 'unknown']
      if (task.place === 'ended') return [undefined, 'ended']
      if (task.questions[key] === undefined) return [undefined, 'taken']
      const questions = without(task.questions, key)
      const status = Object.keys(questions).length === 0 ? 'working' : 'input_required'
      const place = task.place === 'parked' ? 'ready' : task.place
      const answers = { ...task.answers, [key]: text }
      return [{ ...task, questions, answers, status, place, wasAnswered: true }, 'taken']
    }
    case 'park':
    case 'release': {
      if (held === undefined) return [undefined, 'false']
      if (held.isCancelling) return [{ ...held, ...end, status: 'cancelled', attempt: held.attempt + 1 }, 'true']
      const waits = what === 'park' && !held.wasAnswered && Object.keys(held.questions).length > 0
      return [{ ...held, place: waits ? 'parked' : 'ready' }, 'true']
    }
    case 'finish': {
      if (held === undefined) return [undefined, task?.place === 'ended' ? 'already' : 'lost']
      return [{ ...held, ...end, status: 'completed', outcome: text }, 'finished']
    }
    case 'cancel': {
      if (task === undefined) return [undefined, 'unknown']
      if (task.place === 'ended') return [undefined, 'ended']
      if (task.place === 'leased') return [{ ...task, isCancelling: true }, 'cancelling']
      return [{ ...task, ...end, status: 'cancelled', attempt: task.attempt + 1 }, 'cancelled']
    }
    default:
      return held === undefined ? [undefined, 'false'] : ['gone', 'true']
  }
}

/** The step of a claim that concerns this task. */
function claimOf(state: State, id: Id, { claims, text }: Result): State | undefined {
  const task = state[id]
  const isReady = task?.place === 'ready'
  if (claims.some((claim) => claim.id === id) !== isReady) return undefined
  if (!isReady) return state
  const taken: TaskState = { ...task, place: 'leased', attempt: task.attempt + 1 }
  return text.includes(describeClaim(id, taken)) ? { ...state, [id]: taken } : undefined
}

function isClaim(value: unknown): value is Claim {
  return typeof value === 'object' && value !== null && 'input' in value
}

/** The same text for the same meaning, whatever the order of members. */
function describeValue(value: unknown): string {
  if (Array.isArray(value))
    return `[${(value as Claim[])
      .map((claim) => describeClaim(claim.id, claim))
      .sort()
      .join()}]`
  if (isClaim(value)) return describeClaim(value.id, value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (!('status' in value)) return describeTexts((value as Claim).steps, (value as Claim).answers)
  const { id, status, attempt, questions, outcome } = value as Task
  return describeTask(id, { status, attempt, questions, outcome: outcome ?? null })
}

function describeTask(id: string, task: Pick<TaskState, 'status' | 'attempt' | 'questions' | 'outcome'>): string {
  // Whether the end by the store itself counts as an attempt is not said.
  const attempt = task.status === 'cancelled' ? 'any' : task.attempt
  return JSON.stringify([id, task.status, attempt, sorted(task.questions), task.outcome])
}

function describeClaim(
  id: string,
  { attempt, steps, answers }: Pick<TaskState, 'attempt' | 'steps' | 'answers'>,
): string {
  return JSON.stringify([id, attempt, describeTexts(steps, answers)])
}

function describeTexts(steps: Texts, answers: Texts): string {
  return JSON.stringify([sorted(steps), sorted(answers)])
}

function sorted(all: Texts): unknown {
  return Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))
}

function without(all: Texts, key: string): Texts {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== key))
}
