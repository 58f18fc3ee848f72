// The page between a web host and a view: it comes from another origin, carries the policy of the view, and passes messages on.
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { checkKeys, type KnownKeys } from '../../../primitives/options.ts'
import { LimitError } from '../../../types/errors/failures.ts'
import type { ViewPolicy } from '../../../types/extensions/apps.ts'
import { allowlistOf, FEATURES, grantedPolicy, policyOf } from './policy.ts'
import { checkOrigin } from './window-channel.ts'

const PARAMETER = 'csp'
/** Servers refuse longer request lines. */
const MAX_PARAMETER_LENGTH = 8_000

/** The address of the sandbox page for a view: the policy travels in it, so that the page can be served with it as a header. */
export function sandboxUrl(base: string | URL, csp?: ViewPolicy): string {
  const url = new URL(base)
  const granted = grantedPolicy(csp)
  if (Object.keys(granted).length === 0) return url.href
  const text = JSON.stringify(granted)
  if (text.length > MAX_PARAMETER_LENGTH)
    throw new LimitError(
      'csp',
      MAX_PARAMETER_LENGTH,
      `The policy of the view takes more than ${MAX_PARAMETER_LENGTH} characters`,
    )
  url.searchParams.set(PARAMETER, text)
  return url.href
}

/** Options of `sandboxPage()`. */
export interface SandboxPageOptions {
  /** The origin of the host's own page, as in `https://chat.example.com`. No other page can show the sandbox page. */
  hostOrigin: string
}

export const SANDBOX_PAGE_KEYS: KnownKeys<SandboxPageOptions> = { hostOrigin: 'string' }

/** What the server of the sandbox origin answers. */
export interface SandboxPage {
  /** 200; 400 for a request that is not for a sandbox page, such as one that asks for the origin of the host. */
  readonly status: 200 | 400
  /** The HTTP headers to serve the page with. They hold the content security policy. */
  readonly headers: Readonly<Record<string, string>>
  /** The page to serve, on another origin than the host's. */
  readonly html: string
}

/**
 * The answer to a request for the sandbox page. `url` is that of the request, as `sandboxUrl()` made it; its path is enough. The
 * policy is a header, because a document in a frame inherits it and can't remove it. Throws for wrong options alone: whatever a
 * request asks for has an answer.
 */
export function sandboxPage(url: string | URL, options: SandboxPageOptions): SandboxPage {
  checkKeys('sandboxPage()', options, SANDBOX_PAGE_KEYS)
  const { hostOrigin } = options
  checkOrigin(hostOrigin, undefined)
  const asked = URL.canParse(url, NO_ORIGIN) ? new URL(url, NO_ORIGIN) : undefined
  if (asked === undefined) return refusal(hostOrigin, 'The address of this request is not one.')
  if (asked.origin === hostOrigin) return refusal(hostOrigin, `${OWN_ORIGIN} Serve it from another origin.`)
  const policy = readPolicy(asked.searchParams.get(PARAMETER))
  return { status: 200, headers: headersFor(policy, hostOrigin), html: pageFor(hostOrigin) }
}

/** The base of an address that is a path. */
const NO_ORIGIN = 'null://'
const OWN_ORIGIN = "The sandbox page would protect nothing on the host's own origin."

/** A page without a script. It repeats nothing of the request. */
function refusal(hostOrigin: string, reason: string): SandboxPage {
  const html = `<!doctype html>\n<html lang="en">\n<title>No sandbox page</title>\n<p>${reason}</p>\n</html>\n`
  return { status: 400, headers: headersFor(undefined, hostOrigin), html }
}

function headersFor(csp: ViewPolicy | undefined, hostOrigin: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${policyOf(csp)}; frame-ancestors ${hostOrigin}`,
    'connection-allowlist': allowlistOf(csp),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
  }
}

/** A policy that can't be read is none: the view then reaches nothing. */
function readPolicy(text: string | null): ViewPolicy | undefined {
  if (text === null || text.length > MAX_PARAMETER_LENGTH) return undefined
  try {
    const policy: unknown = JSON.parse(text)
    return isPlainObject(policy) ? policy : undefined
  } catch {
    return undefined
  }
}

/** The origin is one, so that it has no character which could end the script. */
function pageFor(hostOrigin: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sandbox</title>
<style>html,body{margin:0;height:100%;overflow:hidden}iframe{display:block;width:100%;height:100%;border:0}</style>
</head>
<body>
<script>(${relay})(${JSON.stringify(hostOrigin)},${JSON.stringify(FEATURES)})</script>
</body>
</html>
`
}

/**
 * The script of the page, as text: it runs in the browser and knows nothing of this module. It says that it is ready until it has
 * a view to show, shows one view, and passes on every message but those of its own. A view whose frame shows another document is
 * removed: what comes from there is not the view, and must not get its messages.
 */
const relay = `(hostOrigin, features) => {
  const host = window.parent
  if (host === window) return
  const RESERVED = 'ui/notifications/sandbox-'
  let frame
  let viewOrigin
  let loads = 0
  let announcements = 0
  const announce = () => {
    host.postMessage({ jsonrpc: '2.0', method: RESERVED + 'proxy-ready', params: {} }, hostOrigin)
    announcements += 1
    if (announcements === 40) clearInterval(timer)
  }
  const show = ({ html, sandbox = 'allow-scripts', permissions = {} }) => {
    clearInterval(timer)
    if (frame !== undefined || typeof html !== 'string') return
    frame = document.createElement('iframe')
    frame.setAttribute('sandbox', sandbox)
    const allowed = Object.keys(features).filter((name) => permissions[name] !== undefined)
    frame.setAttribute('allow', allowed.map((name) => features[name] + ' *').join('; '))
    viewOrigin = sandbox.split(' ').includes('allow-same-origin') ? location.origin : 'null'
    frame.srcdoc = html
    frame.addEventListener('load', () => {
      loads += 1
      if (loads > 1) frame.remove()
    })
    document.body.append(frame)
  }
  addEventListener('message', ({ data, origin, source }) => {
    const method = data === null || typeof data !== 'object' ? undefined : data.method
    const isReserved = typeof method === 'string' && method.startsWith(RESERVED)
    if (source === host && origin === hostOrigin) {
      if (method === RESERVED + 'resource-ready') show(data.params ?? {})
      else if (!isReserved) frame?.contentWindow?.postMessage(data, '*')
    } else if (source !== null && source === frame?.contentWindow && origin === viewOrigin && !isReserved) {
      host.postMessage(data, hostOrigin)
    }
  })
  const timer = setInterval(announce, 250)
  announce()
}`
