// What authors write about apps: HTML views that hosts show for a tool.
import type { ToolAudience, ViewPermissions, ViewPolicy } from '../../types/extensions/apps.ts'
import type { Context } from '../handlers/context.ts'
import type { Access } from '../lists/access.ts'
import type { Handle } from '../lists/registry.ts'

/** Options of `server.app()`: the HTML of a view and what it may load. */
export interface AppOptions<Life = unknown> extends Access<Life> {
  /** A whole HTML document: text, bytes, or a function that returns one of them. */
  html: string | Uint8Array | ((ctx: Context<Life>) => string | Uint8Array | Promise<string | Uint8Array>)
  /** The domains that the view may use. Without any it reaches nothing. */
  csp?: ViewPolicy | undefined
  /** What the view asks the browser for. Hosts may refuse. */
  permissions?: ViewPermissions | undefined
  /** The origin that the host should give the view. Its form is the host's business. */
  domain?: string | undefined
  /** Whether the host should draw a border and background (default: the host decides). */
  prefersBorder?: boolean | undefined
  /** Shows the view in `resources/list` too (default: `false`; hosts find it through the tool). */
  listed?: boolean | undefined
  /** A name for people. Hosts can show it above the view. */
  title?: string | undefined
  /** What the view shows, for the model and for people. */
  description?: string | undefined
}

/** A registered app. Pass it as `ui` to tools. */
export interface AppHandle<Life = unknown> extends Handle<Partial<AppOptions<Life>>> {
  /** The address of the view, such as `ui://app/chart`. */
  readonly uri: string
}

/** The option `ui` of a tool: its view, and which sides can call the tool (default: both). */
export type UiOption =
  | Pick<AppHandle, 'uri'>
  | string
  | {
      /** The view that hosts show for a result of the tool: the handle of `server.app()`, or its URI. */
      view?: Pick<AppHandle, 'uri'> | string | undefined
      /** Which sides can call the tool: `model`, `app` or both (default: both). */
      visibility?: readonly ToolAudience[] | undefined
    }
