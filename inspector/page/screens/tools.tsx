// Tools: choose one, fill in its form, call it, see what comes of it.
import { useEffect, useState } from 'preact/hooks'
import type { CallState } from '../../protocol/state.ts'
import { isSchema, type Schema } from '../form/schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { initialValue } from '../form/value.ts'
import { ThisCall } from '../parts/call-flow.tsx'
import { CallResult, keysOf } from '../parts/call-result.tsx'
import { Columns } from '../parts/columns.tsx'
import { ItemList } from '../parts/item-list.tsx'
import { JsonValue } from '../parts/json.tsx'
import { clean, cleanLine } from '../parts/text.ts'
import { Badge, ChooseItem, Empty, HiddenTitle } from '../parts/ui.tsx'
import { request } from '../state/api.ts'
import { type Item, isStale, lists, loadList } from '../state/lists.ts'
import { goTo, route } from '../state/route.ts'
import { submitForm, useScreenKeys } from '../state/screen-keys.ts'
import { calls, connection, snapshot } from '../state/store.ts'
import { ListState } from './list-state.tsx'
import { OwnQuestions } from './question-card.tsx'

export function Tools() {
  const status = connection.value?.status
  const id = connection.value?.id
  useEffect(() => void loadList('tools'), [id, status])
  const list = lists.value.tools
  const { item } = route.value
  const tool = list.items.find(({ name }) => name === item)
  return (
    <Columns names={['Tools', 'Call']} item={item} isChosen={tool !== undefined}>
      <ItemList
        label="tools"
        noun="tool"
        items={list.items.map(toItem)}
        chosen={item}
        onChoose={(name) => goTo('tools', name)}
      >
        <ListState kind="tools" noun="tools" isStale={isStale('tools')} />
      </ItemList>
      {tool === undefined ? (
        <div class="work">
          <HiddenTitle>Tools</HiddenTitle>
          {list.status === 'ready' && list.items.length > 0 ? (
            item === undefined ? (
              <ChooseItem noun="tool" />
            ) : (
              <Empty title={`The server has no tool "${cleanLine(item)}".`} />
            )
          ) : null}
        </div>
      ) : (
        <Tool key={`${id} ${String(tool['name'])}`} tool={tool} />
      )}
    </Columns>
  )
}

function toItem(tool: Item) {
  const hints = hintsOf(tool)
  return {
    id: String(tool['name']),
    title: cleanLine(String(tool['name'])),
    ...(typeof tool['description'] === 'string' && { note: cleanLine(tool['description']).slice(0, 120) }),
    ...(hints.length > 0 && {
      badges: hints.map(([word, tone]) => (
        <Badge key={word} tone={tone}>
          {word}
        </Badge>
      )),
    }),
  }
}

/** Hints as words. They are claims of the server. */
function hintsOf(tool: Item): (readonly [word: string, tone: string])[] {
  const hints = isSchema(tool['annotations']) ? tool['annotations'] : {}
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hints
  return [
    ...(readOnlyHint === true ? [['read-only', 'good'] as const] : []),
    ...(destructiveHint === true && readOnlyHint !== true ? [['destructive', 'bad'] as const] : []),
    ...(idempotentHint === true ? [['idempotent', 'plain'] as const] : []),
    ...(openWorldHint === true ? [['open world', 'plain'] as const] : []),
  ]
}

/** What was written for each tool, while the page is open. */
const drafts = new Map<string, unknown>()

