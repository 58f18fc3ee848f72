// What several sources offer, as one server says it.
import { isPlainObject } from '../../primitives/json/objects.ts'

import type { SourceDescription } from '../../server/source.ts'
import type { ServerCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Part } from './part.ts'

const MAX_INSTRUCTIONS = 8_000
const PRIVATE: JSONObject = Object.freeze({ cacheScope: 'private' })

interface Described {
  readonly part: Part
  readonly description: SourceDescription
}

/**
 * The union of capabilities; extensions whose settings agree; the instructions of each under a line with its name. `isPerCaller` says
 * that another caller may get another description.
 */
export function mergeDescriptions(described: readonly Described[], isPerCaller: boolean): SourceDescription {
  const capabilities = described.map(({ description }) => withoutExtensions(description.capabilities)).reduce(merge, {})
  const extensions = mergeExtensions(described)
  const instructions = joinInstructions(described)
  return {
    capabilities: capabilities as ServerCapabilities,
    ...(Object.keys(extensions).length > 0 && { extensions }),
    ...(instructions !== '' && { instructions }),
    ...((isPerCaller || described.some(({ description }) => isPrivate(description))) && { further: PRIVATE }),
  }
}

function isPrivate({ further }: SourceDescription): boolean {
  return further?.['cacheScope'] === 'private'
}

function withoutExtensions(capabilities: ServerCapabilities | undefined): JSONObject {
  const { extensions: _extensions, ...others } = (capabilities ?? {}) as JSONObject
  return others
}

function merge(first: JSONObject, second: JSONObject): JSONObject {
  const merged = { ...first }
  for (const [key, value] of Object.entries(second)) {
    const current = merged[key]
    if (isPlainObject(current) && isPlainObject(value)) merged[key] = merge(current, value)
    else if (current !== true) merged[key] = value
  }
  return merged
}

function mergeExtensions(described: readonly Described[]): Record<string, JSONObject> {
  const merged = new Map<string, JSONObject>()
  const differing = new Set<string>()
  for (const { description } of described) {
    const declared = description.capabilities?.extensions as Record<string, JSONObject> | undefined
    for (const [id, settings] of Object.entries({ ...declared, ...description.extensions })) {
      const known = merged.get(id)
      if (known !== undefined && !isSameJSON(known, settings)) differing.add(id)
      merged.set(id, settings)
    }
  }
  for (const id of differing) merged.delete(id)
  return Object.fromEntries(merged)
}

/** Cut between sources: half of what a source says could say something else. */
function joinInstructions(described: readonly Described[]): string {
  let joined = ''
  for (const { part, description } of described) {
    const { instructions } = description
    if (instructions === undefined || instructions === '') continue
    const block = part.namespace === undefined ? instructions : `${part.namespace}:\n${instructions}`
    const longer = joined === '' ? block : `${joined}\n\n${block}`
    if (longer.length <= MAX_INSTRUCTIONS) joined = longer
  }
  return joined
}

function isSameJSON(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((one, at) => isSameJSON(one, b[at]))
  if (!isPlainObject(a) || !isPlainObject(b)) return a === b
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameJSON(a[key], b[key]))
  )
}
