// Logs: messages of the server, the standard error of its program, and what the inspector has to say.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { LogEntry } from '../../protocol/entries.ts'
import { ListAndDetail } from '../parts/columns.tsx'
import { clean, cleanLine, indentJson, plural, showTime } from '../parts/text.ts'
import { CopyButton, Empty, HiddenTitle } from '../parts/ui.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { entriesOf } from '../state/store.ts'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const SOURCES = {
  all: 'all sources',
  server: 'log of the server',
  stderr: 'stderr',
  client: 'inspector',
  reload: 'reloads',
}

const level = signal('debug')
const source = signal<keyof typeof SOURCES>('all')
const text = signal('')

const ROW_HEIGHT = 28

export function Logs() {
  const [chosen, setChosen] = useState<number>()
  const all = entriesOf('log')
  const rows = all.filter(isWanted)
  const entry = rows.find(({ n }) => n === chosen)
  const at = rows.findIndex(({ n }) => n === chosen)
  const move = (event: KeyboardEvent) => {
    const step =
      event.key === 'ArrowDown' || event.key === 'j' ? 1 : event.key === 'ArrowUp' || event.key === 'k' ? -1 : 0
    const next = step === 0 ? undefined : rows[at < 0 ? rows.length - 1 : at + step]
    if (next === undefined) return
    event.preventDefault()
    setChosen(next.n)
  }
  return (
    <ListAndDetail
      names={['Logs', 'Line']}
      item={chosen === undefined ? undefined : String(chosen)}
      state={all.length === 0 ? 'none' : 'live'}
      isChosen={entry !== undefined}
    >
      <section class="message-list work" aria-label="Logs">
        <HiddenTitle>Logs</HiddenTitle>
        <div class="toolbar">
          <input
            type="search"
            class="input filter"
            data-filter
            placeholder="Filter by text"
            aria-label="Filter logs"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value
            }}
          />
          <select
            class="input"
            aria-label="Lowest level"
            value={level.value}
            onChange={(event) => {
              level.value = event.currentTarget.value
            }}
          >
            {LEVELS.map((one) => (
              <option key={one} value={one}>
                {one} and above
              </option>
            ))}
          </select>
          <select
            class="input"
            aria-label="Source"
            value={source.value}
            onChange={(event) => {
              source.value = event.currentTarget.value as 'all'
            }}
          >
            {Object.entries(SOURCES).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <p class="muted list-summary">
          {plural(rows.length, 'line')}
          {rows.length < all.length ? ` of ${all.length.toLocaleString('en')}` : ''}
        </p>
        {all.length === 0 ? (
          <Empty title="No log messages yet.">
            <p class="hint">What the server logs with ctx.log, or prints to stderr, is shown here.</p>
          </Empty>
        ) : null}
        {all.length === 0 ? null : (
          <VirtualList
            label="Log lines, arrow keys choose"
            items={rows}
            rowHeight={ROW_HEIGHT}
            follows
            shown={at}
            onKeyDown={move}
            row={(row) => (
              <button
                type="button"
                key={row.n}
                class={`message-row log-row level-${row.level}`}
                tabIndex={-1}
                aria-current={row.n === chosen}
                onClick={() => setChosen(row.n)}
              >
                <span class="message-time muted">{showTime(row.time)}</span>
                <span class="log-level">{cleanLine(row.source === 'stderr' ? 'stderr' : row.level)}</span>
                <span class="message-what">{cleanLine(row.text.slice(0, 300))}</span>
              </button>
            )}
          />
        )}
      </section>
      <aside class="side wide" aria-label="Log message">
        {entry === undefined ? <p class="hint">Choose a line.</p> : <Line entry={entry} />}
      </aside>
    </ListAndDetail>
  )
}

function isWanted(entry: LogEntry): boolean {
  if (source.value !== 'all' && entry.source !== source.value) return false
  const rank = LEVELS.indexOf(entry.level)
  if (rank >= 0 && rank < LEVELS.indexOf(level.value)) return false
  return entry.text.toLowerCase().includes(text.value.toLowerCase())
}

function Line({ entry }: { entry: LogEntry }) {
  const shown = indentJson(entry.text)
  return (
    <>
      <h2>
        {SOURCES[entry.source]}, {cleanLine(entry.level)}
      </h2>
      <p class="muted">
        {showTime(entry.time)}
        {entry.logger === undefined ? '' : ` · ${cleanLine(entry.logger)}`}
      </p>
      <p class="actions">
        <CopyButton label="Copy" text={() => entry.text} />
      </p>
      <pre class="code" tabIndex={0} role="region" aria-label="Text of the message">
        {clean(shown)}
      </pre>
    </>
  )
}
