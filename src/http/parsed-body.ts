// Bounds a body that a framework has parsed: the limits hold although nobody has seen its bytes.

export interface BodyLimits {
  readonly maxBytes: number
  readonly maxDepth: number
  readonly maxElements: number
}

/** The limit that a parsed value breaks; where it breaks none, about what its JSON would measure without escapes, in bytes. */
export function measureParsed(value: unknown, limits: BodyLimits): keyof BodyLimits | number {
  // By levels instead of by recursion: a parser may have let through what no stack can follow.
  let level: unknown[] = [value]
  let elements = 0
  let bytes = 0
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = []
    for (const item of level) {
      bytes += typeof item === 'string' ? item.length + 2 : 1
      if (typeof item !== 'object' || item === null) continue
      if (depth >= limits.maxDepth) return 'maxDepth'
      for (const [key, member] of Object.entries(item)) {
        elements += 1
        if (!Array.isArray(item)) bytes += key.length + 3
        next.push(member)
      }
      elements += 1
      if (elements > limits.maxElements) return 'maxElements'
    }
    if (bytes > limits.maxBytes) return 'maxBytes'
    level = next
  }
  return bytes
}
