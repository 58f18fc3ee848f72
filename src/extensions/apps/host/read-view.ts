// Fetches the view of a tool from the server that owns the tool, and checks it before anything shows it.

import { decodeBase64 } from '../../../primitives/base64.ts'
import { typeError } from '../../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../../primitives/json/objects.ts'
import { checkKeys, checkLimit, describeKind, type KnownKeys } from '../../../primitives/options.ts'
import { quoteShort } from '../../../primitives/quote.ts'
import { LimitError } from '../../../types/errors/failures.ts'
import { VIEW_MIME_TYPE, type ViewMeta, type ViewPermissions, type ViewPolicy } from '../../../types/extensions/apps.ts'
import type { ReadResourceResult, Resource } from '../../../types/features/resources.ts'
import type { Tool } from '../../../types/features/tools.ts'
import { isHtmlDocument } from '../rules/html.ts'
import { grantedPermissions, grantedPolicy } from './policy.ts'
import { uiOf } from './tools.ts'

/** A view as a host shows it. Policy and permissions hold only what is usable. */
export interface View {
  /** The address of the view, such as `ui://app/chart`. */
  readonly uri: string
  /** The whole HTML document. */
  readonly html: string
  /** The origins that the view may load from and connect to. */
  readonly csp: ViewPolicy
  /** What the view may use, such as the camera. */
  readonly permissions: ViewPermissions
  /** The origin that the view asks to run on. A host may ignore it. */
  readonly domain?: string
  /** True if the view wants a border around it, false if not. The host decides if it is left out. */
  readonly prefersBorder?: boolean
}

/** The part of a `Client` that reads views. */
export interface ViewSource {
  /** Reads a resource of the server. `Client` has it. */
  readResource(uri: string, options?: { signal?: AbortSignal }): Promise<ReadResourceResult>
}

/** Options of `readView()`. */
export interface ReadViewOptions {
  /** The view's entry of `resources/list`, if there is one. What the contents say goes before it. */
  listed?: Resource | undefined
  /** Maximum size of the HTML in bytes (default: 10 MiB). */
  maxBytes?: number | undefined
  /** Cancels the request. */
  signal?: AbortSignal | undefined
}

export const READ_VIEW_KEYS: KnownKeys<ReadViewOptions> = { listed: 'object', maxBytes: 'number', signal: 'object' }

const MAX_BYTES = 10 * 1024 * 1024

/**
 * Reads the view that a tool names. `client` must be the client of the server that lists the tool. Throws `TypeError` for a tool
 * without a view and for contents that are no view, and `LimitError` for contents that are too large.
 */
export async function readView(
  client: ViewSource,
  tool: Pick<Tool, '_meta'> & Partial<Pick<Tool, 'name'>>,
  options: ReadViewOptions = {},
): Promise<View> {
  checkKeys('readView()', options, READ_VIEW_KEYS)
  if (typeof tool !== 'object' || tool === null) {
    const given = typeof tool === 'string' ? show(tool) : describeKind(tool)
    throw typeError(
      'bad-view',
      `The second argument of readView() must be a tool as client.tools() lists it, not ${given}.`,
    )
  }
  const { listed, signal } = options
  const maxBytes = checkLimit('maxBytes', options.maxBytes ?? MAX_BYTES)
  const uri = uiOf(tool)?.resourceUri
  if (uri === undefined) {
    throw typeError(
      'bad-view',
      `The tool ${show(tool.name)} has no view. Call readView() for tools with a uri in uiOf(tool).`,
    )
  }
  const { contents } = await client.readResource(uri, signal === undefined ? {} : { signal })
  const only: unknown = contents.length === 1 ? contents[0] : undefined
  if (!isPlainObject(only)) {
    throw typeError(
      'bad-view',
      `The view ${show(uri)} has ${contents.length} contents. The server must send exactly one.`,
    )
  }
  checkMimeType(uri, only['mimeType'])
  const html = readHtml(uri, only, maxBytes)
  if (!isHtmlDocument(html)) {
    throw typeError('bad-view', `The view ${show(uri)} is not an HTML document. The server must send a whole one.`)
  }
  return { uri, html, ...mergeMeta(ownMember(listed?._meta, 'ui'), ownMember(only['_meta'], 'ui')) }
}

function checkMimeType(uri: string, mimeType: unknown): void {
  if (mimeType === VIEW_MIME_TYPE) return
  const given = mimeType === undefined ? 'no MIME type' : `the MIME type ${show(mimeType)}`
  throw typeError('bad-view', `The view ${show(uri)} has ${given}. The server must send "${VIEW_MIME_TYPE}".`)
}

function readHtml(uri: string, { text, blob }: Record<string, unknown>, maxBytes: number): string {
  const isTooLarge = (length: number) => {
    if (length > maxBytes)
      throw new LimitError('maxBytes', maxBytes, `The view ${show(uri)} is larger than ${maxBytes} bytes`)
  }
  if (typeof text === 'string') {
    isTooLarge(text.length)
    isTooLarge(new TextEncoder().encode(text).length)
    return text
  }
  if (typeof blob === 'string') {
    isTooLarge(Math.floor((blob.length / 4) * 3) - 2)
    const bytes = decodeBase64(blob)
    if (bytes !== undefined) {
      isTooLarge(bytes.length)
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      } catch {
        throw typeError('bad-view', `The view ${show(uri)} is not UTF-8. The server must send it as UTF-8.`)
      }
    }
  }
  throw typeError(
    'bad-view',
    `The view ${show(uri)} has neither text nor a Base64 blob. The server must send one of them.`,
  )
}

/** Spec apps, UI resource: each member of the contents goes before that of the listing. */
function mergeMeta(listed: unknown, given: unknown): Omit<View, 'uri' | 'html'> {
  const member = (name: keyof ViewMeta) => ownMember(given, name) ?? ownMember(listed, name)
  const domain = member('domain')
  const prefersBorder = member('prefersBorder')
  return {
    csp: grantedPolicy(member('csp') as ViewPolicy | undefined),
    permissions: grantedPermissions(member('permissions') as ViewPermissions | undefined),
    ...(typeof domain === 'string' && { domain }),
    ...(typeof prefersBorder === 'boolean' && { prefersBorder }),
  }
}

/** Long enough for the addresses of views. */
const MAX_SHOWN = 200

function show(value: unknown): string {
  return quoteShort(value, MAX_SHOWN)
}
