// Values that would lead out of the folder they are joined to, whatever their author meant them for.

const SEPARATOR = /[/\\]/

/** Whether a value holds a NUL, or steps out of where it starts. Values have been percent-decoded once already. */
export function climbsOut(value: string | readonly string[]): boolean {
  if (typeof value !== 'string') return value.some(climbsOut) || climbsOut(value.join('/'))
  if (value.includes('\0')) return true
  let depth = 0
  for (const segment of value.split(SEPARATOR)) {
    if (segment === '..') depth -= 1
    else if (segment !== '' && segment !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

/** A slash of either kind, encoded any number of times for whoever decodes once more, or a drive. */
const ABSOLUTE = /^(?:[/\\]|%(?:25)*(?:2f|5c)|[a-z]:)/i

/** Whether a value names a place of its own instead of one below the folder that it is joined to. */
export function isAbsolutePath(value: string | readonly string[]): boolean {
  if (typeof value !== 'string') return value.some(isAbsolutePath) || isAbsolutePath(value.join('/'))
  return ABSOLUTE.test(value)
}
