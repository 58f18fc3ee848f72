// What authors write about apps: HTML views that hosts show for a tool.
import type { Context } from '../handlers/context.ts'
import type { Handle } from '../lists/registry.ts'

/** Origins that a view may use, as `https://api.example.com` or `https://*.example.com`. Everything else is blocked. */
export interface AppDomains {
  /** For `fetch` and sockets. */
  connectDomains?: readonly string[]
  /** For images, scripts, styles, fonts and media. */
  resourceDomains?: readonly string[]
  /** For nested frames. */
  frameDomains?: readonly string[]
  /** For `<base>`. */
  baseUriDomains?: readonly string[]
}

export interface AppPermissions {
  camera?: Readonly<Record<string, never>>
  microphone?: Readonly<Record<string, never>>
  geolocation?: Readonly<Record<string, never>>
  clipboardWrite?: Readonly<Record<string, never>>
}

export interface AppOptions<Life = unknown> {
  /** A whole HTML document: text, bytes, or a function that returns one of them. */
  html: string | Uint8Array | ((ctx: Context<Life>) => string | Uint8Array | Promise<string | Uint8Array>)
  csp?: AppDomains
  permissions?: AppPermissions
  /** The origin that the host should give the view. Its form is the host's business. */
  domain?: string
  prefersBorder?: boolean
  /** Shows the view in `resources/list` too (default: `false`; hosts find it through the tool). */
  listed?: boolean
  title?: string
  description?: string
}

/** A registered app. Pass it as `ui` to tools. */
export interface AppHandle<Life = unknown> extends Handle<Partial<AppOptions<Life>>> {
  readonly uri: string
}

/** Who may call a tool: the model, the app, or both. */
export type UiVisibility = 'model' | 'app'

/** The option `ui` of a tool: its view, and who may call the tool (default: both). */
export type UiOption =
  | Pick<AppHandle, 'uri'>
  | string
  | { view?: Pick<AppHandle, 'uri'> | string; visibility?: readonly UiVisibility[] }
