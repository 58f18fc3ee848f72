// Finds a literal in a URI in linear time: the built-in searches take over 100 ms for 'aaa…' in a 64 KiB text of 'aaa…'.

/** A text to look for, with what Knuth, Morris and Pratt need to know of it in both directions. */
export interface Needle {
  readonly text: string
  readonly forward: Direction
  readonly backward: Direction
}

interface Direction {
  readonly text: string
  /** For each prefix: how long its longest proper prefix is that is also its suffix. */
  readonly borders: Int32Array
}

export function createNeedle(text: string): Needle {
  return { text, forward: createDirection(text), backward: createDirection(Array.from(text).reverse().join('')) }
}

/** Where the needle first starts within `[start, end)`; -1 where it does not occur. */
export function findFirst(needle: Needle, text: string, start: number, end: number): number {
  const taken = search(needle.forward, text, start, 1, end - start)
  return taken === -1 ? -1 : start + taken - needle.text.length
}

/** Where the needle last starts within `[start, end)`; -1 where it does not occur. */
export function findLast(needle: Needle, text: string, start: number, end: number): number {
  const taken = search(needle.backward, text, end - 1, -1, end - start)
  return taken === -1 ? -1 : end - taken
}

/** How many characters had to be read until the needle was complete; -1 when `count` were not enough. */
function search(needle: Direction, text: string, from: number, step: 1 | -1, count: number): number {
  let matched = 0
  for (let taken = 0; taken < count; taken++) {
    const code = text.charCodeAt(from + taken * step)
    matched = advance(needle, matched, code)
    if (matched === needle.text.length) return taken + 1
  }
  return -1
}

function createDirection(text: string): Direction {
  const direction = { text, borders: new Int32Array(text.length) }
  for (let length = 1; length < text.length; length++) {
    direction.borders[length] = advance(direction, direction.borders[length - 1] ?? 0, text.charCodeAt(length))
  }
  return direction
}

function advance({ text, borders }: Direction, matched: number, code: number): number {
  let length = matched
  while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] ?? 0
  return text.charCodeAt(length) === code ? length + 1 : length
}
