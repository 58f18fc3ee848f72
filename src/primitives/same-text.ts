/** In a time that does not say where they differ: for what nobody must be able to guess letter by letter. */
export function isSameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let at = 0; at < expected.length; at += 1) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  return difference === 0
}
