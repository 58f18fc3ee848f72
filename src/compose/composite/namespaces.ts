// Which of several sources a name belongs to by its namespace alone.
import type { ListMethod } from '../../server/source.ts'
import type { Part } from './part.ts'

/**
 * The source with the longest namespace that the name begins with, where nobody can say without asking what that source has. Of two with
 * the same namespace it is neither.
 */
export function ownerByNamespace(parts: readonly Part[], list: ListMethod, front: string): Part | undefined {
  const fitting = parts.filter((part) => part.isEnabled && part.mayHave(front))
  const longest = Math.max(...fitting.map(lengthOf))
  const owners = fitting.filter((part) => lengthOf(part) === longest && part.source.keys?.(list) === undefined)
  return owners.length === 1 ? owners[0] : undefined
}

/** A part whose namespace begins as that of another one, so that names of one look like names of the other. */
export function overlapOf(parts: readonly Part[], one: Part): readonly [shorter: Part, longer: Part] | undefined {
  for (const other of parts) {
    if (other === one || one.namespace === undefined || other.namespace === undefined) continue
    const [shorter, longer] = lengthOf(one) < lengthOf(other) ? [one, other] : [other, one]
    if (shorter.namespace === longer.namespace || !shorter.mayHave(longer.namespace as string)) continue
    // Names of sources of this process are compared one by one.
    if (longer.source.keys?.('tools/list') === undefined) return [shorter, longer]
  }
  return undefined
}

function lengthOf({ namespace }: Part): number {
  return namespace?.length ?? -1
}
