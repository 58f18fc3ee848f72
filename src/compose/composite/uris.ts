// URIs with the namespace of their source inside (`naming.resources: 'prefix'`), and back.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

const HIERARCHICAL = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//

/** `notes://today` becomes `notes://ns/today`, `mailto:ada` becomes `ns+mailto:ada`. The same for the text of a template. */
export function prefixUri(namespace: string, uri: string): string {
  const start = HIERARCHICAL.exec(uri)?.[0]
  return start === undefined ? `${namespace}+${uri}` : `${start}${namespace}/${uri.slice(start.length)}`
}

/** The URI without the namespace; `undefined` where it has another or none. */
export function unprefixUri(namespace: string, uri: string): string | undefined {
  const start = HIERARCHICAL.exec(uri)?.[0]
  if (start !== undefined && uri.startsWith(`${namespace}/`, start.length))
    return `${start}${uri.slice(start.length + namespace.length + 1)}`
  return uri.startsWith(`${namespace}+`) ? uri.slice(namespace.length + 1) : undefined
}

/** The result with the URIs of resource links, embedded resources and read contents as `toFront` gives them. */
export function mapResultUris(result: JSONObject, toFront: (uri: string) => string): JSONObject {
  const mapped: JSONObject = { ...result }
  if (Array.isArray(result['content'])) mapped['content'] = result['content'].map((block) => mapBlock(block, toFront))
  if (Array.isArray(result['contents'])) mapped['contents'] = result['contents'].map((one) => mapUri(one, toFront))
  if (Array.isArray(result['messages'])) mapped['messages'] = result['messages'].map((one) => mapMessage(one, toFront))
  return mapped
}

function mapMessage(message: unknown, toFront: (uri: string) => string): unknown {
  if (!isPlainObject(message)) return message
  const { content } = message
  return {
    ...message,
    content: Array.isArray(content) ? content.map((one) => mapBlock(one, toFront)) : mapBlock(content, toFront),
  }
}

function mapBlock(block: unknown, toFront: (uri: string) => string): unknown {
  if (!isPlainObject(block)) return block
  if (block['type'] === 'resource_link') return mapUri(block, toFront)
  return block['type'] === 'resource' ? { ...block, resource: mapUri(block['resource'], toFront) } : block
}

function mapUri(value: unknown, toFront: (uri: string) => string): unknown {
  if (!isPlainObject(value) || typeof value['uri'] !== 'string') return value
  return { ...value, uri: toFront(value['uri']) }
}
