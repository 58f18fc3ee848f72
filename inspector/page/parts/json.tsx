// JSON with colours, as text nodes: what a server sends is never markup.
import { useMemo, useState } from 'preact/hooks'
import { clean, indentJson, showBytes } from './text.ts'

/** Above this, colours cost more than they help. */
const MAX_COLOURED = 40_000
/** Above this, the rest is shown when asked for. */
const MAX_SHOWN = 200_000

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

export function Json({ text, label }: { text: string; label: string }) {
  const [showsAll, setShowsAll] = useState(false)
  const pretty = useMemo(() => clean(indentJson(text)), [text])
  const isLong = pretty.length > MAX_SHOWN && !showsAll
  const shown = isLong ? pretty.slice(0, MAX_SHOWN) : pretty
  return (
    <div class="json">
      <pre class="code" tabIndex={0} role="region" aria-label={label}>
        {shown.length > MAX_COLOURED ? shown : colour(shown)}
      </pre>
      {isLong ? (
        <button type="button" class="button small" onClick={() => setShowsAll(true)}>
          Show all {showBytes(pretty.length)}
        </button>
      ) : null}
    </div>
  )
}

export function JsonValue({ value, label }: { value: unknown; label: string }) {
  return <Json text={JSON.stringify(value) ?? 'null'} label={label} />
}

function colour(text: string) {
  const parts = []
  let at = 0
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match
    if (match.index > at) parts.push(text.slice(at, match.index))
    const kind = string === undefined ? (/[tfn]/.test(whole[0] ?? '') ? 'word' : 'number') : colon ? 'key' : 'string'
    parts.push(
      <span key={match.index} class={`json-${kind}`}>
        {whole}
      </span>,
    )
    at = match.index + whole.length
  }
  parts.push(text.slice(at))
  return parts
}
