// Values that count how often something in them is looked at.

export interface ReadCounter {
  reads: number
}

/** A value like the given one: each read of a member counts one, and a list of its names one for each. */
export function countReads<Value>(value: Value, counter: ReadCounter, known = new WeakMap<object, object>()): Value {
  if (typeof value !== 'object' || value === null) return value
  const before = known.get(value)
  if (before !== undefined) return before as Value
  const counted = new Proxy(value, {
    get(target, key) {
      counter.reads += 1
      return countReads(Reflect.get(target, key), counter, known)
    },
    has(target, key) {
      counter.reads += 1
      return Reflect.has(target, key)
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target)
      counter.reads += keys.length
      return keys
    },
    getOwnPropertyDescriptor(target, key) {
      counter.reads += 1
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
  })
  known.set(value, counted)
  return counted
}
