// A source whose lists come within a time or not at all, so that one slow source does not hold up the others.
import { type Timer, unref } from '../../primitives/async/timer.ts'
import type { Source } from '../../server/source.ts'
import { isAnswered, proxyFailure } from '../base/failures.ts'
import { Breaker } from '../pool/breaker.ts'
import type { Condition } from '../pool/condition.ts'

/** Each list by itself: a source may answer some, and calls besides. */
export function withinTime(source: Source, ms: number, name: string, condition: Condition): Source {
  if (ms === Infinity) return source
  const lists = new Map<string, Breaker>()
  const limited = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const breaker = lists.get(what) ?? new Breaker()
    lists.set(what, breaker)
    const { retryAfterMs } = breaker
    if (retryAfterMs > 0) {
      const message = `The source '${name}' did not answer in time, three times in a row, and is not asked at present.`
      throw proxyFailure('G011', name, message, { data: { retryAfterMs } })
    }
    try {
      const answer = await raced(work, ms, () => {
        breaker.failed()
        const failure = proxyFailure('G010', name, `The source '${name}' gave no list within ${ms} ms.`)
        condition.silent(failure, breaker.retryAfterMs)
        return failure
      })
      breaker.succeeded()
      return answer
    } catch (error) {
      if (isAnswered(error)) breaker.succeeded()
      throw error
    }
  }
  return {
    describe: (request) => limited('server/discover', async () => source.describe(request)),
    list: (list, request, cursor) => limited(list, async () => source.list(list, request, cursor)),
    handle: (...args) => source.handle(...args),
    notify: (...args) => source.notify?.(...args),
    mirrored: (...args) => source.mirrored?.(...args),
    watch: (...args) => source.watch(...args),
    hold: (request) => source.hold?.(request),
    close: async () => source.close?.(),
  }
}

function raced<T>(work: () => Promise<T>, ms: number, tooLate: () => Error): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooLate()), ms)
    unref(timer)
  })
  return Promise.race([work(), late]).finally(() => clearTimeout(timer))
}
