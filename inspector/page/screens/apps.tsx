// Apps: tools that come with a view, and the view itself in a frame of another origin.
import { useEffect, useState } from 'preact/hooks'
import type { ViewPermission, ViewState } from '../../protocol/state.ts'
import { isSchema } from '../form/schema.ts'
import { Columns } from '../parts/columns.tsx'
import { ItemList } from '../parts/item-list.tsx'
import { Json } from '../parts/json.tsx'
import { cleanLine, plural, showTime } from '../parts/text.ts'
import { Badge, ChooseItem, Empty, HiddenTitle, OutsideLink } from '../parts/ui.tsx'
import { ViewFrame } from '../parts/view-frame.tsx'
import { AskForPermissions } from '../parts/view-permissions.tsx'
import { request } from '../state/api.ts'
import { type Item, lists, loadList } from '../state/lists.ts'
import { goTo, route } from '../state/route.ts'
import { calls, connection, entriesOf, snapshot } from '../state/store.ts'
import { isDark } from '../state/theme.ts'
import { ListState } from './list-state.tsx'

/** Views that this page has opened. Those of a page before a reload have lost their frame. */
const opened = new Set<string>()

export function Apps() {
  const { id, status } = connection.value ?? {}
  useEffect(() => void loadList('tools'), [id, status])
  const tools = lists.value.tools.items.filter((tool) => viewUriOf(tool) !== undefined)
  const { item } = route.value
  const tool = tools.find(({ name }) => name === item)
  const items = tools.map((one) => ({
    id: String(one['name']),
    title: cleanLine(String(one['name'])),
    note: cleanLine(viewUriOf(one) ?? ''),
  }))
  return (
    <Columns names={['Apps', 'View']} item={item} isChosen={tool !== undefined}>
      <ItemList
        label="tools with a view"
        noun="tool"
        items={items}
        chosen={item}
        onChoose={(name) => goTo('apps', name)}
      >
        <ListState kind="tools" noun="tools" isStale={false} />
      </ItemList>
      {tool === undefined ? (
        <div class="work" data-state="none">
          <HiddenTitle>Apps</HiddenTitle>
          {item !== undefined && lists.value.tools.status === 'ready' ? (
            <Empty title={`The server has no tool "${cleanLine(item)}" with a view.`} />
          ) : tools.length === 0 ? (
            <Empty title="No tool of this server has a view.">
              <p class="hint">A tool with a view names it in _meta.ui.resourceUri.</p>
            </Empty>
          ) : (
            <ChooseItem noun="tool" />
          )}
        </div>
      ) : (
        <App key={`${id} ${item}`} tool={tool} />
      )}
    </Columns>
  )
}

function viewUriOf(tool: Item): string | undefined {
  const meta = isSchema(tool['_meta']) ? tool['_meta'] : {}
  const ui = isSchema(meta['ui']) ? meta['ui'] : {}
  const uri = ui['resourceUri'] ?? meta['ui/resourceUri']
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined
}

