// Content blocks: what tools return, prompts say and samples contain.
import type { MetaObject } from '../protocol/meta.ts'
import type { BlobResourceContents, Resource, TextResourceContents } from './resources.ts'

/** One part of a tool result or prompt message: text, image, audio, a link to a resource, or a resource itself. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

/** Text in a result or message. */
export interface TextContent {
  /** Marks text. */
  type: 'text'
  /** The text itself. */
  text: string
  /** Who the resource is for and how important it is. Hosts may use it to choose what to show. */
  annotations?: Annotations
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** An image in a result or message. `image()` makes one. */
export interface ImageContent {
  /** Marks an image. */
  type: 'image'
  /** Base64. */
  data: string
  /** The format of `data`, such as `image/png`. */
  mimeType: string
  /** Who the image is for and how important it is. Hosts may use it to choose what to show. */
  annotations?: Annotations
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** Since 2025-03-26. */
export interface AudioContent {
  /** Marks audio. */
  type: 'audio'
  /** Base64. */
  data: string
  /** The format of `data`, such as `audio/wav`. */
  mimeType: string
  /** Who the audio is for and how important it is. Hosts may use it to choose what to show. */
  annotations?: Annotations
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** A resource that can be read, though `resources/list` need not name it; since 2025-06-18. */
export interface ResourceLink extends Resource {
  /** Marks a link to a resource. The client reads it with `readResource`. */
  type: 'resource_link'
}

/** A resource together with its contents. */
export interface EmbeddedResource {
  /** Marks a resource that is part of the content. */
  type: 'resource'
  /** The contents of the resource, as text or as base64. */
  resource: TextResourceContents | BlobResourceContents
  /** Who the resource is for and how important it is. Hosts may use it to choose what to show. */
  annotations?: Annotations
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** Who speaks in a message. */
export type Role = 'user' | 'assistant'

/** What content and resources with hints have in common. Revision 2024-11-05 has a name for it. */
export interface Annotated {
  /** Who it is for and how important it is. */
  annotations?: Annotations
}

/** Hints on content for the host: who it is for, and how important it is. */
export interface Annotations {
  /** Whom the content is meant for. */
  audience?: Role[]
  /** From 0, may be left out, to 1, must not be. */
  priority?: number
  /** ISO 8601; since 2025-06-18. */
  lastModified?: string
}
