// How things are named, to programs and to people, and what they look like.
import type { Annotations } from '../features/content.ts'
import type { ToolAnnotations } from '../features/tools.ts'

/** A name for programs and one for people. */
export interface BaseMetadata {
  /** For programs. Shown to people only where there is no `title`. */
  name: string
  /** For people; since 2025-06-18. */
  title?: string
}

/** A picture; since 2025-11-25. Fetch only `https:` and `data:` sources, without credentials, and trust no byte. */
export interface Icon {
  /** The address of the image, an `https:` or `data:` URL. */
  src: string
  /** The format of the image, such as `image/png`. Left out if the server of the image says it. */
  mimeType?: string
  /** As in `48x48`, or `any` for a format that scales. */
  sizes?: string[]
  /** The background that the icon is drawn for. */
  theme?: IconTheme
}

/** The background that an icon is made for. */
export type IconTheme = 'light' | 'dark'

/** What can have icons. */
export interface Icons {
  /** Since 2025-11-25. */
  icons?: Icon[]
}

/** What `displayName` looks at. */
export interface Displayable extends BaseMetadata {
  /** Hints, which can hold a title for people. */
  annotations?: ToolAnnotations | Annotations
}

/** The name to show a person: the title, else a tool's `annotations.title`, else the name. An empty title is none. */
export function displayName(item: Displayable): string {
  return item.title || annotatedTitle(item) || item.name
}

function annotatedTitle({ annotations }: Displayable): string | undefined {
  return annotations !== undefined && 'title' in annotations ? annotations.title : undefined
}

/** Self-reported: for display and logs, never to decide what a peer may do. */
export interface Implementation extends BaseMetadata, Icons {
  /** The version of the program, for logs and error reports. */
  version: string
  /** Since 2025-11-25. */
  description?: string
  /** Since 2025-11-25. */
  websiteUrl?: string
}
