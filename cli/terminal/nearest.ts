// Names that a misspelt word may have meant.

const MAX_LENGTH = 100

/** Up to three names, the nearest first: close in letters, or the word is a part of them. */
export function nearestNames(word: string, names: readonly string[], count = 3): string[] {
  const typed = word.toLowerCase().slice(0, MAX_LENGTH)
  if (typed === '') return []
  return names
    .map((name) => ({ name, score: scoreOf(typed, name.toLowerCase().slice(0, MAX_LENGTH)) }))
    .filter(({ score }) => score <= 1)
    .sort((a, b) => a.score - b.score || a.name.localeCompare(b.name))
    .slice(0, count)
    .map(({ name }) => name)
}

/** `Did you mean "add"?`, or nothing. `show` escapes a name of a server. */
export function suggest(word: string, names: readonly string[], show: (name: string) => string = String): string {
  const found = nearestNames(word, names).map((name) => `"${show(name)}"`)
  if (found.length === 0) return ''
  const last = found.pop()
  return ` Did you mean ${found.length === 0 ? last : `${found.join(', ')} or ${last}`}?`
}

/** At most 1 for a name that is worth mentioning. */
function scoreOf(word: string, name: string): number {
  if (word === name) return 0
  const shorter = Math.min(word.length, name.length)
  const allowed = Math.floor(shorter / 3) || (shorter > 1 ? 1 : 0)
  const edits = distance(word, name) / (allowed + 0.5)
  const isPart = word.length >= 3 && name.includes(word)
  return isPart ? Math.min(edits, 0.9) : edits
}

/** Insertions, deletions, replacements and swaps of neighbours that make one word of the other. */
export function distance(from: string, to: string): number {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1]
      let best = Math.min((last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last?.[j - 1] ?? 0) + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      if (isSwap) best = Math.min(best, (beforeLast?.[j - 2] ?? 0) + 1)
      row.push(best)
    }
    beforeLast = last
    last = row
  }
  return last?.[to.length] ?? 0
}
