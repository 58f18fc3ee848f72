// The messages of one call in one notation for both eras: call, question, answer, progress, result.
import type { MessageEntry } from '../../protocol/entries.ts'
import { goTo } from '../state/route.ts'
import { entriesOf } from '../state/store.ts'
import { cleanLine, showBytes, showMs, showTime } from './text.ts'

export const ROLE_SIGNS: Readonly<Record<MessageEntry['role'], string>> = {
  call: '→',
  question: '?',
  answer: '!',
  progress: '…',
  result: '←',
  error: '✗',
  'tool-error': '✗',
  cancel: '⊘',
  log: '≡',
  change: '~',
  other: '·',
}

export function ThisCall({ call }: { call: string }) {
  return (
    <section>
      <h2>This call</h2>
      <CallFlow call={call} />
    </section>
  )
}

function CallFlow({ call }: { call: string }) {
  const messages = entriesOf('message').filter((entry) => entry.call === call)
  if (messages.length === 0) return <p class="hint">No messages yet.</p>
  const first = messages[0]?.time ?? 0
  return (
    <ol class="flow">
      {shortened(messages).map((entry) => (
        <li key={entry.n}>
          <button
            type="button"
            class={`flow-item role-of-${entry.role}`}
            onClick={() => goTo('messages', String(entry.n))}
          >
            <span class="flow-sign" aria-hidden="true">
              {ROLE_SIGNS[entry.role]}
            </span>
            <span class="flow-role">{describe(entry)}</span>
            <span class="muted flow-time" title={showTime(entry.time)}>
              +{showMs(entry.time - first)}
            </span>
            <span class="muted flow-wire">
              {cleanLine(entry.method ?? entry.kind)} · {showBytes(entry.bytes)}
            </span>
          </button>
        </li>
      ))}
      {messages.length > FIRST + LAST ? (
        <li class="hint">{messages.length - FIRST - LAST} messages in between are on the screen Messages.</li>
      ) : null}
    </ol>
  )
}

/** A call may report progress thousands of times: its beginning and its end are enough here. */
function shortened(messages: readonly MessageEntry[]): readonly MessageEntry[] {
  if (messages.length <= FIRST + LAST) return messages
  return [...messages.slice(0, FIRST), ...messages.slice(-LAST)]
}

const FIRST = 5
const LAST = 45

function describe({ role, round, direction }: MessageEntry): string {
  const isLater = round !== undefined && round > 1
  if (role === 'question') return 'question of the server'
  if (role === 'answer') return isLater ? `answer, in round ${round}` : 'answer'
  return direction === 'sent' && role === 'error' ? 'error, sent' : nameOfRole(role)
}

export function nameOfRole(role: MessageEntry['role']): string {
  return role === 'tool-error' ? 'tool error' : role
}
