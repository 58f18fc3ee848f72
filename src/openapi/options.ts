// The options of `openAPIServer()` and `openAPITools()`, and their checks.
import type { SearchToolsOptions } from '../compose/transforms/search-tools.ts'
import type { MCPServerOptions } from '../mcpserver/options.ts'
import type { ToolOptions } from '../mcpserver/tools/tool.ts'
import { rangeError, typeError } from '../primitives/help.ts'
import { assertCount, checkKeys, checkLimit, checkNestedKeys, type KnownKeys } from '../primitives/options.ts'
import type { ToolAnnotations } from '../types/features/tools.ts'
import type { MetaObject } from '../types/protocol/meta.ts'
import type { OpenAPIAnswer } from './call/api-client.ts'
import type { OpenAPIAuth } from './call/credentials.ts'
import type { ResolveDocument } from './document/load.ts'
import type { OpenAPIOperation } from './operations/collect.ts'
import type { OperationKind } from './operations/extension.ts'
import type { OperationMatch } from './operations/filter.ts'
import type { DeepArrays } from './request/styles.ts'

/** What is done with answers of the API. */
export interface OpenAPIResponseOptions {
  /** Maximum size of a result in bytes of its text (default: 100,000). Lists are cut by whole items, texts at a line. */
  maxBytes?: number | undefined
  /** Maximum size of an answer that is read at all, in bytes (default: 10 MiB). */
  maxDownloadBytes?: number | undefined
  /** What is kept of a JSON answer, before it is cut (default: all of it). */
  pick?: ((body: unknown, operation: OpenAPIOperation) => unknown) | undefined
}

/** A tool as `each` gets it, and may change it. */
export interface OpenAPITool extends Pick<ToolOptions, 'visible' | 'scopes' | 'icons' | 'timeoutMs' | 'task'> {
  /** The name of the tool. */
  name: string
  /** A name for people. */
  title?: string | undefined
  /** What the tool does, for the model. */
  description?: string | undefined
  /** The JSON Schema of the arguments. Arguments that you take out of it are not sent. */
  input: object
  /** The JSON Schema of the result; there with `strictResponses` only. */
  output?: object | undefined
  /** Hints for hosts. */
  annotations?: ToolAnnotations | undefined
  /** The `_meta` of the tool in lists. */
  meta?: MetaObject | undefined
  /** The arguments of the next page, out of an answer; the model reads them after it. `undefined` on the last page. */
  next?: ((answer: OpenAPIAnswer) => object | undefined) | undefined
}

/** Options of `openAPITools()`, and of `openAPIServer()` beside its own. */
export interface OpenAPIToolsOptions {
  /** The address of the API; replaces those of the document (default: the first server of the document). */
  baseUrl?: string | URL | undefined
  /** Values for variables in the server URLs of the document (default: those of the document). */
  variables?: Readonly<Record<string, string>> | undefined
  /** Operations that become tools (default: all). One that fits any of these is in. */
  include?: readonly OperationMatch[] | undefined
  /** Operations that are left out, also where `include` has them. */
  exclude?: readonly OperationMatch[] | undefined
  /** What an operation becomes (default: a tool). */
  as?: ((operation: OpenAPIOperation) => OperationKind | undefined) | undefined
  /** Names of tools by operation id, or by method and path as in `GET /pets`. */
  names?: Readonly<Record<string, string>> | undefined
  /** Credentials by the name of the security scheme in the document. */
  auth?: Readonly<Record<string, OpenAPIAuth>> | undefined
  /**
   * Further origins that credentials go to, as in `https://uploads.example.com` (default: none beside the origin of `baseUrl`; without
   * it that of the document's first server, or of the URL that the document was fetched from).
   */
  authOrigins?: readonly string[] | undefined
  /** Lists only tools whose security has values in `auth` (default: `false`, a call says what is missing). */
  hideWithoutAuth?: boolean | undefined
  /** Makes the scopes of the document the `scopes` of the tools, which the caller's token must have (default: `false`). */
  requireScopes?: boolean | undefined
  /** Sends credentials over plain http to other machines, where others on the network can read them (default: `false`). */
  allowInsecureAuth?: boolean | undefined
  /** Lets a document that was fetched from outside name servers in private networks (default: `false`). */
  allowPrivateAddresses?: boolean | undefined
  /** Changes a tool, or leaves it out by returning `undefined`. */
  each?: ((tool: OpenAPITool, operation: OpenAPIOperation) => OpenAPITool | undefined) | undefined
  /** Throws `OpenAPIError` for the first operation that cannot become a tool (default: `false`, it is left out and reported). */
  strict?: boolean | undefined
  /** `'short'` takes the summary alone (default: `'full'`, summary and description). */
  describe?: 'short' | 'full' | undefined
  /** `false` makes every body one argument `body` (default: `true`, properties of objects are arguments). */
  flat?: boolean | undefined
  /** The media type of a body, by operation id or by method and path (default: JSON where the document has it). */
  mediaType?: Readonly<Record<string, string>> | undefined
  /** How lists are written in parameters of the style `deepObject` (default: `'index'`, as in `a[0]=3`). */
  deepArrays?: DeepArrays | undefined
  /** Sends `null` as an empty parameter (default: `false`, it is not sent). */
  nullAsEmpty?: boolean | undefined
  /** Lists output schemas, and fails a call whose answer does not fit (default: `false`, such an answer has text only). */
  strictResponses?: boolean | undefined
  /** Limits on answers. */
  responses?: OpenAPIResponseOptions | undefined
  /** Headers of every request, such as a `User-Agent`. Those that may hold a credential go where credentials go. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Sends the requests, and fetches the document (default: the HTTP client of the runtime). */
  fetch?: typeof globalThis.fetch | undefined
  /** Maximum time for a call in milliseconds, the whole answer included (default: 30,000). */
  timeoutMs?: number | undefined
  /** Gives documents that the document refers to, other than files in and below its folder (default: none). */
  resolve?: ResolveDocument | undefined
  /** Maximum number of tools (default: 128, which is what model APIs take). `Infinity` lifts it. */
  maxTools?: number | undefined
}

