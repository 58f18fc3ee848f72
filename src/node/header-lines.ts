// The headers of a request as they came, line by line: what Node makes of them does not tell that a name came twice.
import type { IncomingMessage } from 'node:http'

type HeaderLines = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

/** Node has a list for `set-cookie` alone, which no request has. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/**
 * What Node made of a header. Those that every request is asked for are written out: an engine finds a member whose name stands
 * in the code many times as fast as one that it is handed, above all where it is not there.
 */
export function readHeader(headers: RequestHeaders, name: string): string | undefined {
  switch (name) {
    case 'host':
      return headers['host']
    case ':authority':
      return headers[':authority']
    case 'origin':
      return headers['origin']
    case 'sec-fetch-site':
      return headers['sec-fetch-site']
    case 'content-type':
      return headers['content-type']
    case 'content-length':
      return headers['content-length']
    case 'content-encoding':
      return headers['content-encoding']
    case 'accept':
      return headers['accept']
    case 'mcp-protocol-version':
      return headers['mcp-protocol-version']
    case 'mcp-method':
      return headers['mcp-method']
    case 'mcp-name':
      return headers['mcp-name']
    case 'mcp-session-id':
      return headers['mcp-session-id']
    case 'authorization':
      return headers['authorization']
    default:
      return headers[name]
  }
}

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
