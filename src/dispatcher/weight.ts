// What a message that waits takes of memory, near enough for a bound: nobody has to write it as text for that.

/** What belongs to a message whatever is in it: its context, its places in tables. */
const MESSAGE_BYTES = 1_024
/** A member of an object or array, or a value that is neither text nor a collection. */
const VALUE_BYTES = 16

/** Stops to count once the sum is beyond `enough`. */
export function weigh(params: unknown, enough: number): number {
  let bytes = MESSAGE_BYTES
  const left: unknown[] = [params]
  while (left.length > 0 && bytes <= enough) {
    const value = left.pop()
    bytes += VALUE_BYTES
    if (typeof value === 'string') bytes += value.length
    else if (Array.isArray(value)) for (const item of value) left.push(item)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        bytes += key.length
        left.push(member)
      }
    }
  }
  return bytes
}
