// Helpers for content blocks: images and audio from bytes, links to resources, and the check that all bytes are Base64.

import { encodeBase64, isBase64 } from '../../primitives/base64.ts'
import { typeError } from '../../primitives/help.ts'
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

/** Bytes in either form. */
export type Bytes = Uint8Array | ArrayBuffer

/** The last argument of `image()` and `audio()`. */
export interface MediaOptions {
  /** Who the content is for and how important it is. */
  annotations?: Annotations | undefined
  /** The `_meta` of the content block, for your own values. */
  meta?: MetaObject | undefined
}

/**
 * An image block for tools and prompts, from bytes or Base64 text.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { image } from 'mcpwire'
 * server.tool('chart', async () => image(await readFile('chart.png'), 'image/png'))
 * ```
 */
export function image(data: Bytes | string, mimeType = 'image/png', options: MediaOptions = {}): ImageContent {
  return { type: 'image', data: toBase64(data), mimeType, ...toMembers(options) }
}

/**
 * An audio block for tools and prompts, from bytes or Base64 text.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { audio } from 'mcpwire'
 * server.tool('beep', async () => audio(await readFile('beep.wav'), 'audio/wav'))
 * ```
 */
export function audio(data: Bytes | string, mimeType = 'audio/wav', options: MediaOptions = {}): AudioContent {
  return { type: 'audio', data: toBase64(data), mimeType, ...toMembers(options) }
}

/**
 * A link to a resource, listed or not. Its name is the uri by default.
 *
 * @example
 * ```ts
 * import { resourceLink } from 'mcpwire'
 * server.tool('find', () => resourceLink('notes://7', { description: 'A note that fits' }))
 * ```
 */
export function resourceLink(uri: string, details: Partial<Omit<Resource, 'uri'>> = {}): ResourceLink {
  return { type: 'resource_link', uri, name: uri, ...details }
}

/** Returns the block. Throws `TypeError` if its data is not Base64. */
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
    const reading = 'To send a file, write image(await readFile(path))'
    throw typeError(
      'wrong-result',
      `The data of an image or audio block must be bytes or Base64 text, not ${describeKind(data)}. ${reading}.`,
    )
  }
  if (typeof data !== 'string') return encodeBase64(data instanceof ArrayBuffer ? new Uint8Array(data) : data)
  requireBase64(data, 'The data of an image or audio block')
  return data
}

function requireBase64(text: unknown, what: string): void {
  if (typeof text === 'string' && isBase64(text)) return
  throw typeError(
    'wrong-result',
    `${what} must be padded Base64. Use image() or audio(), or return bytes from a reader.`,
  )
}

function toMembers({ annotations, meta }: MediaOptions) {
  return { ...(annotations !== undefined && { annotations }), ...(meta !== undefined && { _meta: meta }) }
}
