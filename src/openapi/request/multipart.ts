// multipart/form-data by RFC 7578 and the rules that browsers follow.
import type { WrittenBody } from './bodies.ts'

export interface Part {
  readonly name: string
  readonly type: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fileName?: string
  readonly content: string | Uint8Array
}

const encoder = new TextEncoder()

/** The boundary is random, so that no value can end its part. */
export function createMultipart(mediaType: string, parts: readonly Part[]): WrittenBody {
  const boundary = `mcpwire-${crypto.randomUUID()}`
  const pieces = parts.flatMap((part) => [encoder.encode(headOf(part, boundary, mediaType)), bytesOf(part), LINE_END])
  pieces.push(encoder.encode(`--${boundary}--\r\n`))
  const [essence = 'multipart/form-data'] = mediaType.split(';')
  return { contentType: `${essence.trim()}; boundary=${boundary}`, body: join(pieces) }
}

const LINE_END = encoder.encode('\r\n')

function headOf({ name, type, fileName, headers }: Part, boundary: string, mediaType: string): string {
  const disposition = mediaType.startsWith('multipart/form-data') ? 'form-data' : 'attachment'
  const file = fileName === undefined ? '' : `; filename="${escapeName(fileName)}"`
  const lines = [
    `--${boundary}`,
    `Content-Disposition: ${disposition}; name="${escapeName(name)}"${file}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** HTML, multipart/form-data encoding: only these three could end the name. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function bytesOf({ content }: Part): Uint8Array {
  return typeof content === 'string' ? encoder.encode(content) : content
}

function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
