// The parts of a cursor, which may come from anybody.
import { decodeBase64UrlText } from '../../primitives/base64.ts'

/** An empty list for what is no cursor of ours. */
export function partsOfCursor(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(decodeBase64UrlText(cursor) ?? '')
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
