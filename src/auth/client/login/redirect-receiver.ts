// How the user gets to the login page and back: by the host's own means, or by a browser and a page on this machine.

import { platform } from '#platform'
import type { KnownKeys } from '../../../primitives/options.ts'
import { withinDeadline } from '../network/deadline.ts'
import { fail } from '../network/failure.ts'

/** What a `callback` hook is told. */
export interface CallbackContext {
  /** What the right callback has as its `state`, for hosts that serve several logins at one address. */
  readonly state: string
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
}

export interface RedirectOptions {
  /** Where the authorization server sends the user back to. A loopback address with a free port unless given. */
  redirectUri?: string
  /** Sends the user to the login page. Opens a browser unless given, and prints the URL where there is none. */
  redirect?(url: URL): void | Promise<void>
  /** Resolves to where the user came back to, or its parameters. Listens on the loopback address unless given. */
  callback?(context: CallbackContext): Promise<URL | URLSearchParams | string>
  /** How long the user has for the login; five minutes unless given. */
  loginTimeoutMs?: number
}

export const REDIRECT_KEYS: KnownKeys<RedirectOptions> = {
  redirectUri: true,
  redirect: true,
  callback: true,
  loginTimeoutMs: true,
}

const LOGIN_TIMEOUT_MS = 5 * 60_000

/** The address that the user comes back to, for one login. */
export interface RedirectReceiver {
  readonly uri: string
  /** Sends the user to a login page and waits for the way back. */
  visit(url: URL, state: string, signal: AbortSignal): Promise<URL | URLSearchParams | string>
  close(): Promise<void>
}

export function assertRedirectOptions(options: RedirectOptions): void {
  if (options.callback !== undefined && options.redirectUri === undefined) {
    throw new TypeError('oauth: callback needs redirectUri, the address that it receives')
  }
  if (options.redirectUri !== undefined && !URL.canParse(options.redirectUri)) {
    throw new TypeError('oauth: redirectUri is no URL')
  }
}

/** `preferredUri` is the address of an earlier registration, which saves a new one where it can be had again. */
export async function openReceiver(
  options: RedirectOptions,
  preferredUri: string | undefined,
): Promise<RedirectReceiver> {
  const { callback, redirectUri } = options
  const listener = callback === undefined ? await listen(redirectUri, preferredUri) : undefined
  const timeoutMs = options.loginTimeoutMs ?? LOGIN_TIMEOUT_MS
  const late = () => fail('callback', 'timeout', `Nobody logged in within ${timeoutMs} ms`)
  return {
    uri: listener?.uri ?? redirectUri ?? '',
    visit: (url, state, signal) =>
      withinDeadline(signal, timeoutMs, late, async (bounded) => {
        // Expected before the user is sent away: a browser may be back before its opener has returned.
        const arrival = listener?.visit(state, bounded)
        arrival?.catch(() => {})
        await sendAway(options.redirect ?? showInBrowser, url)
        return arrival ?? callback?.({ state, signal: bounded }) ?? new URLSearchParams()
      }),
    close: async () => listener?.close(),
  }
}

async function sendAway(redirect: (url: URL) => void | Promise<void>, url: URL): Promise<void> {
  try {
    await redirect(url)
  } catch (error) {
    throw fail('authorization', 'redirect_failed', 'The user could not be sent to the login page; see the cause', error)
  }
}

async function listen(redirectUri: string | undefined, preferredUri: string | undefined) {
  try {
    if (redirectUri !== undefined) return await platform.listenForRedirect({ uri: redirectUri })
    const preferredPort = preferredUri === undefined ? 0 : Number(new URL(preferredUri).port)
    return await platform.listenForRedirect({ preferredPort })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw fail('authorization', 'redirect_unavailable', `Cannot listen for the end of the login: ${reason}`, error)
  }
}

async function showInBrowser(url: URL): Promise<void> {
  if (await platform.openBrowser(url.href)) return
  // Standard error: a server over stdio speaks its protocol on standard output.
  console.error(`Open this page to log in:\n${url.href}`)
}
