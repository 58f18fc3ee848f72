// Resources: read one, fill in a template, follow its changes.
import { useEffect, useState } from 'preact/hooks'
import { ThisCall } from '../parts/call-flow.tsx'
import { CallResult, keysOf } from '../parts/call-result.tsx'
import { Columns } from '../parts/columns.tsx'
import { CompletedInput } from '../parts/completed-input.tsx'
import { ItemList } from '../parts/item-list.tsx'
import { clean, cleanLine, plural, showBytes } from '../parts/text.ts'
import { Badge, ChooseItem, HiddenTitle } from '../parts/ui.tsx'
import { request } from '../state/api.ts'
import { type Item, isStale, lists, loadList } from '../state/lists.ts'
import { goTo, route } from '../state/route.ts'
import { useScreenKeys } from '../state/screen-keys.ts'
import { calls, connection } from '../state/store.ts'
import { expandTemplate, variablesOf } from '../state/uri-template.ts'
import { ListState } from './list-state.tsx'
import { OwnQuestions } from './question-card.tsx'

export function Resources() {
  const { id, status } = connection.value ?? {}
  useEffect(() => {
    void loadList('resources')
    void loadList('resourceTemplates')
  }, [id, status])
  const { resources, resourceTemplates } = lists.value
  const { item } = route.value
  const resource = resources.items.find(({ uri }) => uri === item)
  const template = resourceTemplates.items.find(({ uriTemplate }) => uriTemplate === item)
  const items = [
    ...resourceTemplates.items.map((one) => toItem(one, 'uriTemplate', <Badge>template</Badge>)),
    ...resources.items.map((one) => toItem(one, 'uri')),
  ]
  return (
    <Columns names={['Resources', 'Resource']} item={item} isChosen={resource !== undefined || template !== undefined}>
      <ItemList
        label="resources"
        noun="resource"
        items={items}
        chosen={item}
        onChoose={(uri) => goTo('resources', uri)}
      >
        <ListState kind="resources" noun="resources" isStale={isStale('resources') || isStale('resourceTemplates')} />
      </ItemList>
      {resource !== undefined ? (
        <Reading key={`${id} ${item}`} item={resource} uri={String(resource['uri'])} />
      ) : template !== undefined ? (
        <Template key={`${id} ${item}`} item={template} />
      ) : (
        <div class="work">
          <HiddenTitle>Resources</HiddenTitle>
          {items.length > 0 ? <ChooseItem noun="resource" /> : null}
        </div>
      )}
    </Columns>
  )
}

function toItem(one: Item, key: string, badges?: preact.JSX.Element) {
  const uri = String(one[key])
  const title = one['title'] ?? one['name']
  return {
    id: uri,
    title: cleanLine(typeof title === 'string' ? title : uri),
    note: cleanLine(uri),
    ...(badges !== undefined && { badges }),
  }
}

function About({ item }: { item: Item }) {
  const { title, name, uri, uriTemplate, description, mimeType, size } = item
  return (
    <>
      <h1>{cleanLine(String(title ?? name ?? uri ?? uriTemplate))}</h1>
      <p class="muted mono break">
        {cleanLine(String(uri ?? uriTemplate))}
        {typeof mimeType === 'string' ? ` · ${cleanLine(mimeType)}` : ''}
        {typeof size === 'number' ? ` · ${showBytes(size)}` : ''}
      </p>
      {typeof description === 'string' ? <p class="pre">{clean(description)}</p> : null}
    </>
  )
}

/** The form, which its button names: the button stands beside Subscribe. */
const VARIABLES = 'variables'

function Template({ item }: { item: Item }) {
  const template = String(item['uriTemplate'])
  const names = variablesOf(template)
  const [values, setValues] = useState<Record<string, string>>({})
  const [uri, setUri] = useState<string>()
  const expanded = expandTemplate(template, values)
  return (
    <Reading item={item} uri={uri}>
      <form
        id={VARIABLES}
        aria-label="Variables"
        onSubmit={(event) => {
          event.preventDefault()
          setUri(undefined)
          requestAnimationFrame(() => setUri(expanded))
        }}
      >
        {names.map((name) => (
          <CompletedInput
            key={name}
            name={name}
            label={name}
            isRequired
            value={values[name]}
            onChange={(value) => setValues({ ...values, [name]: value ?? '' })}
            reference={{ type: 'ref/resource', uri: template }}
            context={Object.fromEntries(Object.entries(values).filter(([key]) => key !== name))}
          />
        ))}
        <p class="muted mono break">{cleanLine(expanded)}</p>
      </form>
    </Reading>
  )
}

function Reading({
  item,
  uri,
  children,
}: {
  item: Item
  uri: string | undefined
  children?: preact.ComponentChildren
}) {
  const [problem, setProblem] = useState<string>()
  const own = calls.value.filter((call) => call.kind === 'read' && call.name === uri)
  const call = own.at(-1)
  const subscription = connection.value?.subscriptions.find((one) => one.uri === uri)
  const [seen, setSeen] = useState(0)
  const id = connection.value?.id
  const run = async (action: () => Promise<unknown>) => {
    setProblem(undefined)
    await action().catch((error: Error) => setProblem(error.message))
  }
  const read = () => {
    if (id === undefined || uri === undefined) return
    setSeen(subscription?.updates ?? 0)
    void run(() => request('call', { connection: id, kind: 'read', name: uri }))
  }
  useEffect(() => {
    if (children !== undefined && uri !== undefined) read()
  }, [uri])
  useScreenKeys({ ...keysOf(call), call: read, repeat: read })
  const updates = (subscription?.updates ?? 0) - seen
  const isUpdated = updates > 0 && call !== undefined
  const canSubscribe = (connection.value?.serverCapabilities?.['resources'] as Item | undefined)?.['subscribe'] === true
  const toggle = () => {
    if (id === undefined || uri === undefined) return
    void run(() => request(subscription === undefined ? 'listen' : 'unlisten', { connection: id, uri }))
  }
  return (
    <>
      <div class="work" data-state={isUpdated ? 'updated' : (call?.status ?? 'none')}>
        <About item={item} />
        {children}
        <p class="actions">
          {children === undefined ? (
            <button type="button" class="button primary" onClick={read}>
              {call === undefined ? 'Read' : 'Read again'}
            </button>
          ) : (
            <button type="submit" form={VARIABLES} class="button primary">
              Read
            </button>
          )}
          {canSubscribe && uri !== undefined ? (
            <button type="button" class="button" aria-pressed={subscription !== undefined} onClick={toggle}>
              {subscription === undefined ? 'Subscribe' : 'Unsubscribe'}
            </button>
          ) : null}
        </p>
        {isUpdated ? (
          <p class="stale" role="status">
            Updated {plural(updates, 'time')} since it was read.{' '}
            <button type="button" class="link" onClick={read}>
              Read again
            </button>
          </p>
        ) : null}
        {problem === undefined ? null : (
          <p class="issue" role="alert">
            {cleanLine(problem)}
          </p>
        )}
        <OwnQuestions call={call} />
        {call === undefined ? null : <CallResult key={call.id} call={call} />}
      </div>
      <aside class="side" aria-label="About this resource">
        {call === undefined ? <p class="hint">Read the resource to see its messages.</p> : <ThisCall call={call.id} />}
      </aside>
    </>
  )
}
