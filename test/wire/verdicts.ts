// Our side of the comparison: what the tables say of a value, by the name that the schema publishes.
import type { ProtocolVersion } from '../../src/types/protocol/versions.ts'
import { notificationRow, requestRow } from '../../src/wire/method-rows.ts'
import { grammarOf, type ShapeName } from '../../src/wire/shapes/grammar.ts'
import { RENAMED } from './coverage.ts'

export type Verdict = (value: unknown) => boolean

export function shapeNameOf(definition: string): ShapeName {
  return RENAMED[definition] ?? (definition as ShapeName)
}

export function hasShape(version: ProtocolVersion, definition: string): boolean {
  return grammarOf(version).has(shapeNameOf(definition))
}

export function fitsShape(version: ProtocolVersion, name: ShapeName): Verdict {
  return (value) => grammarOf(version).misfit(name, value) === undefined
}

/** Whether a message calls this method with params that fit its row. Absent params count as `{}`. */
export function fitsMethod(version: ProtocolVersion, method: string): Verdict {
  const params = rowOf(version, method)?.params
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || params === undefined) return false
    const message: { method?: unknown; params?: unknown } = value
    return message.method === method && fitsShape(version, params)(message.params === undefined ? {} : message.params)
  }
}

/** The row of a method, whoever sends it. */
export function rowOf(version: ProtocolVersion, method: string): { params: ShapeName; result?: ShapeName } | undefined {
  return (
    requestRow(method, version, 'client') ??
    requestRow(method, version, 'server') ??
    notificationRow(method, version, 'client') ??
    notificationRow(method, version, 'server')
  )
}
