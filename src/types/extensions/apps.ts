// Apps (`io.modelcontextprotocol/ui`): what servers say of their views, and what hosts and views say to each other.
import type { ContentBlock, EmbeddedResource, ResourceLink } from '../features/content.ts'
import type { Tool } from '../features/tools.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { JSONObject } from '../protocol/json.ts'
import type { RequestId } from '../protocol/jsonrpc.ts'

export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'

/** The MIME type of a view. */
export const VIEW_MIME_TYPE = 'text/html;profile=mcp-app'

/** The revision of the messages between a host and its views. */
export const VIEW_PROTOCOL_VERSION = '2026-01-26'

/** The domains that a view may use, each as in `https://api.example.com` or `https://*.example.com`. Without any it reaches nothing. */
export interface ViewPolicy {
  /** Where it may send requests: `fetch`, WebSocket. */
  connectDomains?: readonly string[] | undefined
  /** Where its scripts, styles, images, fonts and media may come from. */
  resourceDomains?: readonly string[] | undefined
  /** What it may show in frames. */
  frameDomains?: readonly string[] | undefined
  /** What its `<base>` may be. */
  baseUriDomains?: readonly string[] | undefined
}

/** What a view asks the browser for. A host may refuse any of them. */
export interface ViewPermissions {
  camera?: JSONObject | undefined
  microphone?: JSONObject | undefined
  geolocation?: JSONObject | undefined
  clipboardWrite?: JSONObject | undefined
}

/** `_meta.ui` of a view's resource. */
export interface ViewMeta {
  csp?: ViewPolicy
  permissions?: ViewPermissions
  /** The origin that the view asks for. Each host has its own form of it. */
  domain?: string
  /** Whether the host should draw a border and background. */
  prefersBorder?: boolean
}

/** The callers that a tool accepts: the model, the view of an app, or both. */
export type ToolAudience = 'model' | 'app'

/** `_meta.ui` of a tool. */
export interface ToolUi {
  resourceUri?: string
  /** Both where absent. */
  visibility?: readonly ToolAudience[]
}

/** What a client declares that renders views. */
export interface AppsClientSettings {
  mimeTypes: readonly string[]
}

/** What a client says of the views that it renders; `undefined` for a client that does not say that it renders HTML views. */
export function clientUi(capabilities: ClientCapabilities): AppsClientSettings | undefined {
  const { mimeTypes } = capabilities.extensions?.[APPS_EXTENSION] ?? {}
  if (!Array.isArray(mimeTypes) || !mimeTypes.includes(VIEW_MIME_TYPE)) return undefined
  return { mimeTypes: mimeTypes.filter((type) => typeof type === 'string') }
}

export type DisplayMode = 'inline' | 'fullscreen' | 'pip'

/** What a host tells a view about where it is shown. */
export interface HostContext {
  /** The call that the view belongs to. */
  toolInfo?: { id?: RequestId; tool: Tool }
  theme?: 'light' | 'dark'
  styles?: {
    /** CSS variables by name, as in `--color-text-primary`. */
    variables?: Readonly<Record<string, string | undefined>>
    css?: { fonts?: string }
  }
  displayMode?: DisplayMode
  availableDisplayModes?: readonly DisplayMode[]
  /** Fixed by `width` and `height`, or up to `maxWidth` and `maxHeight` by the size of the content. */
  containerDimensions?: { width?: number; height?: number; maxWidth?: number; maxHeight?: number }
  /** As in `en-US`. */
  locale?: string
  /** As in `Europe/Berlin`. */
  timeZone?: string
  userAgent?: string
  platform?: 'web' | 'desktop' | 'mobile'
  deviceCapabilities?: { touch?: boolean; hover?: boolean }
  safeAreaInsets?: { top: number; right: number; bottom: number; left: number }
  [member: string]: unknown
}

/** The kinds of content that a host accepts. */
export interface ContentKinds {
  text?: JSONObject
  image?: JSONObject
  audio?: JSONObject
  resource?: JSONObject
  resourceLink?: JSONObject
  structuredContent?: JSONObject
}

/** What a host does for a view. */
export interface HostCapabilities {
  openLinks?: JSONObject
  downloadFile?: JSONObject
  serverTools?: { listChanged?: boolean }
  serverResources?: { listChanged?: boolean }
  logging?: JSONObject
  /** What the host granted of what the view asked for. */
  sandbox?: { permissions?: ViewPermissions; csp?: ViewPolicy }
  updateModelContext?: ContentKinds
  message?: ContentKinds
  experimental?: JSONObject
}

/** What a view can do. */
export interface AppCapabilities {
  /** Draft: tools of the view. */
  tools?: { listChanged?: boolean }
  availableDisplayModes?: readonly DisplayMode[]
  experimental?: JSONObject
}

/** `ui/message`: something that the view says in the name of the user. */
export interface ViewMessage {
  role: 'user'
  content: ContentBlock[]
}

/** `ui/update-model-context`: what the model should know of the view's state. Replaces what the view sent before. */
export interface ModelContext {
  content?: ContentBlock[]
  structuredContent?: JSONObject
}

/** `ui/download-file`: files that the view offers to the user. */
export interface ViewDownload {
  contents: (EmbeddedResource | ResourceLink)[]
}

/** The size of a view's content, in pixels. */
export interface ViewSize {
  width?: number
  height?: number
}
