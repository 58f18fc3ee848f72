// Parses JSON, and says where it is wrong: browsers say so in different words, or not at all.

export function parseJson(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const at = failureIn(text)
    const before = text.slice(0, at).split('\n')
    const found = at >= text.length ? 'The text ends too early' : `Unexpected ${JSON.stringify(text[at])}`
    return { error: `${found} at line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1}.` }
  }
}

const TOKEN =
  /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null|[[\]{},:]/iuy

/** The place of the first token that can't stand where it is. */
function failureIn(text: string): number {
  let at = 0
  let start = 0
  const next = (): string | undefined => {
    start = at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0)
    TOKEN.lastIndex = start
    const token = TOKEN.exec(text)?.[0]
    if (token !== undefined) at = start + token.length
    return token
  }
  const isNext = (...tokens: readonly string[]): boolean => {
    const before = at
    const token = next()
    const isIt = token !== undefined && tokens.includes(token)
    if (!isIt) at = before
    return isIt
  }
  const value = (): boolean => {
    const token = next()
    if (token === '{') return list('}')
    if (token === '[') return list(']')
    return token !== undefined && !/^[\]},:]$/.test(token)
  }
  const list = (end: string): boolean => {
    if (isNext(end)) return true
    do {
      if (end === '}' && (next()?.startsWith('"') !== true || !isNext(':'))) return false
      if (!value()) return false
    } while (isNext(','))
    return isNext(end)
  }
  if (value()) next()
  return start
}
