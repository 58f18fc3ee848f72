// The palette: go to any tool, resource, prompt, screen or action by a few letters.
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from './parts/dialog.tsx'
import { cleanLine } from './parts/text.ts'
import { request } from './state/api.ts'
import { lists, loadList } from './state/lists.ts'
import { goTo, SCREENS } from './state/route.ts'
import { connection } from './state/store.ts'

export const paletteIsOpen = signal(false)

interface Choice {
  readonly kind: string
  readonly label: string
  readonly go: () => void
}

const MAX_SHOWN = 50

export function Palette() {
  return paletteIsOpen.value ? <OpenPalette /> : null
}

function OpenPalette() {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const close = () => {
    paletteIsOpen.value = false
  }
  useEffect(() => {
    for (const kind of ['tools', 'resources', 'prompts'] as const) void loadList(kind)
  }, [])
  const found = find(typed)
  const go = (choice: Choice | undefined) => {
    if (choice === undefined) return
    close()
    choice.go()
  }
  const onKey = (event: KeyboardEvent) => {
    const { value } = event.currentTarget as HTMLInputElement
    // Who types fast may be ahead of what is drawn.
    if (event.key === 'Enter') go(value === typed ? found[at] : find(value)[0])
    else if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1))
    else return
    event.preventDefault()
  }
  return (
    <Dialog label="Search" onClose={close} class="palette">
      <input
        class="input"
        role="combobox"
        aria-label="Search for a tool, resource, prompt, screen or action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[at] === undefined ? undefined : `palette-${at}`}
        placeholder="Tool, resource, prompt, screen or action"
        autocomplete="off"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <div id="palette-list" role="listbox" aria-label="Found" class="palette-list" tabIndex={-1}>
        {found.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard.
          <div
            key={`${choice.kind} ${choice.label}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            class="palette-item"
            onClick={() => go(choice)}
          >
            <span class="muted">{choice.kind}</span> {choice.label}
          </div>
        ))}
      </div>
      {found.length === 0 ? <p class="hint">Nothing matches.</p> : null}
    </Dialog>
  )
}

function find(typed: string): Choice[] {
  return choices()
    .filter(({ kind, label }) => matches(`${kind} ${label}`, typed))
    .slice(0, MAX_SHOWN)
}

function matches(text: string, typed: string): boolean {
  const wanted = typed.toLowerCase().split(/\s+/)
  return wanted.every((word) => text.toLowerCase().includes(word))
}

function choices(): Choice[] {
  const { id } = connection.value ?? {}
  const named = (kind: 'tools' | 'resources' | 'prompts', one: string, key: string) =>
    lists.value[kind].items.map((item) => ({
      kind: one,
      label: cleanLine(String(item[key])),
      go: () => goTo(kind, String(item[key])),
    }))
  const actions: Choice[] =
    id === undefined
      ? []
      : [
          { kind: 'action', label: 'Reconnect', go: () => void request('reconnect', { connection: id }) },
          { kind: 'action', label: 'Disconnect', go: () => void request('disconnect', { connection: id }) },
        ]
  return [
    ...SCREENS.map(([name, label]) => ({ kind: 'screen', label, go: () => goTo(name) })),
    ...actions,
    ...named('tools', 'tool', 'name'),
    ...named('resources', 'resource', 'uri'),
    ...named('prompts', 'prompt', 'name'),
  ]
}
