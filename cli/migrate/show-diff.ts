// A unified diff of two texts.

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

const CONTEXT = 3
/** Beyond this, the changed part is shown as a whole: removed, then added. */
const MAX_CELLS = 16_000_000

export function unifiedDiff(name: string, before: string, after: string): string {
  const lines = compare(linesOf(before), linesOf(after))
  const hunks = toHunks(lines)
  return [`--- a/${name}`, `+++ b/${name}`, ...hunks].join('\n')
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}

function compare(old: readonly string[], next: readonly string[]): Line[] {
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1
  let end = 0
  const most = Math.min(old.length, next.length) - start
  while (end < most && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1
  const same = (texts: readonly string[]) => texts.map((text): Line => ({ mark: ' ', text }))
  const middle = compareMiddle(old.slice(start, old.length - end), next.slice(start, next.length - end))
  return [...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))]
}

/** By the longest common subsequence. */
function compareMiddle(old: readonly string[], next: readonly string[]): Line[] {
  const removed = (text: string): Line => ({ mark: '-', text })
  const added = (text: string): Line => ({ mark: '+', text })
  if (old.length * next.length > MAX_CELLS) return [...old.map(removed), ...next.map(added)]
  const width = next.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      const down = lengths[(i + 1) * width + j] ?? 0
      const right = lengths[i * width + j + 1] ?? 0
      const diagonal = lengths[(i + 1) * width + j + 1] ?? 0
      lengths[i * width + j] = old[i] === next[j] ? diagonal + 1 : Math.max(down, right)
    }
  }
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ mark: ' ', text: old[i] ?? '' })
      i += 1
      j += 1
    } else if (
      j >= next.length ||
      (i < old.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      lines.push(removed(old[i] ?? ''))
      i += 1
    } else {
      lines.push(added(next[j] ?? ''))
      j += 1
    }
  }
  return lines
}

function toHunks(lines: readonly Line[]): string[] {
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  )
  const out: string[] = []
  let [oldLine, newLine] = [1, 1]
  for (let at = 0; at < lines.length; ) {
    if (shown[at] !== true) {
      oldLine += 1
      newLine += 1
      at += 1
      continue
    }
    let end = at
    while (end < lines.length && shown[end] === true) end += 1
    const hunk = lines.slice(at, end)
    const oldCount = hunk.filter(({ mark }) => mark !== '+').length
    const newCount = hunk.filter(({ mark }) => mark !== '-').length
    out.push(`@@ -${oldLine},${oldCount} +${newLine},${newCount} @@`, ...hunk.map(({ mark, text }) => mark + text))
    oldLine += oldCount
    newLine += newCount
    at = end
  }
  return out
}
