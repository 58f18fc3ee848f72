// Sends the user to the login page and receives the redirect: by the host's functions, or by a browser and a loopback port.

import { platform } from '#platform'
import { typeError } from '../../../primitives/help.ts'
import type { KnownKeys } from '../../../primitives/options.ts'
import { withinDeadline } from '../network/deadline.ts'
import { oauthFailure } from '../network/failure.ts'

/** The argument of `callback`. */
export interface CallbackContext {
  /** The `state` of this login's callback, for hosts that run several logins at one address. */
  readonly state: string
  /** Aborted when no request waits for the login any more, or its time is over. */
  readonly signal: AbortSignal
}

/** How the browser comes back to this program after a login. */
export interface RedirectOptions {
  /** The redirect URI of the login (default: a loopback address with a free port). */
  redirectUri?: string | undefined
  /** Sends the user to the login page (default: opens a browser, or prints the URL if there is none). */
  redirect?: ((url: URL) => void | Promise<void>) | undefined
  /** Resolves to the URL that the browser was redirected to, or its parameters (default: listens on `redirectUri`). */
  callback?: ((context: CallbackContext) => Promise<URL | URLSearchParams | string>) | undefined
  /** How long the user has for the login in milliseconds (default: 300,000). */
  loginTimeoutMs?: number | undefined
}

export const REDIRECT_KEYS: KnownKeys<RedirectOptions> = {
  redirectUri: true,
  redirect: true,
  callback: true,
  loginTimeoutMs: true,
}

const LOGIN_TIMEOUT_MS = 5 * 60_000

/** Receives the redirect of one login. */
export interface RedirectReceiver {
  readonly uri: string
  /** Sends the user to a login page and waits for the redirect. */
  visit(url: URL, state: string, signal: AbortSignal): Promise<URL | URLSearchParams | string>
  close(): Promise<void>
}

export function assertRedirectOptions(options: RedirectOptions): void {
  if (options.callback !== undefined && options.redirectUri === undefined) {
    throw typeError('wrong-option', 'oauth: callback needs redirectUri, the URL that it receives')
  }
  if (options.redirectUri !== undefined && !URL.canParse(options.redirectUri)) {
    throw typeError('wrong-option', 'oauth: redirectUri is not a URL')
  }
}

/** `preferredUri` is the redirect URI of an earlier registration, which stays valid if the same port is free. */
export async function openReceiver(
  options: RedirectOptions,
  preferredUri: string | undefined,
): Promise<RedirectReceiver> {
  const { callback, redirectUri } = options
  const listener = callback === undefined ? await listenOnLoopback(redirectUri, preferredUri) : undefined
  const timeoutMs = options.loginTimeoutMs ?? LOGIN_TIMEOUT_MS
  const createTimeout = () => oauthFailure('callback', 'timeout', `The user did not log in within ${timeoutMs} ms`)
  return {
    uri: listener?.uri ?? redirectUri ?? '',
    visit: (url, state, signal) =>
      withinDeadline(signal, timeoutMs, createTimeout, async (bounded) => {
        // Listens before the user is sent to the page: the redirect may arrive before the browser's opener returns.
        const arrival = listener?.visit(state, bounded)
        arrival?.catch(() => {})
        await sendUserTo(options.redirect ?? showInBrowser, url)
        return arrival ?? callback?.({ state, signal: bounded }) ?? new URLSearchParams()
      }),
    close: async () => listener?.close(),
  }
}

async function sendUserTo(redirect: (url: URL) => void | Promise<void>, url: URL): Promise<void> {
  try {
    await redirect(url)
  } catch (error) {
    throw oauthFailure('authorization', 'redirect_failed', 'The redirect function failed; see the cause', error)
  }
}

async function listenOnLoopback(redirectUri: string | undefined, preferredUri: string | undefined) {
  try {
    if (redirectUri !== undefined) return await platform.listenForRedirect({ uri: redirectUri })
    const preferredPort = preferredUri === undefined ? 0 : Number(new URL(preferredUri).port)
    return await platform.listenForRedirect({ preferredPort })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw oauthFailure(
      'authorization',
      'redirect_unavailable',
      `Cannot listen for the redirect of the login: ${reason}`,
      error,
    )
  }
}

async function showInBrowser(url: URL): Promise<void> {
  if (await platform.openBrowser(url.href)) return
  // To stderr: in a stdio server, stdout belongs to the protocol.
  console.error(`Open this page to log in:\n${url.href}`)
}