function App({ tool }: { tool: Item }) {
  const name = String(tool['name'])
  const view = snapshot.value.views.filter((one) => one.tool === name && one.connection === connection.value?.id).at(-1)
  const call = calls.value.filter((one) => one.kind === 'tool' && one.name === name && one.status === 'done').at(-1)
  const [problem, setProblem] = useState<string>()
  const [asked, setAsked] = useState<readonly ViewPermission[]>([])
  const [theme, setTheme] = useState<'light' | 'dark'>(() => (isDark() ? 'dark' : 'light'))
  const [width, setWidth] = useState('auto')
  const isLive = view !== undefined && opened.has(view.id) && view.status !== 'closed'
  const open = async (permissions?: readonly ViewPermission[]) => {
    const current = connection.value
    if (current === undefined) return
    setProblem(undefined)
    setAsked([])
    try {
      if (view !== undefined) await request('view-close', { view: view.id })
      const body = { connection: current.id, tool: name, theme, ...(call !== undefined && { call: call.id }) }
      const answer = await request('view', { ...body, ...(permissions !== undefined && { permissions }) })
      if ('asks' in answer) setAsked(answer.asks)
      else opened.add(answer.view)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const changeTheme = (next: 'light' | 'dark') => {
    setTheme(next)
    if (isLive) request('view-context', { view: view.id, context: { theme: next } }).catch(() => {})
  }
  const state = view === undefined ? 'none' : !isLive ? 'closed' : view.blocked.length > 0 ? 'blocked' : view.status
  return (
    <>
      <div class="work" data-state={state}>
        <div class="title-row">
          <h1>{cleanLine(name)}</h1>
          <Badge tone={state === 'ready' ? 'good' : state === 'blocked' ? 'bad' : 'plain'}>{STATES[state]}</Badge>
        </div>
        <p class="muted mono break">{cleanLine(viewUriOf(tool) ?? '')}</p>
        <div class="actions">
          <button type="button" class="button primary" onClick={() => void open()}>
            {view === undefined ? 'Show the view' : 'Show it again'}
          </button>
          {isLive ? (
            <button type="button" class="button" onClick={() => void request('view-close', { view: view.id })}>
              Close the view
            </button>
          ) : null}
          <select
            class="input auto-width"
            aria-label="Theme of the view"
            value={theme}
            onChange={(event) => changeTheme(event.currentTarget.value as 'light')}
          >
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
          <select
            class="input auto-width"
            aria-label="Width of the view"
            value={width}
            onChange={(event) => setWidth(event.currentTarget.value)}
          >
            <option value="auto">full width</option>
            <option value="320px">320 px</option>
            <option value="480px">480 px</option>
            <option value="768px">768 px</option>
          </select>
        </div>
        <p class="help">
          {call === undefined
            ? 'The tool was not called yet. The view gets no result.'
            : `The view gets the result of the last call (${call.id.replace('call', '#')}).`}
        </p>
        {problem === undefined ? null : (
          <p class="issue" role="alert">
            {cleanLine(problem)}
          </p>
        )}
        {asked.length === 0 ? null : (
          <AskForPermissions
            tool={name}
            asked={asked}
            onAnswer={(permissions) => void open(permissions)}
            onCancel={() => setAsked([])}
          />
        )}
        {isLive ? <ViewFrame key={view.id} view={view} width={width} /> : null}
        {view !== undefined && !isLive ? <p class="hint">The view is closed.</p> : null}
      </div>
      <aside class="side" aria-label="About this view">
        {view === undefined ? <p class="hint">Show the view to see its messages.</p> : <About view={view} />}
      </aside>
    </>
  )
}

const STATES: Readonly<Record<string, string>> = {
  none: 'not shown',
  loading: 'loading',
  ready: 'ready',
  blocked: 'something was blocked',
  closed: 'closed',
}

function About({ view }: { view: ViewState }) {
  const messages = entriesOf('view').filter((entry) => entry.view === view.id)
  return (
    <>
      {view.blocked.length === 0 ? null : (
        <section>
          <h2>Stopped by its policy</h2>
          <ul class="plain-list">
            {view.blocked.map((what) => (
              <li key={what} class="mono break">
                {cleanLine(what)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {view.links.length === 0 ? null : (
        <section>
          <h2>The view wants to open</h2>
          <ul class="plain-list">
            {view.links.map((url) => (
              <li key={url} class="break">
                <OutsideLink url={url} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Policy</h2>
        <ul class="plain-list mono policy">
          {view.policy.split('; ').map((rule) => (
            <li key={rule} class="break">
              {cleanLine(rule)}
            </li>
          ))}
        </ul>
        <p class="help">Permissions: {view.allow === '' ? 'none' : cleanLine(view.allow)}</p>
      </section>
      <section>
        <h2>{plural(messages.length, 'message')}</h2>
        {messages.slice(-30).map((entry) => (
          <details key={entry.n}>
            <summary>
              {entry.direction === 'to-view' ? '→ view' : '← view'} {methodOf(entry.body)}{' '}
              <span class="muted">{showTime(entry.time)}</span>
            </summary>
            <Json text={entry.body} label="Message" />
          </details>
        ))}
      </section>
    </>
  )
}

function methodOf(body: string): string {
  const method = /"method":"([^"]{0,80})"/.exec(body)?.[1]
  return cleanLine(method ?? (body.includes('"error"') ? 'error' : 'answer'))
}
