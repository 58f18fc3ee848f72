// Timeline: requests as bars on one axis of time, with progress, questions and rounds in them.
import { useState } from 'preact/hooks'
import type { MessageEntry } from '../../protocol/entries.ts'
import { cleanLine, showMs } from '../parts/text.ts'
import { Empty } from '../parts/ui.tsx'
import { goTo } from '../state/route.ts'
import { entriesOf, snapshot } from '../state/store.ts'

interface Bar {
  readonly n: number
  readonly label: string
  readonly start: number
  readonly end: number | undefined
  readonly isError: boolean
  /** A question of the server, which we answer. */
  readonly isQuestion: boolean
  readonly ticks: readonly number[]
  /** Below the bar of its call. */
  readonly isNested: boolean
}

const MAX_BARS = 120
const SPANS = [
  ['all', 'all requests'],
  ['60000', 'the last minute'],
  ['10000', 'the last 10 seconds'],
] as const

export function Timeline() {
  const [span, setSpan] = useState<string>('all')
  const [showsLists, setShowsLists] = useState(false)
  const messages = entriesOf('message')
  const newest = messages.at(-1)?.time ?? 0
  const since = span === 'all' ? 0 : newest - Number(span)
  const bars = barsOf(messages, showsLists)
    .filter(({ end, start }) => (end ?? newest) >= since || start >= since)
    .slice(-MAX_BARS)
  const first = Math.max(since, Math.min(...bars.map(({ start }) => start)))
  const last = Math.max(newest, ...bars.map(({ end }) => end ?? 0))
  const width = Math.max(1, last - first)
  // What is at the very end would lie beyond the lane.
  const place = (time: number) => `min(${(Math.max(0, time - first) / width) * 100}%, calc(100% - 3px))`
  return (
    <div class="page wide-page" data-state={bars.length === 0 ? 'none' : 'ready'}>
      <div class="title-row">
        <h1>Timeline</h1>
        <span class="spacer" />
        <label class="radio">
          <input
            type="checkbox"
            checked={showsLists}
            onChange={(event) => setShowsLists(event.currentTarget.checked)}
          />
          Lists and handshakes
        </label>
        <select
          class="input auto-width"
          aria-label="Span of time"
          value={span}
          onChange={(event) => setSpan(event.currentTarget.value)}
        >
          {SPANS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {bars.length === 0 ? (
        <Empty title="No requests yet.">
          <p class="hint">Call a tool to see how long each part of the call takes.</p>
        </Empty>
      ) : (
        <div class="timeline">
          <div class="axis muted" aria-hidden="true">
            {[0, 0.25, 0.5, 0.75, 1].map((share) => (
              <span key={share}>{showMs(width * share)}</span>
            ))}
          </div>
          <ol class="bars">
            {bars.map((bar) => (
              <li key={bar.n}>
                <button
                  type="button"
                  class={`bar-row ${bar.isNested ? 'nested' : ''}`}
                  onClick={() => goTo('messages', String(bar.n))}
                >
                  <span class="bar-label">{cleanLine(bar.label)}</span>
                  <span class="bar-lane">
                    <span
                      class={`bar ${bar.isError ? 'bar-error' : bar.isQuestion ? 'bar-question' : ''} ${bar.end === undefined ? 'bar-open' : ''}`}
                      style={{
                        left: place(Math.max(first, bar.start)),
                        width: `${(((bar.end ?? last) - Math.max(first, bar.start)) / width) * 100}%`,
                      }}
                    />
                    {bar.ticks.map((time) => (
                      <span key={time} class="tick" style={{ left: place(time) }} />
                    ))}
                  </span>
                  <span class="bar-time muted">
                    {bar.end === undefined ? 'open' : showMs(bar.end - bar.start)}
                    {bar.isError ? ', error' : ''}
                    {bar.ticks.length === 0 ? null : (
                      <span class="visually-hidden">, progress reported {bar.ticks.length} times</span>
                    )}
                  </span>
                </button>
              </li>
            ))}
          </ol>
          <p class="legend muted">
            <span>
              <span class="key bar" /> request
            </span>
            <span>
              <span class="key bar bar-question" /> waits for your answer
            </span>
            <span>
              <span class="key bar bar-error" /> failed
            </span>
            <span>
              <span class="key tick-key" /> progress
            </span>
          </p>
        </div>
      )}
    </div>
  )
}

const BACKGROUND = /\/list$|^initialize$|^server\/discover$|^subscriptions\/|^ping$|^logging\//

/** Bars of calls with those of their rounds and questions below them, oldest first. */
function barsOf(messages: readonly MessageEntry[], showsLists: boolean): Bar[] {
  const answers = new Map<number, MessageEntry>()
  const ticks = new Map<string, number[]>()
  const rounds = new Map<string, MessageEntry[]>()
  for (const entry of messages) {
    if (entry.answers !== undefined) answers.set(entry.answers, entry)
    if (entry.call === undefined) continue
    if (entry.role === 'progress') ticks.set(entry.call, [...(ticks.get(entry.call) ?? []), entry.time])
    if (entry.kind === 'request') rounds.set(entry.call, [...(rounds.get(entry.call) ?? []), entry])
  }
  const bars: Bar[] = []
  const seen = new Set<string>()
  for (const entry of messages) {
    if (entry.kind !== 'request') continue
    const { call } = entry
    if (call === undefined) {
      if (showsLists || !BACKGROUND.test(entry.method ?? '')) bars.push(barOf(entry, answers.get(entry.n), [], false))
    } else if (!seen.has(call)) {
      seen.add(call)
      bars.push(...barsOfCall(call, rounds.get(call) ?? [], answers, ticks.get(call) ?? []))
    }
  }
  return bars
}

function barsOfCall(
  call: string,
  requests: readonly MessageEntry[],
  answers: ReadonlyMap<number, MessageEntry>,
  ticks: readonly number[],
): Bar[] {
  const [first] = requests
  if (first === undefined) return []
  const state = snapshot.value.calls.find(({ id }) => id === call)
  const last = requests.filter(({ direction }) => direction === 'sent').at(-1) ?? first
  const end =
    state === undefined ? answers.get(last.n)?.time : state.endedAt && (answers.get(last.n)?.time ?? state.endedAt)
  const isError = state?.status === 'failed' || answers.get(last.n)?.kind === 'error'
  const whole: Bar = { ...barOf(first, undefined, ticks, false), end, isError }
  if (requests.length === 1) return [whole]
  const parts = requests.map((request) => barOf(request, answers.get(request.n), [], true))
  // On a modern connection the wait for an answer lies between two rounds; it is a bar of its own here as on a legacy one.
  const waits = requests.flatMap((request, index) => {
    const answer = answers.get(request.n)
    const next = requests[index + 1]
    if (answer?.role !== 'question') return []
    return [{ ...barOf(answer, next, [], true), label: 'question', isQuestion: true }]
  })
  return [whole, ...[...parts, ...waits].sort((a, b) => a.start - b.start)]
}

function barOf(
  request: MessageEntry,
  answer: MessageEntry | undefined,
  ticks: readonly number[],
  isNested: boolean,
): Bar {
  const isQuestion = request.direction === 'received'
  const round = request.round !== undefined && isNested ? `round ${request.round}` : ''
  const label = isQuestion ? `question: ${request.method}` : `${request.method} ${request.subject ?? ''}`
  return {
    n: request.n,
    label: round === '' ? label : round,
    start: request.time,
    end: answer?.time,
    isError: answer?.kind === 'error' || answer?.role === 'tool-error',
    isQuestion,
    ticks,
    isNested,
  }
}
