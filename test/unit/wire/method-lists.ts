// Finds lists of protocol methods in a source text: arrays, sets, maps, objects, switches, unions, conditions, arguments.

interface Group {
  readonly bracket: string
  readonly found: Set<string>
}

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|`(?:[^`\\]|\\[\s\S])*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[()[\]{}]/g
const UNION_MEMBER = /^\s*\|/
const AFTER_UNION = /\|\s*$/

/** Each list with two or more of the methods, as the methods in it. */
export function findMethodLists(source: string, methods: ReadonlySet<string>): string[][] {
  const lists: string[][] = []
  const open: Group[] = []
  let union = new Set<string>()
  const close = () => {
    const group = open.pop()
    if (group === undefined) return
    if (group.found.size > 1) lists.push([...group.found])
    // The entries of a map are arrays: what stands in one belongs to the array around it.
    const around = open.at(-1)
    if (group.found.size === 1 && group.bracket === '[' && around?.bracket === '[') {
      for (const method of group.found) around.found.add(method)
    }
  }
  for (const match of source.matchAll(TOKEN)) {
    const [token] = match
    if ('([{'.includes(token)) open.push({ bracket: token, found: new Set() })
    else if (')]}'.includes(token)) close()
    else if (token.startsWith("'") && methods.has(token.slice(1, -1))) {
      const method = token.slice(1, -1)
      const before = source.slice(Math.max(0, match.index - 200), match.index)
      const after = source.slice(match.index + token.length, match.index + token.length + 200)
      const continues = AFTER_UNION.test(before) && !before.trimEnd().endsWith('||')
      const goesOn = UNION_MEMBER.test(after) && !after.trimStart().startsWith('||')
      if (continues || goesOn) {
        union.add(method)
        if (!goesOn) {
          if (union.size > 1) lists.push([...union])
          union = new Set()
        }
        continue
      }
      const group = open.at(-1)
      const isInBlock = group?.bracket === '{'
      const isKeyOrCase = /^\s*:/.test(after) || /\bcase\s*$/.test(before)
      if (group !== undefined && (!isInBlock || isKeyOrCase)) group.found.add(method)
    }
  }
  return lists
}
