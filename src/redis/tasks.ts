// Tasks as hashes, in one queue or several. Each transition is one script, in the queue that the task's id says.
import { BackendError } from '../backend/backend-error.ts'
import { checkCount, checkTtl, checkValue } from '../backend/rules.ts'
import type {
  Claim,
  CreateTaskOptions,
  Journal,
  NewTask,
  Task,
  TaskListener,
  TaskOutcome,
  TaskPage,
  TaskStore,
  TaskStoreLimits,
} from '../backend/task-store.ts'
import type { RedisParts } from './parts.ts'
import { milliseconds } from './records.ts'
import type { Script } from './scripts/script.ts'
import * as scripts from './scripts/tasks.ts'
import { bytesText, checkLimits, limitText, type QueueUse, subtract } from './task-limits.ts'
import { type ClaimFields, readClaim, readJournal, readTask, type View } from './task-shapes.ts'

type Texts = Readonly<Record<string, string>>

export class RedisTasks implements TaskStore {
  readonly #parts: RedisParts
  readonly #queues: number
  /** Where the next claim begins, so that no queue waits behind the others. */
  #turn = 0

  constructor(parts: RedisParts, queues: number) {
    this.#parts = parts
    this.#queues = queues
  }

  async create(
    task: NewTask & Partial<Journal>,
    { claimFor, limits = {} }: CreateTaskOptions = {},
  ): Promise<Claim | undefined> {
    const { id, owner, kind, dialect, input, ttlMs, keepMs, pollIntervalMs, maxAttempts, notBeforeMs = 0 } = task
    for (const texts of [{ input }, task.steps ?? {}, task.answers ?? {}]) this.#check('tasks.create', texts)
    if (claimFor !== undefined) checkTtl('tasks.create', claimFor.leaseMs)
    const given = `${ttlMs} ${keepMs} ${maxAttempts}`
    const lease = claimFor === undefined ? '' : milliseconds(claimFor.leaseMs)
    const journal = [...flat('s:', task.steps), ...flat('w:', task.answers)]
    const times = [ttlMs === null ? '' : milliseconds(ttlMs), milliseconds(keepMs), milliseconds(pollIntervalMs)]
    const args = [
      id,
      owner,
      kind,
      dialect,
      input,
      given,
      ...times,
      String(maxAttempts),
      milliseconds(notBeforeMs),
      lease,
    ]
    const left = await this.#leftOf('tasks.create', limits, { id, owner })
    const all = [...args, limitText(left.perOwner), limitText(left.total), ...bytesText(left), ...journal]
    const reply = checkLimits('tasks.create', await this.#run('tasks.create', scripts.CREATE, id, all), limits)
    if (Array.isArray(reply)) return readClaim(reply as unknown as ClaimFields)
    if (reply === null) return undefined
    throw new BackendError('Another task has this id already.', { kind: 'refused', operation: 'tasks.create' })
  }

  discard(claim: Claim): Promise<boolean> {
    return this.#held('tasks.discard', scripts.DISCARD, claim)
  }

  async get(id: string): Promise<Task | undefined> {
    const view = await this.#run('tasks.get', scripts.GET, id, [id], false)
    return Array.isArray(view) ? readTask(view as unknown as View) : undefined
  }

  async list(owner: string, { dialect, limit, after, createdFrom = 0 }: TaskPage): Promise<readonly Task[]> {
    const line = `${dialect}:${owner}`
    let from = String(Math.ceil(createdFrom * 1_000))
    if (after !== undefined) {
      const created = await this.#run('tasks.list', scripts.CREATED, after, [line, after], false)
      if (created === null) return []
      from = `(${String(created)}`
    }
    const args = [line, from, String(limit)]
    const pages = await Promise.all(
      this.#allQueues().map((queue) => this.#runIn('tasks.list', scripts.LIST, queue, args, false)),
    )
    const views = pages.flat() as View[]
    if (pages.length > 1) views.sort((one, other) => Number(one[13]) - Number(other[13]))
    return views.slice(0, limit).map(readTask)
  }

  async countOpen(owner?: string): Promise<number> {
    const field = owner === undefined ? '*' : `:${owner}`
    const counts = await Promise.all(
      this.#allQueues().map((queue) => this.#runIn('tasks.countOpen', scripts.COUNT, queue, [field], false)),
    )
    return counts.reduce<number>((sum, count) => sum + Number(count), 0)
  }

  async claim(
    _worker: string,
    { kinds, max, leaseMs }: { kinds: readonly string[]; max: number; leaseMs: number },
  ): Promise<readonly Claim[]> {
    checkCount('tasks.claim', 'max', max, 0)
    checkTtl('tasks.claim', leaseMs)
    const claims: Claim[] = []
    this.#turn += 1
    for (const offset of this.#allQueues()) {
      const queue = (this.#turn + offset) % this.#queues
      const args = [milliseconds(leaseMs), String(max - claims.length), ...kinds]
      const reply = (await this.#runIn('tasks.claim', scripts.CLAIM, queue, args)) as ClaimFields[]
      for (const fields of reply) claims.push(readClaim(fields))
      if (claims.length >= max) break
    }
    return claims
  }

  async renew(claim: Claim, leaseMs: number, statusMessage?: string): Promise<'held' | 'cancelling' | 'lost'> {
    checkTtl('tasks.renew', leaseMs)
    this.#check('tasks.renew', { statusMessage: statusMessage ?? '' })
    const message = statusMessage === undefined ? ['0', ''] : ['1', statusMessage]
    const args = [...claimed(claim), milliseconds(leaseMs), ...message]
    return (await this.#run('tasks.renew', scripts.RENEW, claim.id, args)) as 'held' | 'cancelling' | 'lost'
  }

  extend(
    claim: Claim,
    { ttlMs, pollIntervalMs }: { ttlMs?: number | null; pollIntervalMs?: number },
  ): Promise<boolean> {
    const ttl = ttlMs === undefined ? '' : ttlMs === null ? 'none' : milliseconds(ttlMs)
    const poll = pollIntervalMs === undefined ? '' : milliseconds(pollIntervalMs)
    return this.#held('tasks.extend', scripts.EXTEND, claim, [ttl, poll])
  }

  async keepStep(claim: Claim, name: string, value: string, limits: TaskStoreLimits = {}): Promise<boolean> {
    this.#check('tasks.keepStep', { name, value })
    const left = await this.#leftOf('tasks.keepStep', limits, claim)
    return this.#held('tasks.keepStep', scripts.KEEP_STEP, claim, [...bytesText(left), name, value], limits)
  }

  async journal(claim: Claim): Promise<Journal | undefined> {
    const fields = await this.#run('tasks.journal', scripts.JOURNAL, claim.id, claimed(claim), false)
    return Array.isArray(fields) ? readJournal(fields as unknown as ClaimFields) : undefined
  }

  async ask(claim: Claim, questions: Texts, limits: TaskStoreLimits = {}): Promise<boolean> {
    this.#check('tasks.ask', questions)
    const left = await this.#leftOf('tasks.ask', limits, claim)
    return this.#held('tasks.ask', scripts.ASK, claim, [...bytesText(left), ...flat('', questions)], limits)
  }

  async answer(id: string, answers: Texts, limits: TaskStoreLimits = {}): Promise<'taken' | 'ended' | 'unknown'> {
    this.#check('tasks.answer', answers)
    const left = await this.#leftOf('tasks.answer', limits, { id })
    const args = [id, ...bytesText(left), ...flat('', answers)]
    const reply = checkLimits('tasks.answer', await this.#run('tasks.answer', scripts.ANSWER, id, args), limits)
    return reply as 'taken' | 'ended' | 'unknown'
  }

  park(claim: Claim): Promise<boolean> {
    return this.#held('tasks.park', scripts.GIVE_UP, claim, ['park'])
  }

  release(claim: Claim): Promise<boolean> {
    return this.#held('tasks.release', scripts.GIVE_UP, claim, ['release'])
  }

  async finish(
    claim: Claim,
    { status, text }: TaskOutcome,
    limits: TaskStoreLimits = {},
  ): Promise<'finished' | 'already' | 'lost'> {
    this.#check('tasks.finish', { text })
    const left = await this.#leftOf('tasks.finish', limits, claim)
    const args = [...claimed(claim), ...bytesText(left), status, text]
    const reply = checkLimits('tasks.finish', await this.#run('tasks.finish', scripts.FINISH, claim.id, args), limits)
    return reply as 'finished' | 'already' | 'lost'
  }

  async cancel(id: string, graceMs: number): Promise<'cancelled' | 'cancelling' | 'ended' | 'unknown'> {
    const reply = await this.#run('tasks.cancel', scripts.CANCEL, id, [id, milliseconds(graceMs)])
    return reply as 'cancelled' | 'cancelling' | 'ended' | 'unknown'
  }

  watch(listener: TaskListener): () => void {
    const { channels } = this.#parts
    const message = (text: string) => {
      if (text === 'w') listener.work()
      else listener.changed(text.slice(1))
    }
    const own = { message, missed: () => listener.missed() }
    let stops: (() => void)[] = []
    let isStopped = false
    Promise.resolve(this.#parts.keys('tasks.watch')).then(
      ({ queue }) => {
        if (isStopped) return
        stops = this.#allQueues().map((index) => channels.subscribe('tasks.watch', queue(index), own).close)
      },
      () => {},
    )
    return () => {
      isStopped = true
      for (const stop of stops) stop()
    }
  }

  /** What the queue of a task may take: the limits, less what the other queues have taken a moment ago. */
  async #leftOf(
    operation: string,
    limits: TaskStoreLimits,
    { id, owner = '' }: { readonly id: string; readonly owner?: string },
  ): Promise<TaskStoreLimits> {
    if (this.#queues === 1 || Object.values(limits).every((limit) => limit === undefined)) return limits
    const own = this.#queueOf(id)
    const use = (queue: number, of: string) => this.#runIn(operation, scripts.USE, queue, [of, id], false)
    const [known] = owner === '' ? ((await use(own, '')) as QueueUse) : [owner]
    const others = this.#allQueues().filter((queue) => queue !== own)
    return subtract(limits, (await Promise.all(others.map((queue) => use(queue, known)))) as QueueUse[])
  }

  async #held(
    operation: string,
    script: Script,
    claim: Claim,
    args: readonly string[] = [],
    limits: TaskStoreLimits = {},
  ): Promise<boolean> {
    const reply = await this.#run(operation, script, claim.id, [...claimed(claim), ...args])
    return Number(checkLimits(operation, reply, limits)) === 1
  }

  #run(operation: string, script: Script, id: string, args: readonly string[], isWrite = true): Promise<unknown> {
    return this.#runIn(operation, script, this.#queueOf(id), args, isWrite)
  }

  #queueOf(id: string): number {
    return this.#queues === 1 ? 0 : digest(id) % this.#queues
  }

  async #runIn(
    operation: string,
    script: Script,
    index: number,
    args: readonly string[],
    isWrite = true,
  ): Promise<unknown> {
    const { engine } = this.#parts
    const { queueKeys } = await this.#parts.keys(operation)
    const keys = queueKeys(index)
    const all = [engine.publish, ...args]
    return isWrite ? engine.writeScript(operation, script, keys, all) : engine.script(operation, script, keys, all)
  }

  #allQueues(): number[] {
    return Array.from({ length: this.#queues }, (_, index) => index)
  }

  #check(operation: string, texts: Texts): void {
    for (const name in texts) checkValue(operation, texts[name] as string, this.#parts.maxValueBytes)
  }
}

function claimed({ id, attempt }: Claim): [string, string] {
  return [id, String(attempt)]
}

function flat(prefix: string, texts: Texts = {}): string[] {
  return Object.entries(texts).flatMap(([name, text]) => [prefix + name, text])
}

/** FNV-1a: the same queue for an id on every node. */
function digest(id: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
