// Tells of changed lists, once for all changes of a turn; other changes at once.
import type { NodeListener } from '../../server/subscriptions/node-bus.ts'
import type { SubscriptionEvent } from '../../server/subscriptions/subscriptions.ts'

export class TurnChanges {
  readonly #tell: NodeListener
  /** Each with whether all of it comes from other nodes. */
  readonly #pending = new Map<string, boolean>()

  constructor(tell: NodeListener) {
    this.#tell = tell
  }

  add(event: SubscriptionEvent, isFromElsewhere = false): void {
    if (event.type === 'resourceUpdated' || event.type === 'extensionChanged') {
      this.#tell(event, isFromElsewhere)
      return
    }
    if (this.#pending.size === 0) queueMicrotask(() => this.#flush())
    this.#pending.set(event.type, isFromElsewhere && (this.#pending.get(event.type) ?? true))
  }

  #flush(): void {
    const types = [...this.#pending]
    this.#pending.clear()
    for (const [type, isFromElsewhere] of types) this.#tell({ type } as SubscriptionEvent, isFromElsewhere)
  }
}
