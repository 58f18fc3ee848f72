// Where a document comes from: an object, a text, a file or a URL; and the documents that it refers to.

import { platform } from '#platform'
import { createFetchPoster } from '../../http/fetch-poster.ts'
import type { Poster } from '../../http/poster.ts'
import { followRedirects } from '../../http/redirects.ts'
import { limitTotalTime } from '../../primitives/async/abort.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { describeKind } from '../../primitives/options.ts'
import type { TextFile } from '../../primitives/platform.ts'
import { quoteShort } from '../../primitives/quote.ts'
import { LimitError } from '../../types/errors/failures.ts'
import { Library, type LoadedDocument, resolveUri } from './library.ts'
import { textAt } from './members.ts'
import { OpenAPIError } from './openapi-error.ts'
import { MAX_DOCUMENT_BYTES, parseText, tooLarge } from './parse.ts'
import { surveyDocument } from './survey.ts'

/** An OpenAPI document: parsed, as JSON or YAML text, as the path of a file, or as a URL that it is fetched from once. */
export type OpenAPIDocument = object | string | URL

/** Gives a document that another one refers to, parsed or as text; `undefined` for one that may not be had. */
export type ResolveDocument = (uri: string) => object | string | undefined | Promise<object | string | undefined>

export interface LoadOptions {
  readonly resolve?: ResolveDocument | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

export interface LoadedLibrary {
  readonly library: Library
  /** Where the document was fetched from; `undefined` for one that the author has at hand. */
  readonly fetchedFrom: URL | undefined
}

const FETCH_TIMEOUT_MS = 30_000
const MAX_DOCUMENTS = 1_000
/** Deep enough that no reference of a document gets above it by `..` without being seen. */
const FOLDER = `folder:///${'-/'.repeat(64)}`

const MAX_PATH = 4_096

/** Throws `TypeError` for what is no document, and `OpenAPIError` for one that cannot be read. */
export async function loadDocument(document: OpenAPIDocument, options: LoadOptions): Promise<LoadedLibrary> {
  if (typeof document === 'string' || document instanceof URL) {
    const text = String(document)
    if (/^https?:\/\//i.test(text)) return loadUrl(new URL(text), options)
    if (/^\s*\{|\n/.test(text)) return loadText(text, options)
    return loadFile(text, options)
  }
  if (!isPlainObject(document)) {
    throw typeError(
      'wrong-argument',
      `An OpenAPI document must be an object, a text, a path or a URL, not ${describeKind(document)}.`,
    )
  }
  return { library: await collect(document, '', undefined, options), fetchedFrom: undefined }
}

async function loadText(text: string, options: LoadOptions): Promise<LoadedLibrary> {
  const value = await parseText(text, 'The OpenAPI document')
  return { library: await collect(value, '', undefined, options), fetchedFrom: undefined }
}

async function loadFile(path: string, options: LoadOptions): Promise<LoadedLibrary> {
  if (path.length > MAX_PATH)
    throw new OpenAPIError(`The OpenAPI document is neither JSON nor YAML, nor a path: ${quoteShort(path)}.`)
  let file: TextFile
  try {
    file = await platform.openTextFile(path, MAX_DOCUMENT_BYTES)
  } catch (cause) {
    if (cause instanceof LimitError) throw tooLarge(path)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new OpenAPIError(`The OpenAPI document ${path} cannot be read: ${reason}`, '#', { cause })
  }
  const name = encodeURIComponent(path.split(/[\\/]/).at(-1) ?? 'document')
  const value = await parseText(file.text, path)
  return { library: await collect(value, `${FOLDER}${name}`, file, options), fetchedFrom: undefined }
}

async function loadUrl(url: URL, options: LoadOptions): Promise<LoadedLibrary> {
  const own = options.fetch === undefined ? await platform.createPoster() : undefined
  const poster = (own as Poster | undefined) ?? createFetchPoster(options.fetch)
  const shown = `${url.origin}${url.pathname}`
  const overdue = () => new OpenAPIError(`${shown} was not there after ${FETCH_TIMEOUT_MS} ms.`)
  const total = limitTotalTime(FETCH_TIMEOUT_MS, undefined, overdue)
  try {
    const accept = 'application/json, application/yaml, */*;q=0.5'
    const request = { method: 'GET', url: url.href, headers: { accept }, ...(total.signal && { signal: total.signal }) }
    const response = await followRedirects(poster)(request)
    if (response.status !== 200) {
      response.cancel()
      throw new OpenAPIError(
        `The OpenAPI document ${shown} cannot be fetched: the server answered HTTP ${response.status}.`,
      )
    }
    const value = await parseText(await response.text(MAX_DOCUMENT_BYTES), shown)
    return { library: await collect(value, url.href, undefined, options), fetchedFrom: url }
  } catch (cause) {
    if (cause instanceof OpenAPIError) throw cause
    if (cause instanceof LimitError) throw tooLarge(shown)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new OpenAPIError(`The OpenAPI document ${shown} cannot be fetched: ${reason}`, '#', { cause })
  } finally {
    total.clear()
    poster.close?.()
  }
}

/** Loads what the document refers to, and what that refers to, as far as it may be had. */
async function collect(
  value: unknown,
  location: string,
  folder: TextFile | undefined,
  options: LoadOptions,
): Promise<Library> {
  const base = resolveUri(textAt(value, '$self') ?? '', location) || location
  const root: LoadedDocument = { base, value, survey: surveyDocument(value) }
  const library = new Library(root)
  const waiting = [root]
  let count = 0
  for (let from = waiting.shift(); from !== undefined; from = waiting.shift()) {
    for (const reference of from.survey.outside) {
      const uri = resolveUri(reference, from.base)
      if (uri === '' || library.has(uri)) continue
      count += 1
      if (count > MAX_DOCUMENTS) {
        throw new OpenAPIError(`The document refers to more than ${MAX_DOCUMENTS} others.`)
      }
      const found = await loadOther(uri, folder, options)
      if (found === undefined) continue
      const loaded = { base: uri, value: found, survey: surveyDocument(found) }
      library.add(loaded)
      waiting.push(loaded)
    }
  }
  return library
}

async function loadOther(uri: string, folder: TextFile | undefined, { resolve }: LoadOptions): Promise<unknown> {
  if (folder !== undefined && uri.startsWith(FOLDER)) {
    const path = decodePath(uri.slice(FOLDER.length))
    const text = path === undefined ? undefined : await readBelow(folder, path)
    if (text !== undefined) return parseText(text, path as string)
  }
  const given = await resolve?.(uri)
  return typeof given === 'string' ? parseText(given, uri) : given
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** What is missing, or may not be read, stays unresolved: only operations that need it are left out. */
async function readBelow(folder: TextFile, path: string): Promise<string | undefined> {
  try {
    return await folder.readBelow(path, MAX_DOCUMENT_BYTES)
  } catch (error) {
    if (error instanceof LimitError) throw tooLarge(path)
    return undefined
  }
}
