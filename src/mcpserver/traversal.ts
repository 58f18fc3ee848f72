// Values that would climb out of the folder they are joined to, whatever their author meant them for.

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
