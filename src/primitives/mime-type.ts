// MIME types by file extension, for common kinds of files.

const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['aac', 'audio/aac'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  ['c', 'text/x-c'],
  ['cpp', 'text/x-c++'],
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['flac', 'audio/flac'],
  ['gif', 'image/gif'],
  ['go', 'text/x-go'],
  ['gz', 'application/gzip'],
  ['h', 'text/x-c'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['ico', 'image/vnd.microsoft.icon'],
  ['ini', 'text/plain'],
  ['java', 'text/x-java'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['jsonl', 'application/jsonl'],
  ['log', 'text/plain'],
  ['m4a', 'audio/mp4'],
  ['markdown', 'text/markdown'],
  ['md', 'text/markdown'],
  ['mjs', 'text/javascript'],
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['ogg', 'audio/ogg'],
  ['otf', 'font/otf'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['py', 'text/x-python'],
  ['rb', 'text/x-ruby'],
  ['rs', 'text/x-rust'],
  ['rtf', 'application/rtf'],
  ['sh', 'application/x-sh'],
  ['sql', 'application/sql'],
  ['svg', 'image/svg+xml'],
  ['tar', 'application/x-tar'],
  ['tiff', 'image/tiff'],
  ['toml', 'application/toml'],
  ['ts', 'text/x-typescript'],
  ['tsv', 'text/tab-separated-values'],
  ['tsx', 'text/x-typescript'],
  ['ttf', 'font/ttf'],
  ['txt', 'text/plain'],
  ['wasm', 'application/wasm'],
  ['wav', 'audio/wav'],
  ['webm', 'video/webm'],
  ['webp', 'image/webp'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['zip', 'application/zip'],
])

const TEXTUAL: ReadonlySet<string> = new Set([
  'application/json',
  'application/jsonl',
  'application/rtf',
  'application/sql',
  'application/toml',
  'application/x-sh',
  'application/xml',
  'application/yaml',
])

/** `undefined` for an unknown extension. */
export function mimeTypeOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 1 ? undefined : BY_EXTENSION.get(name.slice(dot + 1).toLowerCase())
}

/** Whether contents of this type are meant to be text, with or without parameters. */
export function isTextType(mimeType: string): boolean {
  const [type = ''] = mimeType.toLowerCase().split(';')
  const essence = type.trim()
  return essence.startsWith('text/') || /\+(?:json|xml)$/.test(essence) || TEXTUAL.has(essence)
}
