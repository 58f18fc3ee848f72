// The keyboard map. Single letters work only where no field has the focus.
import { useEffect } from 'preact/hooks'
import { helpIsOpen, lettersAreOn } from './help.tsx'
import { paletteIsOpen } from './palette.tsx'
import { request } from './state/api.ts'
import { goTo, SCREENS } from './state/route.ts'
import { screenKeys } from './state/screen-keys.ts'
import { connection } from './state/store.ts'

/** The second key of `g` must come within this time. */
const SEQUENCE_MS = 1_500
let goAt = 0

export function useKeyboard(): void {
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented) return
  const { key } = event
  if (event.ctrlKey || event.metaKey) onCommand(event, key)
  else if (document.querySelector('dialog[open]') !== null) return
  else if (key === 'F6') act(event, () => moveColumn(event.shiftKey ? -1 : 1))
  else if (key === 'Escape' && isField(document.activeElement)) (document.activeElement as HTMLElement).blur()
  else if (event.altKey || isField(document.activeElement)) return
  else if (key === 'ArrowDown' || key === 'ArrowUp') moveItem(event, key === 'ArrowDown' ? 1 : -1)
  else if (lettersAreOn.value) onLetter(event, key)
}

function onCommand(event: KeyboardEvent, key: string): void {
  const { cancel, call } = screenKeys()
  if (key === 'k') {
    act(event, () => {
      paletteIsOpen.value = !paletteIsOpen.value
    })
  } else if (key === '.') act(event, cancel)
  else if (key === 'Enter') act(event, call)
}

function onLetter(event: KeyboardEvent, key: string): void {
  const current = screenKeys()
  const isSecond = performance.now() - goAt < SEQUENCE_MS
  goAt = 0
  if (isSecond) {
    const screen = SCREENS.find(([, , letter]) => letter === key)?.[0]
    if (screen !== undefined) {
      act(event, () => goTo(screen))
      return
    }
  }
  if (key === 'g') {
    goAt = performance.now()
    return
  }
  const { id } = connection.value ?? {}
  const actions: Record<string, (() => unknown) | undefined> = {
    '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
    j: () => moveItem(event, 1, true),
    k: () => moveItem(event, -1, true),
    e: current.switchView,
    y: current.copyResult,
    Y: current.copyCommand,
    r: current.repeat,
    R: id === undefined ? undefined : () => void request('reconnect', { connection: id }).catch(() => {}),
    ' ': isButton(document.activeElement) ? undefined : current.pause,
    '?': () => (helpIsOpen.value = true),
  }
  act(event, actions[key])
}

function act(event: KeyboardEvent, action: (() => unknown) | undefined): void {
  if (action === undefined) return
  event.preventDefault()
  action()
}

function isField(element: Element | null): boolean {
  return element?.matches('input, textarea, select, [contenteditable]') === true
}

function isButton(element: Element | null): boolean {
  return element?.matches('button, a, summary, [role="tab"]') === true
}

/** Arrows move within a list that has the focus; letters go to it from anywhere. */
function moveItem(event: KeyboardEvent, step: number, fromAnywhere = false): void {
  const focused = document.activeElement
  const list = focused?.closest('[data-list]') ?? (fromAnywhere ? document.querySelector('[data-list]') : null)
  if (list === null) return
  const items = [...list.querySelectorAll<HTMLElement>('.item')]
  const from = items.indexOf(focused as HTMLElement)
  const at = from >= 0 ? from : items.findIndex((item) => item.getAttribute('aria-current') === 'true')
  const next = items[at < 0 ? 0 : Math.min(items.length - 1, Math.max(0, at + step))]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

function moveColumn(step: number): void {
  const columns = [...document.querySelectorAll<HTMLElement>('.screens, .list-column, .work, .side')]
  const at = columns.findIndex((column) => column.contains(document.activeElement))
  const next = columns[(at + step + columns.length) % columns.length]
  next?.querySelector<HTMLElement>('[aria-current], input, button, a, select, textarea, [tabindex="0"]')?.focus()
}
