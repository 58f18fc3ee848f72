// Numbers of a running server that telemetry reads when it is asked. Nothing is counted for them that is not known anyway.
import type { MaybePromise } from '../../primitives/async/promises.ts'

/** Legacy sessions and event streams over HTTP, messages passed on to other nodes, runs of tasks here, open tasks in the store. */
export type FigureName = 'sessions' | 'streams' | 'routed' | 'runs' | 'openTasks'

type ReadFigure = () => MaybePromise<number>

export class Figures {
  readonly #readers = new Map<FigureName, Set<ReadFigure>>()

  /** Returns how to take it away again. */
  add(name: FigureName, read: ReadFigure): () => void {
    const readers = this.#readers.get(name) ?? new Set()
    this.#readers.set(name, readers)
    readers.add(read)
    return () => void readers.delete(read)
  }

  /** The sum; `undefined` where the server has no such thing. */
  async read(name: FigureName): Promise<number | undefined> {
    const readers = this.#readers.get(name)
    if (readers === undefined || readers.size === 0) return undefined
    const numbers = await Promise.all([...readers].map((read) => read()))
    return numbers.reduce((sum, one) => sum + one, 0)
  }
}
