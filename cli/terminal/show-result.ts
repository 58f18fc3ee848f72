// Results of calls, resources and prompts as text for people.
import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from 'mcpwire'
import { isPlainObject } from './primitives.ts'
import { showJSON, showLine, showText } from './terminal-text.ts'

/** Where a block, or the contents of a resource, was saved. */
export type SavedPlaces = ReadonlyMap<object, string>

export function showToolResult({ content, structuredContent }: CallToolResult, saved?: SavedPlaces): string {
  const shown = content.map((block) => showBlock(block, saved))
  const isRepeated = content.some((block) => block.type === 'text' && repeatsStructured(block.text, structuredContent))
  if (structuredContent !== undefined && !isRepeated) shown.push(showJSON(structuredContent))
  return shown.join('\n')
}

export function showContents({ contents }: ReadResourceResult, saved?: SavedPlaces): string {
  return contents
    .map((item) =>
      'text' in item
        ? showText(item.text)
        : `[${showLine(item.uri)}: ${showBytes(item.blob, item.mimeType)}${showPlace(item, saved)}]`,
    )
    .join('\n')
}

export function showPrompt({ messages }: GetPromptResult): string {
  return messages.map(({ role, content }) => `${role}: ${showBlock(content)}`).join('\n')
}

function showBlock(block: ContentBlock, saved?: SavedPlaces): string {
  switch (block.type) {
    case 'text':
      return showText(block.text)
    case 'image':
    case 'audio':
      return `[${block.type}: ${showBytes(block.data, block.mimeType)}${showPlace(block, saved)}]`
    case 'resource_link':
      return `[link: ${showLine(block.name)} ${showLine(block.uri)}]`
    case 'resource':
      return showContents({ contents: [block.resource] }, saved)
    default:
      return showJSON(block)
  }
}

function showPlace(item: object, saved: SavedPlaces | undefined): string {
  const place = saved?.get(item)
  return place === undefined ? '' : `, saved to ${showLine(place)}`
}

function showBytes(base64: string, mimeType: string | undefined): string {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='))
  const bytes = Math.floor(((base64.length - padding) * 3) / 4)
  return `${showLine(mimeType ?? 'application/octet-stream')}, ${bytes.toLocaleString('en')} bytes`
}

/** A tool's text is usually its structured content once more, or the value that is wrapped in it. */
function repeatsStructured(text: string, structured: unknown): boolean {
  const wrapped = isPlainObject(structured) && Object.keys(structured).length === 1 ? structured['result'] : undefined
  if (wrapped === text) return true
  const equivalents = [structured, wrapped].filter((value) => value !== undefined).map((value) => JSON.stringify(value))
  try {
    return equivalents.includes(JSON.stringify(JSON.parse(text)))
  } catch {
    return false
  }
}
