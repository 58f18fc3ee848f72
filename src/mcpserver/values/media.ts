// Content blocks that are a bother to write by hand: pictures and sounds from bytes, links to resources; and what all bytes in
// blocks and contents have to be, whoever wrote them.
import { encodeBase64, isBase64 } from '../../primitives/base64.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { describeKind } from '../../primitives/options.ts'
import type {
  Annotations,
  AudioContent,
  ContentBlock,
  ImageContent,
  ResourceLink,
} from '../../types/features/content.ts'
import type { Resource } from '../../types/features/resources.ts'
import type { MetaObject } from '../../types/protocol/meta.ts'

/** Bytes as authors have them. */
export type Bytes = Uint8Array | ArrayBuffer

export interface MediaOptions {
  annotations?: Annotations
  meta?: MetaObject
}

/** A picture for a tool to return or a prompt to show: bytes, or text that is Base64 already. */
export function image(data: Bytes | string, mimeType = 'image/png', options: MediaOptions = {}): ImageContent {
  return { type: 'image', data: toBase64(data), mimeType, ...toMembers(options) }
}

/** A sound, in the same way. */
export function audio(data: Bytes | string, mimeType = 'audio/wav', options: MediaOptions = {}): AudioContent {
  return { type: 'audio', data: toBase64(data), mimeType, ...toMembers(options) }
}

/** A link to a resource, which need not be one that is listed. Its name is the uri unless given. */
export function resourceLink(uri: string, details: Partial<Omit<Resource, 'uri'>> = {}): ResourceLink {
  return { type: 'resource_link', uri, name: uri, ...details }
}

/** The same block, unless it carries bytes that no client could read: that is a `TypeError`. */
export function checkMedia(block: ContentBlock): ContentBlock {
  if (block.type === 'image' || block.type === 'audio') requireBase64(block.data, `The data of an ${block.type} block`)
  else if (block.type === 'resource' && isPlainObject(block.resource)) checkBlob(block.resource)
  return block
}

/** As `checkMedia`, for the contents of a resource. */
export function checkBlob<Contents extends object>(contents: Contents): Contents {
  if ('blob' in contents && contents.blob !== undefined) requireBase64(contents.blob, 'The blob of a resource')
  return contents
}

export function isBytes(value: unknown): value is Bytes {
  return value instanceof Uint8Array || value instanceof ArrayBuffer
}

export function toBase64(data: Bytes | string): string {
  if (typeof data !== 'string' && !isBytes(data)) {
    const reading = 'Read a file first, as in image(await readFile(path))'
    throw new TypeError(`A picture or sound is made of bytes or Base64 text, not ${describeKind(data)}. ${reading}.`)
  }
  if (typeof data !== 'string') return encodeBase64(data instanceof ArrayBuffer ? new Uint8Array(data) : data)
  requireBase64(data, 'The data of a picture or sound')
  return data
}

function requireBase64(text: unknown, what: string): void {
  if (typeof text === 'string' && isBase64(text)) return
  throw new TypeError(`${what} must be padded Base64: let image(), audio() or a reader that returns bytes make it`)
}

function toMembers({ annotations, meta }: MediaOptions) {
  return { ...(annotations !== undefined && { annotations }), ...(meta !== undefined && { _meta: meta }) }
}
