// Prompts: fill in the arguments, get the messages.
import { useEffect, useState } from 'preact/hooks'
import { ThisCall } from '../parts/call-flow.tsx'
import { CallResult, keysOf } from '../parts/call-result.tsx'
import { Columns } from '../parts/columns.tsx'
import { CompletedInput } from '../parts/completed-input.tsx'
import { ItemList } from '../parts/item-list.tsx'
import { clean, cleanLine } from '../parts/text.ts'
import { ChooseItem, HiddenTitle } from '../parts/ui.tsx'
import { request } from '../state/api.ts'
import { type Item, isStale, lists, loadList } from '../state/lists.ts'
import { goTo, route } from '../state/route.ts'
import { useScreenKeys } from '../state/screen-keys.ts'
import { calls, connection } from '../state/store.ts'
import { ListState } from './list-state.tsx'
import { OwnQuestions } from './question-card.tsx'

export function Prompts() {
  const { id, status } = connection.value ?? {}
  useEffect(() => void loadList('prompts'), [id, status])
  const list = lists.value.prompts
  const { item } = route.value
  const prompt = list.items.find(({ name }) => name === item)
  const items = list.items.map((one) => ({
    id: String(one['name']),
    title: cleanLine(String(one['title'] ?? one['name'])),
    ...(typeof one['description'] === 'string' && { note: cleanLine(one['description']).slice(0, 120) }),
  }))
  return (
    <Columns names={['Prompts', 'Prompt']} item={item} isChosen={prompt !== undefined}>
      <ItemList label="prompts" noun="prompt" items={items} chosen={item} onChoose={(name) => goTo('prompts', name)}>
        <ListState kind="prompts" noun="prompts" isStale={isStale('prompts')} />
      </ItemList>
      {prompt === undefined ? (
        <div class="work">
          <HiddenTitle>Prompts</HiddenTitle>
          {items.length > 0 ? <ChooseItem noun="prompt" /> : null}
        </div>
      ) : (
        <Prompt key={`${id} ${item}`} prompt={prompt} />
      )}
    </Columns>
  )
}

function Prompt({ prompt }: { prompt: Item }) {
  const name = String(prompt['name'])
  const call = calls.value.filter((one) => one.kind === 'prompt' && one.name === name).at(-1)
  const [values, setValues] = useState<Record<string, string>>(() => ({ ...(call?.args as Record<string, string>) }))
  const [problem, setProblem] = useState<string>()
  const given = Array.isArray(prompt['arguments']) ? (prompt['arguments'] as Item[]) : []
  const get = () => {
    const current = connection.value
    if (current === undefined) return
    setProblem(undefined)
    request('call', { connection: current.id, kind: 'prompt', name, args: values }).catch((error: Error) =>
      setProblem(error.message),
    )
  }
  const set = (key: string, value: string | undefined) => {
    const { [key]: _before, ...rest } = values
    setValues(value === undefined ? rest : { ...rest, [key]: value })
  }
  useScreenKeys({ ...keysOf(call), call: get, repeat: get })
  return (
    <>
      <div class="work" data-state={call?.status ?? 'editing'}>
        <h1>{cleanLine(String(prompt['title'] ?? name))}</h1>
        {typeof prompt['description'] === 'string' ? <p class="pre">{clean(prompt['description'])}</p> : null}
        <form
          aria-label={`Arguments of ${cleanLine(name)}`}
          onSubmit={(event) => {
            event.preventDefault()
            get()
          }}
        >
          {given.map((argument) => {
            const key = String(argument['name'])
            return (
              <CompletedInput
                key={key}
                name={key}
                label={String(argument['title'] ?? key)}
                description={typeof argument['description'] === 'string' ? argument['description'] : undefined}
                isRequired={argument['required'] === true}
                value={values[key]}
                onChange={(value) => set(key, value)}
                reference={{ type: 'ref/prompt', name }}
                context={Object.fromEntries(Object.entries(values).filter(([one]) => one !== key))}
              />
            )
          })}
          {given.length === 0 ? <p class="hint">There is nothing to fill in.</p> : null}
          <p class="actions">
            <button type="submit" class="button primary">
              Get the prompt
            </button>
          </p>
        </form>
        {problem === undefined ? null : (
          <p class="issue" role="alert">
            {cleanLine(problem)}
          </p>
        )}
        <OwnQuestions call={call} />
        {call === undefined ? null : <CallResult key={call.id} call={call} />}
      </div>
      <aside class="side" aria-label="About this prompt">
        {call === undefined ? <p class="hint">Get the prompt to see its messages.</p> : <ThisCall call={call.id} />}
      </aside>
    </>
  )
}
