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
  /** The view may use the camera. An empty object grants it. */
  camera?: JSONObject | undefined
  /** The view may use the microphone. An empty object grants it. */
  microphone?: JSONObject | undefined
  /** The view may know where the user is. An empty object grants it. */
  geolocation?: JSONObject | undefined
  /** The view may write to the clipboard. An empty object grants it. */
  clipboardWrite?: JSONObject | undefined
}

/** `_meta.ui` of a view's resource. */
export interface ViewMeta {
  /** The origins that the view may load from and connect to (default: none). */
  csp?: ViewPolicy
  /** What the view may use, such as the camera (default: nothing). */
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
  /** The address of the view for results of the tool. */
  resourceUri?: string
  /** Both where absent. */
  visibility?: readonly ToolAudience[]
}

/** What a client declares that renders views. */
export interface AppsClientSettings {
  /** The formats of views that the client can show. */
  mimeTypes: readonly string[]
}

/** What a client says of the views that it renders; `undefined` for a client that does not say that it renders HTML views. */
export function clientUi(capabilities: ClientCapabilities): AppsClientSettings | undefined {
  const { mimeTypes } = capabilities.extensions?.[APPS_EXTENSION] ?? {}
  if (!Array.isArray(mimeTypes) || !mimeTypes.includes(VIEW_MIME_TYPE)) return undefined
  return { mimeTypes: mimeTypes.filter((type) => typeof type === 'string') }
}

/** How a view is shown: within the conversation, over the whole window, or in a small window above it. */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip'

/** What a host tells a view about where it is shown. */
export interface HostContext {
  /** The call that the view belongs to. */
  toolInfo?: {
    /** The id of the tool call that the view belongs to. */
    id?: RequestId
    /** The tool as the server lists it. */
    tool: Tool
  }
  /** The colours of the host. */
  theme?: 'light' | 'dark'
  /** The styles of the host, so that the view can look like it. */
  styles?: {
    /** CSS variables by name, as in `--color-text-primary`. */
    variables?: Readonly<Record<string, string | undefined>>
    /** Rules to add to the view. */
    css?: {
      /** `@font-face` rules of the host's fonts. */
      fonts?: string
    }
  }
  /** How the view is shown now. */
  displayMode?: DisplayMode
  /** The ways in which the host can show the view. */
  availableDisplayModes?: readonly DisplayMode[]
  /** Fixed by `width` and `height`, or up to `maxWidth` and `maxHeight` by the size of the content. */
  containerDimensions?: {
    /** The fixed width of the view in CSS pixels. */
    width?: number
    /** The fixed height of the view in CSS pixels. */
    height?: number
    /** The largest width of the view in CSS pixels. */
    maxWidth?: number
    /** The largest height of the view in CSS pixels. */
    maxHeight?: number
  }
  /** As in `en-US`. */
  locale?: string
  /** As in `Europe/Berlin`. */
  timeZone?: string
  /** The name of the host, for logs. */
  userAgent?: string
  /** Where the host runs. */
  platform?: 'web' | 'desktop' | 'mobile'
  /** How the user can point. */
  deviceCapabilities?: {
    /** The device has a touch screen. */
    touch?: boolean
    /** The device can point without touching. */
    hover?: boolean
  }
  /** The edges of the view that the device covers, in CSS pixels. */
  safeAreaInsets?: {
    /** At the top, in CSS pixels. */
    top: number
    /** At the right, in CSS pixels. */
    right: number
    /** At the bottom, in CSS pixels. */
    bottom: number
    /** At the left, in CSS pixels. */
    left: number
  }
  [member: string]: unknown
}

/** The kinds of content that a host accepts. */
export interface ContentKinds {
  /** Text is accepted. */
  text?: JSONObject
  /** Images are accepted. */
  image?: JSONObject
  /** Audio is accepted. */
  audio?: JSONObject
  /** Resources within content are accepted. */
  resource?: JSONObject
  /** Links to resources are accepted. */
  resourceLink?: JSONObject
  /** Structured content is accepted. */
  structuredContent?: JSONObject
}

/** What a host does for a view. */
export interface HostCapabilities {
  /** The host opens links for the view. */
  openLinks?: JSONObject
  /** The host saves files for the view. */
  downloadFile?: JSONObject
  /** The view can call tools of its server. */
  serverTools?: {
    /** The host announces when the list of tools changes. */
    listChanged?: boolean
  }
  /** The view can read resources of its server. */
  serverResources?: {
    /** The host announces when the list of resources changes. */
    listChanged?: boolean
  }
  /** The host takes log messages of the view. */
  logging?: JSONObject
  /** What the host granted of what the view asked for. */
  sandbox?: {
    /** The permissions that the host granted. */
    permissions?: ViewPermissions
    /** The origins that the host allowed. */
    csp?: ViewPolicy
  }
  /** The view can change what the model knows, with these kinds of content. */
  updateModelContext?: ContentKinds
  /** The view can send messages to the conversation, with these kinds of content. */
  message?: ContentKinds
  /** Abilities that no specification defines. */
  experimental?: JSONObject
}

/** What a view can do. */
export interface AppCapabilities {
  /** Draft: tools of the view. */
  tools?: {
    /** The view announces when its list of tools changes. */
    listChanged?: boolean
  }
  /** The ways in which the view can be shown. */
  availableDisplayModes?: readonly DisplayMode[]
  /** Abilities that no specification defines. */
  experimental?: JSONObject
}

/** `ui/message`: something that the view says in the name of the user. */
export interface ViewMessage {
  /** Messages of a view are those of the user. */
  role: 'user'
  /** What the message says. */
  content: ContentBlock[]
}

/** `ui/update-model-context`: what the model should know of the view's state. Replaces what the view sent before. */
export interface ModelContext {
  /** What the model should know, as content. */
  content?: ContentBlock[]
  /** What the model should know, as data. */
  structuredContent?: JSONObject
}

/** `ui/download-file`: files that the view offers to the user. */
export interface ViewDownload {
  /** The files to save. */
  contents: (EmbeddedResource | ResourceLink)[]
}

/** The size of a view's content, in pixels. */
export interface ViewSize {
  /** The width of the view in CSS pixels. */
  width?: number
  /** The height of the view in CSS pixels. */
  height?: number
}