function Tool({ tool }: { tool: Item }) {
  const name = String(tool['name'])
  const schema: Schema = isSchema(tool['inputSchema']) ? tool['inputSchema'] : { type: 'object' }
  const own = calls.value.filter((call) => call.kind === 'tool' && call.name === name)
  const [chosen, setChosen] = useState<string>()
  const call = own.find(({ id }) => id === chosen) ?? own.at(-1)
  const key = `${connection.value?.id} ${name}`
  const [value, setValue] = useState<unknown>(() => drafts.get(key) ?? call?.args ?? initialValue(schema, schema) ?? {})
  const [view, setView] = useState<'form' | 'json'>('form')
  const [isUnsure, setUnsure] = useState(false)
  const [problem, setProblem] = useState<string>()
  const change = (next: unknown) => {
    drafts.set(key, next)
    setValue(next)
    setUnsure(false)
  }
  const start = async (args: unknown, asTask = false) => {
    const current = connection.value
    if (current === undefined) return
    setUnsure(false)
    setProblem(undefined)
    try {
      const body = {
        connection: current.id,
        kind: 'tool',
        name,
        args: (args ?? {}) as Record<string, unknown>,
        asTask,
      } as const
      setChosen((await request('call', body)).call)
      // The form may be longer than the window.
      requestAnimationFrame(() => document.querySelector('.result')?.scrollIntoView({ block: 'nearest' }))
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  useScreenKeys({
    call: submitForm,
    switchView: () => setView(view === 'form' ? 'json' : 'form'),
    ...keysOf(call),
    ...(call !== undefined && { repeat: () => void start(call.args) }),
  })
  return (
    <>
      <div class="work" data-state={call?.status ?? 'editing'}>
        <div class="title-row">
          <h1>{cleanLine(typeof tool['title'] === 'string' ? tool['title'] : name)}</h1>
          {hintsOf(tool).map(([word, tone]) => (
            <Badge key={word} tone={tone}>
              {word}
            </Badge>
          ))}
        </div>
        {typeof tool['title'] === 'string' ? <p class="muted mono">{cleanLine(name)}</p> : null}
        {typeof tool['description'] === 'string' ? <p class="pre">{clean(tool['description'])}</p> : null}
        <SchemaForm
          schema={schema}
          value={value}
          onChange={change}
          view={view}
          onView={setView}
          label={`Arguments of ${cleanLine(name)}`}
          onSubmit={(isValid) => (isValid ? void start(value) : setUnsure(true))}
        >
          {(isReadable) => (
            <>
              <p class="actions">
                <button type="submit" class="button primary">
                  Call
                </button>
                {isUnsure ? (
                  <button type="button" class="button" disabled={!isReadable} onClick={() => void start(value)}>
                    Send anyway
                  </button>
                ) : null}
                {supportsTasks(tool) ? (
                  <button type="button" class="button" disabled={!isReadable} onClick={() => void start(value, true)}>
                    Start as a task
                  </button>
                ) : null}
                <button
                  type="button"
                  class="button"
                  disabled={!isReadable}
                  onClick={() =>
                    connection.value &&
                    void request('save', {
                      connection: connection.value.id,
                      tool: name,
                      args: (value ?? {}) as Record<string, unknown>,
                    })
                  }
                >
                  Save
                </button>
                <button type="button" class="button" onClick={() => change(initialValue(schema, schema) ?? {})}>
                  Reset
                </button>
              </p>
              {problem === undefined ? null : (
                <p class="issue" role="alert">
                  {problem}
                </p>
              )}
            </>
          )}
        </SchemaForm>
        <OwnQuestions call={call} />
        {call === undefined ? null : <CallResult key={call.id} call={call} />}
      </div>
      <aside class="side" aria-label="About this tool">
        {call === undefined ? null : <ThisCall call={call.id} />}
        <History
          own={own}
          chosen={call?.id}
          onChoose={(one) => {
            setChosen(one.id)
            change(one.args)
          }}
        />
        <Saved tool={name} onChoose={change} />
        <details>
          <summary>Input schema</summary>
          <JsonValue value={schema} label="Input schema" />
        </details>
        {isSchema(tool['outputSchema']) ? (
          <details>
            <summary>Output schema</summary>
            <JsonValue value={tool['outputSchema']} label="Output schema" />
          </details>
        ) : null}
      </aside>
    </>
  )
}

function supportsTasks(tool: Item): boolean {
  const execution = isSchema(tool['execution']) ? tool['execution']['taskSupport'] : undefined
  if (execution === 'optional' || execution === 'required') return true
  const { era, serverCapabilities } = connection.value ?? {}
  const extensions = isSchema(serverCapabilities?.['extensions']) ? serverCapabilities['extensions'] : {}
  return era === 'modern' && extensions['io.modelcontextprotocol/tasks'] !== undefined
}

function shortArgs(args: unknown): string {
  const text = cleanLine(JSON.stringify(args))
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

function History(props: {
  own: readonly CallState[]
  chosen: string | undefined
  onChoose: (call: CallState) => void
}) {
  const { own, chosen, onChoose } = props
  if (own.length < 2) return null
  return (
    <section>
      <h2>Calls</h2>
      <ul class="plain-list">
        {[...own].reverse().map((call) => (
          <li key={call.id}>
            <button type="button" class="item" aria-current={call.id === chosen} onClick={() => onChoose(call)}>
              <span class="item-title mono">{shortArgs(call.args)}</span>
              <span class="item-note">{call.isToolError === true ? 'tool error' : call.status}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Saved({ tool, onChoose }: { tool: string; onChoose: (args: unknown) => void }) {
  const saved = snapshot.value.saved.filter((one) => one.tool === tool && one.target === connection.value?.target)
  if (saved.length === 0) return null
  return (
    <section>
      <h2>Saved</h2>
      <ul class="plain-list">
        {saved.map(({ id, args }) => (
          <li key={id} class="saved">
            <button type="button" class="item" onClick={() => onChoose(args)}>
              <span class="item-title mono">{shortArgs(args)}</span>
            </button>
            <button
              type="button"
              class="icon"
              aria-label="Forget this call"
              onClick={() => void request('forget', { saved: id })}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
