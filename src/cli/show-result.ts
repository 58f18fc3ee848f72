// What a call brought back, as text for a terminal. Pictures and sounds are told of, not shown.
import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from 'mcpwire'
import { isPlainObject } from '../primitives/objects.ts'
import { showJSON, showLine, showText } from './terminal-text.ts'

export function showToolResult({ content, structuredContent }: CallToolResult): string {
  const shown = content.map(showBlock)
  const isSaidAlready = content.some((block) => block.type === 'text' && says(block.text, structuredContent))
  if (structuredContent !== undefined && !isSaidAlready) shown.push(showJSON(structuredContent))
  return shown.join('\n')
}

export function showContents({ contents }: ReadResourceResult): string {
  return contents
    .map((item) =>
      'text' in item ? showText(item.text) : `[${showLine(item.uri)}: ${showBytes(item.blob, item.mimeType)}]`,
    )
    .join('\n')
}

export function showPrompt({ messages }: GetPromptResult): string {
  return messages.map(({ role, content }) => `${role}: ${showBlock(content)}`).join('\n')
}

function showBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return showText(block.text)
    case 'image':
    case 'audio':
      return `[${block.type}: ${showBytes(block.data, block.mimeType)}]`
    case 'resource_link':
      return `[link: ${showLine(block.name)} ${showLine(block.uri)}]`
    case 'resource':
      return showContents({ contents: [block.resource] })
    default:
      return showJSON(block)
  }
}

function showBytes(base64: string, mimeType: string | undefined): string {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='))
  const bytes = Math.floor(((base64.length - padding) * 3) / 4)
  return `${showLine(mimeType ?? 'application/octet-stream')}, ${bytes.toLocaleString('en')} bytes`
}

/** A tool's text is usually its structured content once more, or the value that is wrapped in it. */
function says(text: string, structured: unknown): boolean {
  const wrapped = isPlainObject(structured) && Object.keys(structured).length === 1 ? structured['result'] : undefined
  if (wrapped === text) return true
  const said = [structured, wrapped].filter((value) => value !== undefined).map((value) => JSON.stringify(value))
  try {
    return said.includes(JSON.stringify(JSON.parse(text)))
  } catch {
    return false
  }
}
