// Content blocks that are a bother to write by hand: pictures and sounds from bytes, links to resources.
import { decodeBase64, encodeBase64 } from '../primitives/base64.ts'
import type { Annotations } from '../types/annotations.ts'
import type { AudioContent, ImageContent, ResourceLink } from '../types/content.ts'
import type { MetaObject } from '../types/meta.ts'
import type { Resource } from '../types/resources.ts'

export interface MediaOptions {
  annotations?: Annotations
  meta?: MetaObject
}

/** A picture for a tool to return or a prompt to show: bytes, or text that is Base64 already. */
export function image(data: Uint8Array | string, mimeType = 'image/png', options: MediaOptions = {}): ImageContent {
  return { type: 'image', data: toBase64(data), mimeType, ...toMembers(options) }
}

/** A sound, in the same way. */
export function audio(data: Uint8Array | string, mimeType = 'audio/wav', options: MediaOptions = {}): AudioContent {
  return { type: 'audio', data: toBase64(data), mimeType, ...toMembers(options) }
}

/** A link to a resource, which need not be one that is listed. Its name is the uri unless given. */
export function resourceLink(uri: string, details: Partial<Omit<Resource, 'uri'>> = {}): ResourceLink {
  return { type: 'resource_link', uri, name: uri, ...details }
}

function toBase64(data: Uint8Array | string): string {
  if (typeof data !== 'string') return encodeBase64(data)
  if (decodeBase64(data) !== undefined) return data
  throw new TypeError('The data of a picture or sound must be bytes, or text that is padded Base64')
}

function toMembers({ annotations, meta }: MediaOptions) {
  return { ...(annotations !== undefined && { annotations }), ...(meta !== undefined && { _meta: meta }) }
}
