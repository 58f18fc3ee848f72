// What is known for each caller, of a bounded number of callers: the oldest is forgotten.

const MAX_CALLERS = 1_000

export class ByCaller<Value> {
  readonly #values = new Map<string, Value>()
  readonly #create: () => Value

  constructor(create: () => Value) {
    this.#create = create
  }

  find(caller: string): Value | undefined {
    return this.#values.get(caller)
  }

  of(caller: string): Value {
    const known = this.#values.get(caller)
    if (known !== undefined) return known
    const [oldest] = this.#values.keys()
    if (this.#values.size >= MAX_CALLERS && oldest !== undefined) this.#values.delete(oldest)
    const value = this.#create()
    this.#values.set(caller, value)
    return value
  }

  forget(caller: string): void {
    this.#values.delete(caller)
  }

  clear(): void {
    this.#values.clear()
  }
}
