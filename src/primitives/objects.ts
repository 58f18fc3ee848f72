// Telling JSON objects from everything else that JavaScript calls an object.

/** True for what JSON calls an object: not `null`, not an array. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
