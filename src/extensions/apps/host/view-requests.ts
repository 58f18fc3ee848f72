// What a view asks of its host: links, messages, context for the model, files. Each is checked before the host hears of it.
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { ViewDownload } from '../../../types/extensions/apps.ts'
import type { ContentBlock } from '../../../types/features/content.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { LATEST_PROTOCOL_VERSION } from '../../../types/protocol/versions.ts'
import { grammarOf } from '../../../wire/shapes/grammar.ts'
import { formatMisfit } from '../../../wire/shapes/misfit.ts'
import { cleanFileName } from './file-name.ts'
import type { AppHostOptions, ViewFile } from './host-options.ts'
import { invalid } from './view-calls.ts'

/** Other schemes run code or programs. */
const LINK_SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:', 'mailto:'])
const MAX_LINK_LENGTH = 8_192

/** Answers a request of the view, or throws -32601 where the host has no handler for it. */
export async function answerViewRequest(
  options: AppHostOptions,
  method: string,
  params: JSONObject,
): Promise<JSONObject> {
  switch (method) {
    case 'ui/open-link':
      return outcomeOf(await handlerOf(options, 'onOpenLink', method)(readLink(params)))
    case 'ui/message':
      return outcomeOf(await handlerOf(options, 'onMessage', method)(readMessage(params)))
    case 'ui/download-file':
      return outcomeOf(await handlerOf(options, 'onDownload', method)(readFiles(params)))
    case 'ui/update-model-context': {
      const isRefused = (await handlerOf(options, 'onModelContext', method)(readModelContext(params))) === false
      if (isRefused) throw new MCPError(ErrorCode.InvalidRequest, 'The host refused the context')
      return {}
    }
    default:
      throw unknownMethod(method)
  }
}

export function unknownMethod(method: string): MCPError {
  return new MCPError(ErrorCode.MethodNotFound, `The host does not answer '${method.slice(0, 128)}'`)
}

function handlerOf<Name extends 'onOpenLink' | 'onMessage' | 'onDownload' | 'onModelContext'>(
  options: AppHostOptions,
  name: Name,
  method: string,
): NonNullable<AppHostOptions[Name]> {
  const handler = options[name]
  if (handler === undefined) throw unknownMethod(method)
  return handler
}

function outcomeOf(consent: unknown): JSONObject {
  return consent === false ? { isError: true } : {}
}

function readLink({ url }: JSONObject): string {
  const isLink =
    typeof url === 'string' &&
    url.length <= MAX_LINK_LENGTH &&
    URL.canParse(url) &&
    LINK_SCHEMES.has(new URL(url).protocol)
  if (!isLink) throw invalid('url must be an https:, http: or mailto: link')
  return new URL(url).href
}

function readMessage({ role, content }: JSONObject): { role: 'user'; content: ContentBlock[] } {
  if (role !== 'user') throw invalid('role must be "user"')
  // One block in examples of the specification, a list in its types.
  return { role, content: readContent(isPlainObject(content) ? [content] : content) }
}

function readModelContext({ content, structuredContent }: JSONObject): {
  content?: ContentBlock[]
  structuredContent?: JSONObject
} {
  if (structuredContent !== undefined && !isPlainObject(structuredContent)) {
    throw invalid('structuredContent must be an object')
  }
  return {
    ...(content !== undefined && { content: readContent(content) }),
    ...(structuredContent !== undefined && { structuredContent }),
  }
}

function readContent(content: unknown): ContentBlock[] {
  return readList('content', content) as ContentBlock[]
}

function readFiles({ contents }: JSONObject): ViewFile[] {
  const list = readList('contents', contents) as ViewDownload['contents']
  return list.map((content) => {
    if (content.type === 'resource') return { fileName: cleanFileName(content.resource.uri), content }
    if (content.type === 'resource_link') return { fileName: cleanFileName(content.name), content }
    throw invalid('contents must be resources or resource links')
  })
}

function readList(name: string, list: unknown): unknown[] {
  if (!Array.isArray(list)) throw invalid(`${name} must be a list`)
  for (const item of list) {
    const misfit = grammarOf(LATEST_PROTOCOL_VERSION).misfit('ContentBlock', item)
    if (misfit !== undefined) throw invalid(`${name}: ${formatMisfit(misfit)}`)
  }
  return list
}
