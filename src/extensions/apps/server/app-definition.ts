// An app as its author defines it: checked, and turned into the resource that hosts read.

import type { AppOptions } from '../../../mcpserver/extensions/app-options.ts'
import type { Context } from '../../../mcpserver/handlers/context.ts'
import type { ResourceOptions } from '../../../mcpserver/resources/resource.ts'
import { encodeBase64 } from '../../../primitives/base64.ts'
import { typeError } from '../../../primitives/help.ts'
import { checkKeys, checkKind, describeKind, type KnownKeys } from '../../../primitives/options.ts'
import { VIEW_MIME_TYPE, type ViewMeta, type ViewPermissions, type ViewPolicy } from '../../../types/extensions/apps.ts'
import type { BlobResourceContents, TextResourceContents } from '../../../types/features/resources.ts'
import { findPolicyProblem, POLICY_LISTS } from '../rules/domains.ts'
import { isHtmlDocument } from '../rules/html.ts'

export const APP_KEYS: KnownKeys<AppOptions> = {
  html: true,
  csp: 'object',
  permissions: 'object',
  domain: 'string',
  prefersBorder: 'boolean',
  listed: 'boolean',
  title: 'string',
  description: 'string',
  visible: 'function',
  scopes: 'array',
}

const ADVICE = { mimeType: `It is always "${VIEW_MIME_TYPE}".`, _meta: 'Set csp, permissions and domain themselves.' }
const POLICY_KEYS: KnownKeys<ViewPolicy> = {
  connectDomains: 'array',
  resourceDomains: 'array',
  frameDomains: 'array',
  baseUriDomains: 'array',
}
const PERMISSION_KEYS: KnownKeys<ViewPermissions> = {
  camera: 'object',
  microphone: 'object',
  geolocation: 'object',
  clipboardWrite: 'object',
}

function nameApp(uri: string): string {
  return `app ${JSON.stringify(uri)}`
}

/** Throws `TypeError` for a uri that can't be a view's. */
export function checkViewUri(what: string, uri: unknown): asserts uri is string {
  const isView = typeof uri === 'string' && /^ui:\/\/[^\s{}]/.test(uri) && URL.canParse(uri) && !uri.includes('{')
  if (isView) return
  const shown = typeof uri === 'string' ? JSON.stringify(uri) : describeKind(uri)
  throw typeError('bad-view', `${what} is ${shown}. Use a uri that begins with ui://, as in "ui://weather/view".`)
}

/** Throws `TypeError` for everything that is wrong with an app. */
export function checkApp(uri: string, options: AppOptions): void {
  const owner = nameApp(uri)
  checkKeys(owner, options, APP_KEYS, ADVICE)
  const { html, csp, permissions, domain } = options
  if (csp !== undefined) {
    checkKeys(`csp of ${owner}`, csp, POLICY_KEYS)
    const problem = findPolicyProblem(csp)
    if (problem !== undefined) throw typeError('bad-view', `The ${owner} can't be registered: ${problem}.`)
  }
  if (permissions !== undefined) checkKeys(`permissions of ${owner}`, permissions, PERMISSION_KEYS)
  if (domain === '')
    throw typeError(
      'bad-view',
      `The domain of ${owner} is empty. Leave it out, or use the form that the host documents.`,
    )
  if (typeof html !== 'function') checkHtml(owner, html)
}

/** Throws `TypeError` for what is not a whole document. */
function checkHtml(owner: string, html: unknown): asserts html is string | Uint8Array {
  const text = html instanceof Uint8Array ? decode(owner, html) : html
  checkKind(`The html of ${owner}`, text, 'string', "html: '<!doctype html>…', bytes, or a function that returns them")
  if (!isHtmlDocument(text as string)) {
    throw typeError(
      'bad-view',
      `The html of ${owner} is not a whole document. Begin it with <!doctype html>; a path is not read.`,
    )
  }
}

function decode(owner: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw typeError('bad-view', `The html of ${owner} is not UTF-8. Save the file as UTF-8.`)
  }
}

type ViewResource = ResourceOptions & { read: (variables: object, ctx: Context) => unknown }

/** Options and reader of the resource. What the app does not have is `undefined`, so that an update can take it away. */
export function resourceOf(uri: string, options: AppOptions): ViewResource {
  const { html, title, description, visible, scopes, listed = false } = options
  const ui = metaOf(options)
  const contentsOf = (given: string | Uint8Array) => [contentsFor(uri, given, ui)]
  const fixed = typeof html === 'function' ? undefined : contentsOf(html)
  const read = async (_variables: object, ctx: Context) => {
    if (fixed !== undefined) return fixed
    const given = await (html as (ctx: Context) => unknown)(ctx)
    checkHtml(nameApp(uri), given)
    return contentsOf(given)
  }
  const meta = ui === undefined ? undefined : { ui }
  return { mimeType: VIEW_MIME_TYPE, title, description, visible, scopes, listed, meta, read } as ViewResource
}

function contentsFor(
  uri: string,
  html: string | Uint8Array,
  meta: ViewMeta | undefined,
): TextResourceContents | BlobResourceContents {
  const members = { uri, mimeType: VIEW_MIME_TYPE, ...(meta !== undefined && { _meta: { ui: meta } }) }
  return typeof html === 'string' ? { ...members, text: html } : { ...members, blob: encodeBase64(html) }
}

/** What hosts read of the view: the same on the listing and on the contents. `undefined` where there is nothing to say. */
function metaOf({ csp, permissions, domain, prefersBorder }: AppOptions): ViewMeta | undefined {
  const meta: ViewMeta = {
    ...(csp !== undefined && { csp }),
    ...(permissions !== undefined && { permissions }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  }
  return Object.keys(meta).length === 0 ? undefined : meta
}

/** The domains that an app reaches, of all kinds. */
export function domainsOf({ csp }: AppOptions): readonly string[] {
  return POLICY_LISTS.flatMap((list) => csp?.[list] ?? [])
}
