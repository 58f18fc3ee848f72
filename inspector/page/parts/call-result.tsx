// A call: how it goes, what came of it, in the words of its kind.
import { useEffect, useState } from 'preact/hooks'
import type { CallState } from '../../protocol/state.ts'
import { request } from '../state/api.ts'
import { asCommand } from '../state/copy.ts'
import { loadResult, results } from '../state/results.ts'
import type { ScreenKeys } from '../state/screen-keys.ts'
import { announce, connection } from '../state/store.ts'
import { ContentBlock, ResourceContents } from './content.tsx'
import { Json, JsonValue } from './json.tsx'
import { cleanLine, showBytes, showMs } from './text.ts'
import { Badge, CopyButton, copyText, ProblemBox, Tabs } from './ui.tsx'

const WORDS = {
  running: 'Running',
  waiting: 'Waiting for your answer',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const

function hasResult({ endedAt, problem, status }: CallState): boolean {
  return endedAt !== undefined && problem === undefined && status !== 'cancelled'
}

/** What the keyboard does with a call, on each screen that has calls. */
export function keysOf(call: CallState | undefined): ScreenKeys {
  if (call === undefined) return {}
  return {
    ...(call.endedAt === undefined && { cancel: () => void request('cancel', { call: call.id }).catch(() => {}) }),
    copyResult: () => void copyResult(call),
    copyCommand: () => connection.value && void copyText(asCommand(connection.value, call)),
  }
}

/** A result that is still on its way is waited for. Without one, the clipboard keeps what it has. */
async function copyResult(call: CallState): Promise<void> {
  const text = hasResult(call) ? await loadResult(call.id) : ''
  if (text === '') announce('There is no result to copy')
  else await copyText(text)
}

export function CallResult({ call }: { call: CallState }) {
  const { status, id, problem, isToolError, startedAt, endedAt, resultBytes, task } = call
  const isOver = endedAt !== undefined
  useEffect(() => {
    if (hasResult(call)) void loadResult(id)
  }, [id, isOver])
  const now = useClock(!isOver)
  const tone = status === 'done' ? 'good' : status === 'failed' ? 'bad' : 'warn'
  const text = results.value.get(id)
  return (
    <section class="result" aria-label="Result" data-state={status} data-call={id}>
      <div class="result-head">
        <Badge tone={tone}>{isToolError === true ? 'Tool error' : WORDS[status]}</Badge>
        <span class="muted">{showMs(Math.max(0, (endedAt ?? now) - startedAt))}</span>
        {resultBytes === undefined ? null : <span class="muted">{showBytes(resultBytes)}</span>}
        {task === undefined ? null : <Badge>task {cleanLine(task).slice(0, 20)}</Badge>}
        <span class="spacer" />
        {isOver ? (
          <>
            {text === undefined || text === '' ? null : <CopyButton label="Copy result" text={() => text} />}
            {connection.value === undefined ? null : (
              <CopyButton
                label="Copy as command"
                text={() => (connection.value ? asCommand(connection.value, call) : '')}
              />
            )}
          </>
        ) : (
          <button
            type="button"
            class="button small"
            onClick={() => void request('cancel', { call: id }).catch(() => {})}
          >
            Cancel
          </button>
        )}
      </div>
      {isOver ? null : <Progress call={call} />}
      {problem === undefined ? null : <ProblemBox problem={problem} title="The request failed" />}
      {isToolError === true ? (
        <p class="help">The tool answered with an error. A model would read this text.</p>
      ) : problem !== undefined && problem.code !== undefined ? (
        <p class="help">The server or the connection refused the request. No tool result came back.</p>
      ) : null}
      {status === 'cancelled' ? <p class="hint">You cancelled the call. The server was notified.</p> : null}
      {text === undefined || text === '' ? null : <ResultTabs text={text} />}
      {text === '' ? <p class="hint">The result is no longer kept.</p> : null}
    </section>
  )
}

function Progress({ call: { progress } }: { call: CallState }) {
  if (progress === undefined) return <progress class="progress" aria-label="The call is running" />
  const { progress: done, total, message } = progress
  return (
    <div>
      <progress class="progress" aria-label="Progress" value={total === undefined ? undefined : done} max={total} />
      <p class="muted">
        {total === undefined ? done : `${done} of ${total}`}
        {message === undefined ? '' : ` · ${cleanLine(message)}`}
      </p>
    </div>
  )
}

/** Draws again every 100 ms while it is wanted. */
function useClock(isOn: boolean): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => setNow(Date.now()), 100)
    return () => clearInterval(timer)
  }, [isOn])
  return isOn ? now : Date.now()
}

type View = 'content' | 'structured' | 'raw'

function ResultTabs({ text }: { text: string }) {
  const result = parse(text)
  const { content, contents, messages, structuredContent } = result
  const tabs: (readonly [View, string])[] = [
    ['content', 'Content'],
    ...(structuredContent === undefined ? [] : ([['structured', 'Structured']] as const)),
    ['raw', 'Raw'],
  ]
  const [chosen, setChosen] = useState<View>('content')
  const view = tabs.some(([name]) => name === chosen) ? chosen : 'content'
  return (
    <>
      <Tabs label="Parts of the result" tabs={tabs} chosen={view} onChoose={setChosen} />
      <div class="result-body" role="tabpanel" aria-label={view}>
        {view === 'raw' ? (
          <Json text={text} label="Whole result" />
        ) : view === 'structured' ? (
          <JsonValue value={structuredContent} label="Structured content" />
        ) : Array.isArray(contents) ? (
          contents.map((one, index) => <ResourceContents key={String(index)} contents={one} />)
        ) : Array.isArray(messages) ? (
          <Messages messages={messages} />
        ) : Array.isArray(content) && content.length > 0 ? (
          content.map((block, index) => <ContentBlock key={String(index)} block={block} />)
        ) : (
          <p class="hint">The result has no content.</p>
        )}
      </div>
    </>
  )
}

function Messages({ messages }: { messages: readonly unknown[] }) {
  return (
    <ol class="prompt-messages">
      {messages.map((message, index) => {
        const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown }
        return (
          <li key={String(index)} class={`prompt-message role-${role === 'user' ? 'user' : 'assistant'}`}>
            <strong class="role">{cleanLine(String(role))}</strong>
            <ContentBlock block={content} />
          </li>
        )
      })}
    </ol>
  )
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
