// Media types of bodies and answers: which one is taken, and what is done with it.

/** How a body is written or read. */
export type MediaKind = 'json' | 'lines' | 'form' | 'multipart' | 'text' | 'xml' | 'binary' | 'events' | 'media'

/** The type without parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] as string).trim().toLowerCase()
}

const LINES = /^application\/(?:json-seq|x-ndjson|jsonl|x-jsonlines|x-json-stream)$/
const TEXT_TYPES = /^(?:text\/|application\/(?:yaml|x-yaml|toml|graphql|javascript|x-sh|sql)$)|\+yaml$/

export function kindOf(mediaType: string): MediaKind {
  const type = essenceOf(mediaType)
  if (LINES.test(type)) return 'lines'
  if (type === 'application/json' || type === 'text/json' || /\+json$/.test(type)) return 'json'
  if (type === '*/*' || type === 'application/*') return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type.startsWith('multipart/')) return 'multipart'
  if (type === 'text/event-stream') return 'events'
  if (/^(?:application|text)\/xml$|\+xml$/.test(type)) return type === 'image/svg+xml' ? 'media' : 'xml'
  if (TEXT_TYPES.test(type)) return 'text'
  return /^(?:image|audio)\//.test(type) ? 'media' : 'binary'
}

/** The order in which types of a request are taken; the first that the document has. */
function rankOf(mediaType: string): number {
  const type = essenceOf(mediaType)
  if (type === 'application/json') return 0
  const kind = kindOf(type)
  if (kind === 'json') return type === 'text/json' ? 2 : type.includes('*') ? 3 : 1
  if (kind === 'form') return 4
  if (kind === 'multipart') return 5
  if (kind === 'text') return 6
  if (type === 'application/octet-stream') return 7
  return 8
}

/** The type to send; that of the document's order where two rank alike. */
export function chooseMediaType(types: readonly string[]): string | undefined {
  let best: string | undefined
  for (const type of types) if (best === undefined || rankOf(type) < rankOf(best)) best = type
  return best
}

/** A type that a request can name: wildcards are JSON, as most bodies are. */
export function concreteType(mediaType: string): string {
  return mediaType.includes('*') ? 'application/json' : mediaType
}

/** RFC 9110: a type, a subtype, and no parameter that could end the header. */
export function isMediaType(text: string): boolean {
  return /^[\w!#$&^.+*-]{1,100}\/[\w!#$&^.+*-]{1,100}(?:\s*;\s*[\w.-]{1,100}=(?:[\w.+/-]{1,100}|"[\w .+/-]{0,100}"))*$/.test(
    text,
  )
}
