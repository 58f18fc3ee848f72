// Tells of changed lists, once for all changes of a turn; other changes at once.
import type { NodeListener } from '../../server/subscriptions/node-bus.ts'
import type { SubscriptionEvent } from '../../server/subscriptions/subscriptions.ts'

export class TurnChanges {
  readonly #tell: NodeListener
  /** Each with whether all of it comes from other nodes. */
  readonly #pending = new Map<string, boolean>()

  #isHeld = false

  constructor(tell: NodeListener) {
    this.#tell = tell
  }

  /** What changes until this turn of the event loop has ended is told at its end, once: parts within parts tell of a change by and by. */
  hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    setTimeout(() => {
      this.#isHeld = false
      this.#flush()
    }, 0)
  }

  add(event: SubscriptionEvent, isFromElsewhere = false): void {
    if (event.type === 'resourceUpdated' || event.type === 'extensionChanged') {
      this.#tell(event, isFromElsewhere)
      return
    }
    if (this.#pending.size === 0 && !this.#isHeld) queueMicrotask(() => this.#flush())
    this.#pending.set(event.type, isFromElsewhere && (this.#pending.get(event.type) ?? true))
  }

  #flush(): void {
    if (this.#isHeld) return
    const types = [...this.#pending]
    this.#pending.clear()
    for (const [type, isFromElsewhere] of types) this.#tell({ type } as SubscriptionEvent, isFromElsewhere)
  }
}