/** Options of `openAPIServer()`. */
export interface OpenAPIServerOptions extends OpenAPIToolsOptions {
  /** The name of the server (default: the title of the document). */
  name?: string | undefined
  /** The version of the server (default: that of the document). */
  version?: string | undefined
  /** The search that takes the place of the list above 40 tools. `false` always lists all of them. */
  search?: false | SearchToolsOptions | undefined
  /** Further options of the server, as for `new MCPServer()`. */
  server?: Omit<MCPServerOptions, 'tools' | 'resources' | 'version'> | undefined
}

export const RESPONSE_KEYS: KnownKeys<OpenAPIResponseOptions> = {
  maxBytes: 'number',
  maxDownloadBytes: 'number',
  pick: 'function',
}

export const TOOLS_KEYS: KnownKeys<OpenAPIToolsOptions> = {
  baseUrl: true,
  variables: 'object',
  include: 'array',
  exclude: 'array',
  as: 'function',
  names: 'object',
  auth: 'object',
  authOrigins: 'array',
  hideWithoutAuth: 'boolean',
  requireScopes: 'boolean',
  allowInsecureAuth: 'boolean',
  allowPrivateAddresses: 'boolean',
  each: 'function',
  strict: 'boolean',
  describe: true,
  flat: 'boolean',
  mediaType: 'object',
  deepArrays: true,
  nullAsEmpty: 'boolean',
  strictResponses: 'boolean',
  responses: 'object',
  headers: 'object',
  fetch: 'function',
  timeoutMs: 'number',
  resolve: 'function',
  maxTools: 'number',
}

export const SERVER_KEYS: KnownKeys<OpenAPIServerOptions> = {
  name: 'string',
  ...TOOLS_KEYS,
  version: 'string',
  search: true,
  server: 'object',
}

/** Throws `TypeError` for unknown options, and `RangeError` for values out of range. */
export function checkServerOptions(options: OpenAPIServerOptions): void {
  checkKeys('openAPIServer()', options, SERVER_KEYS)
  if (options.search !== undefined && options.search !== false) {
    checkNestedKeys('openAPIServer(): search', options.search, {
      above: 'number',
      keep: 'array',
      limit: 'number',
      names: 'object',
    })
    if (options.search.above !== undefined) assertCount('search.above', options.search.above, 0)
  }
  checkValues(options)
}

export function checkToolsOptions(options: OpenAPIToolsOptions): void {
  checkKeys('openAPITools()', options, TOOLS_KEYS)
  checkValues(options)
}

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/

function checkValues({
  responses,
  timeoutMs,
  maxTools,
  describe,
  deepArrays,
  headers = {},
}: OpenAPIToolsOptions): void {
  if (responses !== undefined) checkKeys('responses', responses, RESPONSE_KEYS)
  if (responses?.maxBytes !== undefined) assertCount('responses.maxBytes', responses.maxBytes, 100)
  if (responses?.maxDownloadBytes !== undefined)
    assertCount('responses.maxDownloadBytes', responses.maxDownloadBytes, 100)
  if (timeoutMs !== undefined) checkLimit('timeoutMs', timeoutMs)
  if (maxTools !== undefined) checkLimit('maxTools', maxTools)
  checkChoice('describe', describe, ['short', 'full'])
  checkChoice('deepArrays', deepArrays, ['index', 'brackets', 'repeat'])
  for (const [name, value] of Object.entries(headers)) {
    if (HEADER.test(name) && typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)) continue
    throw typeError('bad-header', `The header ${JSON.stringify(name)} in the option headers cannot be sent.`)
  }
}

function checkChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value)) return
  const list = choices.map((choice) => `'${choice}'`).join(', ')
  throw rangeError('wrong-option', `The option ${name} must be one of ${list}, not ${JSON.stringify(value)}.`)
}
