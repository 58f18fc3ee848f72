// Content blocks: what tools return, prompts say and samples contain.
import type { MetaObject } from '../protocol/meta.ts'
import type { BlobResourceContents, Resource, TextResourceContents } from './resources.ts'

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

export interface TextContent {
  type: 'text'
  text: string
  annotations?: Annotations
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

export interface ImageContent {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
  annotations?: Annotations
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** Since 2025-03-26. */
export interface AudioContent {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
  annotations?: Annotations
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** A resource that can be read, though `resources/list` need not name it; since 2025-06-18. */
export interface ResourceLink extends Resource {
  type: 'resource_link'
}

/** A resource together with its contents. */
export interface EmbeddedResource {
  type: 'resource'
  resource: TextResourceContents | BlobResourceContents
  annotations?: Annotations
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

export type Role = 'user' | 'assistant'

export interface Annotations {
  /** Whom the content is meant for. */
  audience?: Role[]
  /** From 0, may be left out, to 1, must not be. */
  priority?: number
  /** ISO 8601; since 2025-06-18. */
  lastModified?: string
}
