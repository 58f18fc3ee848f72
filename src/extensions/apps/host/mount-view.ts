// Shows a view in a frame of a web page: the sandbox page of another origin, and the host's end of the connection to it.
import { typeError } from '../../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../../primitives/options.ts'
import { AppHost } from './app-host.ts'
import { APP_HOST_KEYS, type AppHostOptions } from './host-options.ts'
import { allowOf } from './policy.ts'
import type { View } from './read-view.ts'
import { sandboxUrl } from './sandbox-page.ts'
import { type OwnWindow, type PeerWindow, windowChannel } from './window-channel.ts'

/** An `<iframe>` in the document, without `src`. */
export interface ViewFrame {
  /** The window of the frame. `null` until the frame is in a page. */
  readonly contentWindow: PeerWindow | null
  /** Sets an attribute of the frame, such as `sandbox`. */
  setAttribute(name: string, value: string): void
}

/** Options of `mountView()`. */
export interface MountOptions extends AppHostOptions {
  view: View
  /** The address of the sandbox page, on another origin than that of the host: see `sandboxPage()`. */
  sandboxUrl: string | URL
  /** The host's window (default: this one). */
  self?: OwnWindow | undefined
}

export const MOUNT_KEYS: KnownKeys<MountOptions> = { ...APP_HOST_KEYS, sandboxUrl: true, self: true }

/** The proxy needs both: without an origin it could not be told apart from other frames. Its origin is not the host's. */
const PROXY_SANDBOX = 'allow-scripts allow-same-origin'

/**
 * Shows a view in a frame. Throws `TypeError` if the sandbox page has the origin of the host, because the view could then read
 * everything that the host can. Close the `AppHost`, then remove the frame.
 */
export function mountView(frame: ViewFrame, options: MountOptions): AppHost {
  checkKeys('mountView()', options, MOUNT_KEYS)
  const { sandboxUrl: base, self, ...rest } = options
  const { view } = options
  if (frame.contentWindow === null) {
    throw typeError('bad-view', 'The frame is not in the document, so it has no window. Add it to the document first.')
  }
  const url = sandboxUrl(base, view.csp)
  const channel = windowChannel(frame.contentWindow, {
    origin: new URL(url).origin,
    ...(self !== undefined && { self }),
  })
  const host = new AppHost(channel, rest)
  frame.setAttribute('sandbox', PROXY_SANDBOX)
  frame.setAttribute('allow', allowOf(view.permissions))
  frame.setAttribute('referrerpolicy', 'no-referrer')
  // Last: the page may be ready before the next line runs.
  frame.setAttribute('src', url)
  return host
}
