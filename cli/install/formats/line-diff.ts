// The lines that a change removes and adds. What stays is not shown: it belongs to others and may hold secrets.

/** `@@ line 3 @@`, then lines with `-` and `+`. One change in one place, so that common beginnings and ends are enough. */
export function changedLines(before: string, after: string): string[] {
  const [old, next] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1
  let end = 0
  const most = Math.min(old.length, next.length) - start
  while (end < most && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1
  const removed = old.slice(start, old.length - end)
  const added = next.slice(start, next.length - end)
  if (removed.length === 0 && added.length === 0) return []
  return [`@@ line ${start + 1} @@`, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
