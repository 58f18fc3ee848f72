// Connections that stay open because a client listens, though it has no call under way.
import { settlesWithin } from '../../primitives/async/timer.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Held } from '../pool/connections.ts'
import type { Upstream } from '../pool/upstream.ts'

/** A subscription does not wait longer for one source. What opens later is held all the same. */
const OPEN_MS = 10_000

export class Listeners {
  readonly #upstream: Upstream
  readonly #releases = new Set<() => void>()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /** Never rejects: a source that is away tells of nothing. */
  async hold(request: ServerRequestContext): Promise<() => void> {
    let isOver = false
    let held: Held | undefined
    const release = () => {
      isOver = true
      this.#releases.delete(release)
      held?.release()
    }
    this.#releases.add(release)
    const opening = this.#upstream.hold(request).then(
      (one) => {
        if (isOver) one.release()
        else held = one
      },
      () => {},
    )
    await settlesWithin(opening, OPEN_MS)
    return release
  }

  /** Nobody hears of this source any more. */
  releaseAll(): void {
    for (const release of [...this.#releases]) release()
  }
}
