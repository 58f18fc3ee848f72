// Blocks of content, as a model or a person would get them. Media is shown from data in the block, never from an address.
import { useMemo, useState } from 'preact/hooks'
import { Json, JsonValue } from './json.tsx'
import { clean, cleanLine, indentJson, showBytes } from './text.ts'
import { OutsideLink } from './ui.tsx'

type Members = Readonly<Record<string, unknown>>

const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/
const AUDIO = /^audio\/(?:mpeg|mp3|ogg|wav|x-wav|webm|aac|flac|mp4)$/
/** More than this is shown when asked for. */
const MAX_TEXT = 100_000

export function ContentBlock({ block }: { block: unknown }) {
  const { type, text, data, mimeType, uri, name, resource } = (block ?? {}) as Members
  if (type === 'text' && typeof text === 'string') return <TextBlock text={text} />
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return <Media data={data} mimeType={String(mimeType)} />
  }
  if (type === 'resource_link' && typeof uri === 'string') {
    return (
      <p>
        Resource: <OutsideLink url={uri} text={typeof name === 'string' ? name : uri} />
      </p>
    )
  }
  if (type === 'resource') return <ResourceContents contents={resource} />
  return <JsonValue value={block} label="Content" />
}

export function ResourceContents({ contents }: { contents: unknown }) {
  const { uri, text, blob, mimeType } = (contents ?? {}) as Members
  return (
    <div class="contents">
      <p class="muted mono">
        {cleanLine(String(uri ?? ''))} {mimeType === undefined ? '' : `· ${cleanLine(String(mimeType))}`}
      </p>
      {typeof text === 'string' ? (
        <TextBlock text={text} mimeType={String(mimeType)} />
      ) : typeof blob === 'string' ? (
        <Media data={blob} mimeType={String(mimeType)} />
      ) : (
        <JsonValue value={contents} label="Contents" />
      )}
    </div>
  )
}

function TextBlock({ text, mimeType = '' }: { text: string; mimeType?: string }) {
  const [showsAll, setShowsAll] = useState(false)
  const isJson = /json/.test(mimeType) || (/^\s*[[{]/.test(text) && indentJson(text) !== text)
  if (isJson) return <Json text={text} label="JSON text" />
  const shown = showsAll ? text : text.slice(0, MAX_TEXT)
  return (
    <>
      <pre class="text-block" tabIndex={0} role="region" aria-label="Text">
        {clean(shown)}
      </pre>
      {shown.length < text.length ? (
        <button type="button" class="button small" onClick={() => setShowsAll(true)}>
          Too large: load all {showBytes(text.length)}
        </button>
      ) : null}
    </>
  )
}

/** Of the bytes, without the padding. */
function sizeOfBase64(data: string): number {
  return Math.floor((data.replace(/[=\s]/g, '').length * 3) / 4)
}

function Media({ data, mimeType }: { data: string; mimeType: string }) {
  const source = `data:${mimeType};base64,${data}`
  const size = showBytes(sizeOfBase64(data))
  const isSound = /^[A-Za-z0-9+/=\s]*$/.test(data)
  if (isSound && IMAGE.test(mimeType)) {
    return (
      <figure>
        <img src={source} alt={`${mimeType}, ${size}, as the server sent it`} class="media" />
        <figcaption class="muted">
          {mimeType}, {size}
        </figcaption>
      </figure>
    )
  }
  if (isSound && AUDIO.test(mimeType)) {
    return (
      <figure>
        {/* biome-ignore lint/a11y/useMediaCaption: the server sends none. */}
        <audio controls src={source} />
        <figcaption class="muted">
          {mimeType}, {size}
        </figcaption>
      </figure>
    )
  }
  return <Hex data={data} label={`${cleanLine(mimeType)}, ${size}`} />
}

const HEX_BYTES = 512

function Hex({ data, label }: { data: string; label: string }) {
  const lines = useMemo(() => dump(data), [data])
  return (
    <figure>
      <pre class="code" tabIndex={0} role="region" aria-label="Bytes">
        {lines}
      </pre>
      <figcaption class="muted">{label}</figcaption>
    </figure>
  )
}

function dump(data: string): string {
  let bytes: string
  try {
    bytes = atob(
      data
        .slice(0, (HEX_BYTES / 3) * 4 + 4)
        .replace(/\s/g, '')
        .slice(0, 4 * Math.floor(HEX_BYTES / 3)),
    )
  } catch {
    return 'This is not Base64.'
  }
  const lines = []
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.slice(at, at + 16)]
    const hex = row.map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (/[\x20-\x7e]/.test(byte) ? byte : '.')).join('')
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`)
  }
  return lines.join('\n')
}
