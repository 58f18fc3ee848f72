// A source whose lists come within a time or not at all, so that one slow source does not hold up the others.
import { type Timer, unref } from '../../primitives/async/timer.ts'
import type { Source } from '../../server/source.ts'

export function withinTime(source: Source, ms: number): Source {
  if (ms === Infinity) return source
  return {
    describe: (request) => limited(async () => source.describe(request), ms),
    list: (list, request, cursor) => limited(async () => source.list(list, request, cursor), ms),
    handle: (...args) => source.handle(...args),
    notify: (...args) => source.notify?.(...args),
    mirrored: (...args) => source.mirrored?.(...args),
    watch: (...args) => source.watch(...args),
    close: async () => source.close?.(),
  }
}

function limited<T>(work: () => Promise<T>, ms: number): Promise<T> {
  let timer: Timer | undefined
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`The source gave no list within ${ms} ms.`)), ms)
    unref(timer)
  })
  return Promise.race([work(), tooLate]).finally(() => clearTimeout(timer))
}
