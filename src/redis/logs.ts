// Logs as lists.
import { BackendError } from '../backend/backend-error.ts'
import type { AppendOptions, LogEntry, LogPage, Logs, PostOptions, ReadOptions } from '../backend/logs.ts'
import { checkCount, checkName, checkTtl, checkValue, MAX_PAGE_BYTES } from '../backend/rules.ts'
import { GatheredAppends, type Kept } from './gathered-appends.ts'
import type { RedisParts } from './parts.ts'
import { milliseconds } from './records.ts'
import { POST, READ } from './scripts/logs.ts'

export class RedisLogs implements Logs {
  readonly #parts: RedisParts
  readonly #appends: GatheredAppends

  constructor(parts: RedisParts) {
    this.#parts = parts
    this.#appends = new GatheredAppends(parts)
  }

  async append(log: string, { seq, data }: LogEntry, options: AppendOptions): Promise<Kept> {
    const { writer, ttlMs, isLast = false } = options
    this.#check('logs.append', log, data, options)
    checkCount('logs.append', 'seq', seq)
    return this.#appends.append(log, { seq, writer, element: `${isLast ? '!' : '.'}${writer} ${data}`, ttlMs })
  }

  async post(log: string, data: string, options: PostOptions): Promise<number> {
    const { writer, nth, ttlMs, maxEntries, maxBytes } = options
    this.#check('logs.post', log, data, options)
    for (const [name, value] of Object.entries({ nth, maxEntries, maxBytes })) checkCount('logs.post', name, value)
    this.#appends.flush(log)
    const { engine } = this.#parts
    const keys = (await this.#parts.keys('logs.post')).log(log)
    const limits = [milliseconds(ttlMs), String(maxEntries), String(maxBytes)]
    const seq = await engine.writeScript('logs.post', POST, keys, [
      engine.publish,
      writer,
      String(nth),
      data,
      ...limits,
    ])
    if (Number(seq) > 0) return Number(seq)
    const message = 'logs.post was called for a log that has ended.'
    throw new BackendError(message, { kind: 'refused', operation: 'logs.post' })
  }

  async read(
    log: string,
    afterSeq: number,
    { maxBytes = MAX_PAGE_BYTES, fromOldest = false }: ReadOptions = {},
  ): Promise<LogPage | undefined> {
    checkName('logs.read', log)
    checkCount('logs.read', 'afterSeq', afterSeq, 0)
    checkCount('logs.read', 'maxBytes', maxBytes)
    this.#appends.flush(log)
    const keys = (await this.#parts.keys('logs.read')).log(log)
    const args = [String(afterSeq), String(maxBytes), fromOldest ? '1' : '0']
    const page = await this.#parts.engine.script('logs.read', READ, keys, args)
    if (!Array.isArray(page)) return undefined
    const [first, last, isEnded, ...texts] = page as [number, number, number, ...string[]]
    const entries = texts.map((data, index) => ({ seq: Number(first) + index, data }))
    return { entries, lastSeq: Number(last), isEnded: Number(isEnded) === 1 }
  }

  follow(log: string, onMore: (entry?: LogEntry) => void): () => void {
    checkName('logs.follow', log)
    const { channels } = this.#parts
    const missed = () => onMore()
    const message = (text: string) => onMore(entryOf(text))
    let isStopped = false
    let close: (() => void) | undefined
    const keys = this.#parts.keys('logs.follow')
    const start = (list: string) => {
      if (!isStopped) ({ close } = channels.subscribe('logs.follow', list, { message, missed }))
    }
    if ('then' in keys)
      keys.then(
        (known) => start(known.log(log)[0]),
        () => {},
      )
    else start(keys.log(log)[0])
    return () => {
      isStopped = true
      close?.()
    }
  }

  async drop(log: string): Promise<void> {
    checkName('logs.drop', log)
    this.#appends.flush(log)
    const [list, about] = (await this.#parts.keys('logs.drop')).log(log)
    await this.#parts.engine.write('logs.drop', 'unlink', list, [about])
  }

  #check(operation: string, log: string, data: string, { writer, ttlMs }: { writer: string; ttlMs: number }): void {
    checkName(operation, log)
    checkName(operation, writer)
    checkTtl(operation, ttlMs)
    checkValue(operation, data, this.#parts.maxValueBytes)
  }
}

/** A hint is the number, and where the entry is small its data. */
function entryOf(hint: string): LogEntry | undefined {
  const at = hint.indexOf(' ')
  return at === -1 ? undefined : { seq: Number(hint.slice(0, at)), data: hint.slice(at + 1) }
}
