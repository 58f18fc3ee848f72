// One question of a server: a form, a page to visit, a message for a model, or folders to share.
import { useState } from 'preact/hooks'
import type { CallState, QuestionState } from '../../protocol/state.ts'
import { isSchema, type Schema } from '../form/schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { initialValue } from '../form/value.ts'
import { ContentBlock } from '../parts/content.tsx'
import { JsonValue } from '../parts/json.tsx'
import { clean, cleanLine } from '../parts/text.ts'
import { Badge, OutsideLink } from '../parts/ui.tsx'
import { request } from '../state/api.ts'
import { snapshot, waitingQuestions } from '../state/store.ts'

type Answer = (answer: Record<string, unknown>) => void

const TITLES = {
  form: 'The server asks you',
  url: 'The server asks you to visit a page',
  sampling: 'The server asks for a message of a model',
  roots: 'The server asks for your folders',
} as const

export function QuestionCard({ question }: { question: QuestionState }) {
  const { id, kind, params, call, status, answer: given } = question
  const [always, setAlways] = useState(false)
  const [problem, setProblem] = useState<string>()
  const answer: Answer = (value) => {
    request('answer', { question: id, answer: value, always }).catch((error: Error) => setProblem(error.message))
  }
  const asker = snapshot.value.connections.find((one) => one.id === question.connection)
  const cause = snapshot.value.calls.find((one) => one.id === call)
  if (status !== 'waiting') {
    return (
      <article class="card ended" data-state={status}>
        <p>
          <Badge tone={status === 'answered' ? 'good' : 'warn'}>{status}</Badge>{' '}
          {cleanLine(messageOf(params)) || TITLES[kind]}{' '}
          {given === undefined ? null : <span class="muted">{cleanLine(given)}</span>}
        </p>
      </article>
    )
  }
  return (
    <article class="card question" aria-label={TITLES[kind]} data-state="waiting" data-question={id} tabIndex={-1}>
      <h2>{TITLES[kind]}</h2>
      <p class="muted">
        {cleanLine(asker?.server?.name ?? asker?.target ?? '')}
        {cause === undefined ? '' : ` · in the call of ${cleanLine(cause.name)}`}
      </p>
      {kind === 'form' ? <FormQuestion params={params} answer={answer} /> : null}
      {kind === 'url' ? <UrlQuestion params={params} answer={answer} /> : null}
      {kind === 'sampling' ? <SamplingQuestion params={params} answer={answer} /> : null}
      {kind === 'roots' ? <RootsQuestion answer={answer} /> : null}
      <label class="radio small-print">
        <input type="checkbox" checked={always} onChange={(event) => setAlways(event.currentTarget.checked)} />
        Give the same answer to this question from now on
      </label>
      {problem === undefined ? null : (
        <p class="issue" role="alert">
          {problem}
        </p>
      )}
    </article>
  )
}

