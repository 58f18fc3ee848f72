// Tells of changed lists, once for all changes of a turn; other changes at once.
import type { SubscriptionEvent, SubscriptionListener } from '../../server/subscriptions/subscriptions.ts'

export class TurnChanges {
  readonly #tell: SubscriptionListener
  readonly #pending = new Set<string>()

  constructor(tell: SubscriptionListener) {
    this.#tell = tell
  }

  add(event: SubscriptionEvent): void {
    if (event.type === 'resourceUpdated' || event.type === 'extensionChanged') {
      this.#tell(event)
      return
    }
    if (this.#pending.size === 0) queueMicrotask(() => this.#flush())
    this.#pending.add(event.type)
  }

  #flush(): void {
    const types = [...this.#pending]
    this.#pending.clear()
    for (const type of types) this.#tell({ type } as SubscriptionEvent)
  }
}
