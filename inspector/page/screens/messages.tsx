// Messages: everything that crossed the wire, in one notation for both eras.
import { signal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { HttpEntry, MessageEntry } from '../../protocol/entries.ts'
import { nameOfRole, ROLE_SIGNS } from '../parts/call-flow.tsx'
import { ListAndDetail } from '../parts/columns.tsx'
import { Json } from '../parts/json.tsx'
import { cleanLine, plural, showBytes, showMs, showTime } from '../parts/text.ts'
import { CopyButton, Empty, HiddenTitle } from '../parts/ui.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { fetchText } from '../state/api.ts'
import { asCommand, asCurl } from '../state/copy.ts'
import { goTo, route } from '../state/route.ts'
import { useScreenKeys } from '../state/screen-keys.ts'
import { connection, entries, entriesChanged, entriesOf, snapshot } from '../state/store.ts'

type Row = MessageEntry | HttpEntry

/** The newest number when it was paused. */
const pausedAt = signal<number | undefined>(undefined)
const direction = signal<'all' | 'sent' | 'received'>('all')
const text = signal('')
const showsHttp = signal(true)

const ROW_HEIGHT = 30

export function Messages() {
  const all = entriesOf('message', 'http')
  const rows = useMemo(
    () => all.filter(isWanted),
    [entriesChanged.value, connection.value?.id, pausedAt.value, direction.value, text.value, showsHttp.value],
  )
  const chosen = Number(route.value.item ?? 0)
  const at = rows.findIndex(({ n }) => n === chosen)
  const entry = all.find(({ n }) => n === chosen)
  const pause = () => {
    pausedAt.value = pausedAt.value === undefined ? (entries.at(-1)?.n ?? 0) : undefined
  }
  useScreenKeys({ pause })
  const move = (event: KeyboardEvent) => {
    const step =
      event.key === 'ArrowDown' || event.key === 'j' ? 1 : event.key === 'ArrowUp' || event.key === 'k' ? -1 : 0
    const next =
      step === 0 ? undefined : rows[at < 0 ? rows.length - 1 : Math.min(rows.length - 1, Math.max(0, at + step))]
    if (next === undefined) return
    event.preventDefault()
    goTo('messages', String(next.n))
  }
  const isCut = (entries[0]?.n ?? 1) > 1
  const state =
    pausedAt.value !== undefined ? 'paused' : rows.length < all.length ? 'filtered' : isCut ? 'truncated' : 'live'
  return (
    <ListAndDetail names={['Messages', 'Message']} item={route.value.item} state={state} isChosen={entry !== undefined}>
      <section class="message-list work" aria-label="Messages">
        <HiddenTitle>Messages</HiddenTitle>
        <div class="toolbar">
          <input
            type="search"
            class="input filter"
            data-filter
            placeholder="Filter by method, id or text"
            aria-label="Filter messages"
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
          <select
            class="input"
            aria-label="Direction"
            value={direction.value}
            onChange={(event) => (direction.value = event.currentTarget.value as 'all')}
          >
            <option value="all">both directions</option>
            <option value="sent">sent</option>
            <option value="received">received</option>
          </select>
          {connection.value?.kind === 'url' ? (
            <label class="radio">
              <input
                type="checkbox"
                checked={showsHttp.value}
                onChange={(event) => (showsHttp.value = event.currentTarget.checked)}
              />
              HTTP
            </label>
          ) : null}
          <button type="button" class="button small" aria-pressed={pausedAt.value !== undefined} onClick={pause}>
            {pausedAt.value === undefined ? 'Pause' : 'Resume'}
          </button>
        </div>
        <p class="muted list-summary">
          {plural(rows.length, 'entry', 'entries')}
          {rows.length < all.length ? ` of ${all.length.toLocaleString('en')}` : ''}
          {pausedAt.value === undefined ? '' : ', paused'}
          {isCut ? '. Older entries are gone' : ''}
        </p>
        {all.length === 0 ? <Empty title="No messages yet." /> : null}
        <VirtualList
          label="Messages, arrow keys choose"
          items={rows}
          rowHeight={ROW_HEIGHT}
          follows={pausedAt.value === undefined}
          shown={at}
          onKeyDown={move}
          row={(row) => <MessageRow key={row.n} row={row} isChosen={row.n === chosen} />}
        />
      </section>
      <aside class="side wide" aria-label="Message">
        {entry === undefined ? (
          <p class="hint">{route.value.item === undefined ? 'Choose a message.' : 'This message is not kept.'}</p>
        ) : (
          <Detail key={entry.n} entry={entry} />
        )}
      </aside>
    </ListAndDetail>
  )
}

function isWanted(row: Row): boolean {
  if (pausedAt.value !== undefined && row.n > pausedAt.value) return false
  if (row.type === 'http' && (!showsHttp.value || direction.value !== 'all')) return false
  if (row.type === 'message' && direction.value !== 'all' && row.direction !== direction.value) return false
  const wanted = text.value.toLowerCase()
  if (wanted === '') return true
  const searched =
    row.type === 'http'
      ? `${row.method} ${row.url} ${row.status}`
      : `${row.method} ${row.id} ${row.subject} ${nameOfRole(row.role)} ${row.body}`
  return searched.toLowerCase().includes(wanted)
}

function MessageRow({ row, isChosen }: { row: Row; isChosen: boolean }) {
  const choose = () => goTo('messages', String(row.n))
  if (row.type === 'http') {
    return (
      <button type="button" class="message-row http-row" tabIndex={-1} aria-current={isChosen} onClick={choose}>
        <span class="message-time muted">{showTime(row.time)}</span>
        <span class="message-sign">⇄</span>
        <span class="message-what">
          {row.method} <span class="muted">{cleanLine(new URL(row.url).pathname)}</span>
        </span>
        <span class={`message-status ${(row.status ?? 599) >= 400 ? 'bad' : ''}`}>{row.status ?? 'failed'}</span>
        <span class="message-size muted">{showMs(row.ms)}</span>
      </button>
    )
  }
  return (
    <button
      type="button"
      class={`message-row role-of-${row.role}`}
      tabIndex={-1}
      aria-current={isChosen}
      onClick={choose}
    >
      <span class="message-time muted">{showTime(row.time)}</span>
      <span class="message-sign" aria-hidden="true">
        {row.direction === 'sent' ? '↑' : '↓'}
      </span>
      <span class="message-what">
        {row.call === undefined ? null : <span class="call-mark">{row.call.replace('call', '#')}</span>}
        <span class="message-role">
          {ROLE_SIGNS[row.role]} {nameOfRole(row.role)}
        </span>{' '}
        {cleanLine(row.method ?? row.kind)} {row.subject === undefined ? '' : cleanLine(row.subject)}
        {row.round !== undefined && row.round > 1 ? ` (round ${row.round})` : ''}
      </span>
      <span class="message-status muted">{row.id === undefined ? '' : `id ${row.id}`}</span>
      <span class="message-size muted">{showBytes(row.bytes)}</span>
    </button>
  )
}

function Detail({ entry }: { entry: Row }) {
  if (entry.type === 'http') return <HttpDetail entry={entry} />
  return <MessageDetail entry={entry} />
}

function MessageDetail({ entry }: { entry: MessageEntry }) {
  const [whole, setWhole] = useState<string>()
  useEffect(() => {
    if (entry.isCut === true)
      fetchText('message', entry.n)
        .then(setWhole)
        .catch(() => {})
  }, [entry.n])
  const body = whole ?? entry.body
  const { answers, call } = entry
  const request = answers === undefined ? undefined : entries.find(({ n }) => n === answers)
  const answer = entries.find((one) => one.type === 'message' && one.answers === entry.n)
  const other = request ?? answer
  const cause = snapshot.value.calls.find(({ id }) => id === call)
  const current = connection.value
  return (
    <>
      <h2>
        {ROLE_SIGNS[entry.role]} {nameOfRole(entry.role)}: {cleanLine(entry.method ?? entry.kind)}
      </h2>
      <dl class="facts">
        <dt>Direction</dt>
        <dd>{entry.direction === 'sent' ? 'from the inspector to the server' : 'from the server to the inspector'}</dd>
        <dt>Time</dt>
        <dd>
          {showTime(entry.time)}
          {request === undefined ? '' : `, ${showMs(entry.time - request.time)} after the request`}
        </dd>
        <dt>Size</dt>
        <dd>{showBytes(entry.bytes)}</dd>
        {cause === undefined ? null : (
          <>
            <dt>Call</dt>
            <dd>
              {cleanLine(cause.name)}
              {entry.round === undefined ? '' : `, round ${entry.round}`}
            </dd>
          </>
        )}
      </dl>
      <p class="actions">
        {other === undefined ? null : (
          <button type="button" class="button small" onClick={() => goTo('messages', String(other.n))}>
            {request === undefined ? 'Show the answer' : 'Show the request'}
          </button>
        )}
        <CopyButton label="Copy JSON" text={() => body} />
        {cause === undefined || current === undefined ? null : (
          <CopyButton label="Copy as command" text={() => asCommand(current, cause)} />
        )}
        {current?.kind === 'url' && entry.direction === 'sent' ? (
          <CopyButton label="Copy as curl" text={() => asCurl(current, { body }, current.protocolVersion ?? '')} />
        ) : null}
      </p>
      <Json text={body} label="Message" />
    </>
  )
}

function HttpDetail({ entry }: { entry: HttpEntry }) {
  const headers = (title: string, given: Readonly<Record<string, string>>) => (
    <>
      <h3>{title}</h3>
      <dl class="facts">
        {Object.entries(given).map(([name, value]) => [
          <dt key={name}>{cleanLine(name)}</dt>,
          <dd key={`${name}-value`}>{cleanLine(value)}</dd>,
        ])}
      </dl>
    </>
  )
  return (
    <>
      <h2>
        HTTP {entry.method} {entry.status ?? 'failed'}
      </h2>
      <p class="break mono">{cleanLine(entry.url)}</p>
      <p class="muted">Answered after {showMs(entry.ms)}. Secrets are hidden.</p>
      {entry.problem === undefined ? null : <p class="issue">{cleanLine(entry.problem)}</p>}
      {headers('Request', entry.requestHeaders)}
      {headers('Response', entry.responseHeaders)}
    </>
  )
}