/** Beside the call that caused them. */
export function OwnQuestions({ call }: { call: CallState | undefined }) {
  const own = waitingQuestions.value.filter((question) => question.call !== undefined && question.call === call?.id)
  return (
    <>
      {own.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
    </>
  )
}

function messageOf({ message }: QuestionState['params']): string {
  return typeof message === 'string' ? message : ''
}

interface PartProps {
  readonly params: QuestionState['params']
  readonly answer: Answer
}

function Refusals({ answer }: { answer: Answer }) {
  return (
    <>
      <button type="button" class="button" onClick={() => answer({ action: 'decline' })}>
        Decline
      </button>
      <button type="button" class="button" onClick={() => answer({ action: 'cancel' })}>
        Cancel
      </button>
    </>
  )
}

function FormQuestion({ params, answer }: PartProps) {
  const schema: Schema = isSchema(params['requestedSchema']) ? params['requestedSchema'] : { type: 'object' }
  const [value, setValue] = useState<unknown>(() => initialValue(schema, schema) ?? {})
  const [view, setView] = useState<'form' | 'json'>('form')
  const [isUnsure, setUnsure] = useState(false)
  const accept = () => answer({ action: 'accept', content: (value ?? {}) as Record<string, unknown> })
  return (
    <>
      <p class="pre message">{clean(messageOf(params))}</p>
      <SchemaForm
        schema={schema}
        value={value}
        onChange={(next) => {
          setValue(next)
          setUnsure(false)
        }}
        view={view}
        onView={setView}
        label="Your answer"
        onSubmit={(isValid) => (isValid ? accept() : setUnsure(true))}
      >
        {(isReadable) => (
          <p class="actions">
            <button type="submit" class="button primary">
              Answer
            </button>
            {isUnsure ? (
              <button type="button" class="button" disabled={!isReadable} onClick={accept}>
                Send anyway
              </button>
            ) : null}
            <Refusals answer={answer} />
          </p>
        )}
      </SchemaForm>
    </>
  )
}

function UrlQuestion({ params, answer }: PartProps) {
  const url = String(params['url'] ?? '')
  return (
    <>
      <p class="pre message">{clean(messageOf(params))}</p>
      <p class="break">
        <OutsideLink url={url} />
      </p>
      {URL.canParse(url) ? (
        <p>
          It leads to <strong>{cleanLine(new URL(url).host)}</strong>.
        </p>
      ) : null}
      <p class="actions">
        <button type="button" class="button primary" onClick={() => answer({ action: 'accept' })}>
          I agree to visit it
        </button>
        <Refusals answer={answer} />
      </p>
    </>
  )
}

function SamplingQuestion({ params, answer }: PartProps) {
  const [text, setText] = useState('')
  const [model, setModel] = useState('')
  const messages = Array.isArray(params['messages']) ? (params['messages'] as unknown[]) : []
  const { messages: _messages, systemPrompt, ...rest } = params
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        answer({ action: 'accept', text, model })
      }}
    >
      {typeof systemPrompt === 'string' ? <p class="pre">System: {clean(systemPrompt)}</p> : null}
      <ol class="prompt-messages">
        {messages.map((message, index) => {
          const { role, content } = (message ?? {}) as Record<string, unknown>
          return (
            <li key={String(index)} class={`prompt-message role-${role === 'user' ? 'user' : 'assistant'}`}>
              <strong class="role">{cleanLine(String(role))}</strong>
              {[content].flat().map((block, at) => (
                <ContentBlock key={String(at)} block={block} />
              ))}
            </li>
          )
        })}
      </ol>
      <details>
        <summary>Wishes of the server</summary>
        <JsonValue value={rest} label="Wishes of the server" />
      </details>
      <div class="field">
        <label class="label" for="sampling-text">
          Your answer, in place of a model
        </label>
        <textarea
          id="sampling-text"
          class="input"
          rows={4}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label class="label" for="sampling-model">
          Name of the model
        </label>
        <input
          id="sampling-model"
          class="input"
          placeholder="a person"
          value={model}
          onInput={(event) => setModel(event.currentTarget.value)}
        />
      </div>
      <p class="actions">
        <button type="submit" class="button primary">
          Answer
        </button>
        <button type="button" class="button" onClick={() => answer({ action: 'decline' })}>
          Decline
        </button>
      </p>
    </form>
  )
}

function RootsQuestion({ answer }: { answer: Answer }) {
  const [text, setText] = useState('')
  const roots = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((uri) => ({ uri }))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        answer({ roots })
      }}
    >
      <div class="field">
        <label class="label" for="roots-text">
          Folders as URIs, one on each line
        </label>
        <textarea
          id="roots-text"
          class="input mono"
          rows={3}
          placeholder="file:///home/me/project"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <p class="actions">
        <button type="submit" class="button primary">
          {roots.length === 0 ? 'Answer with no folders' : 'Answer'}
        </button>
      </p>
    </form>
  )
}
