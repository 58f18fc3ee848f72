// What the kind of a transport says of the network under it.
import type { Attributes } from './api.ts'
import { Attribute } from './conventions.ts'

const PIPE: Attributes = { [Attribute.NetworkTransport]: 'pipe' }
const HTTP: Attributes = { [Attribute.NetworkTransport]: 'tcp', [Attribute.NetworkProtocolName]: 'http' }
const NOTHING: Attributes = {}

const BY_KIND: ReadonlyMap<string, Attributes> = new Map([
  ['stdio', PIPE],
  ['http', HTTP],
  ['streamable-http', HTTP],
  ['sse', HTTP],
])

/** Nothing for a transport that is no network, as in process, or not known here. */
export function describeNetwork(kind: string): Attributes {
  return BY_KIND.get(kind) ?? NOTHING
}
