// The headers of a request as they came, line by line: what Node makes of them does not tell that a name came twice.
import type { IncomingMessage } from 'node:http'

type HeaderLines = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

/** `false` only where every line has a name of its own and no middleware has put further names there. Cheap. */
export function mayRepeatHeaders({ headers, rawHeaders }: HeaderLines): boolean {
  let count = 0
  let last = ''
  for (const name in headers) {
    count++
    last = name
  }
  return count !== rawHeaders.length / 2 || rawHeaders.at(-2)?.toLowerCase() !== last
}

/** All values that came under a lower-case name, in order. */
export function headerValues({ rawHeaders }: HeaderLines, name: string): readonly string[] {
  return rawHeaders.filter((_text, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}
