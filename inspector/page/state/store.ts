// What the page knows: the last snapshot of the backend, and the entries that came with it. A reload gets both again.
import { computed, signal } from '@preact/signals'
import type { Entry } from '../../protocol/entries.ts'
import type { CallState, ConnectionState, InspectorState, QuestionState } from '../../protocol/state.ts'

const NOTHING: InspectorState = {
  connections: [],
  calls: [],
  questions: [],
  views: [],
  saved: [],
  answers: [],
  recent: [],
  configured: [],
  version: '',
}

/** As the backend keeps them. */
const MAX_ENTRIES = 5_000

export const snapshot = signal<InspectorState>(NOTHING)
/** Whether the page hears of what happens. */
export const link = signal<'opening' | 'open' | 'lost' | 'refused'>('opening')
/** Set by the user; else the newest connection. */
export const chosenConnection = signal<string | undefined>(undefined)
/** Changes with every batch of entries. The list itself is changed in place: it is long. */
export const entriesChanged = signal(0)
/** What the newest entry number was when entries were lost, and how many the ring holds. */
export const entries: Entry[] = []
/** What a screen reader hears, politely. */
export const announcement = signal('')

export const connection = computed<ConnectionState | undefined>(() => {
  const { connections } = snapshot.value
  return connections.find(({ id }) => id === chosenConnection.value) ?? connections.at(-1)
})

export const calls = computed<readonly CallState[]>(() =>
  snapshot.value.calls.filter((call) => call.connection === connection.value?.id),
)

export const questions = computed<readonly QuestionState[]>(() => snapshot.value.questions)
export const waitingQuestions = computed(() => questions.value.filter(({ status }) => status === 'waiting'))

export function addEntries(added: readonly Entry[]): void {
  const last = entries.at(-1)?.n ?? 0
  for (const entry of added) if (entry.n > last) entries.push(entry)
  if (entries.length > MAX_ENTRIES) entries.splice(0, entries.length - MAX_ENTRIES)
  entriesChanged.value += 1
}

/** Of a process that was started again: its numbers begin anew. */
export function forgetEntries(): void {
  entries.length = 0
  entriesChanged.value += 1
}

/** Entries of the chosen connection. Reads the signals, so that what shows them is drawn again. */
export function entriesOf<Type extends Entry['type']>(...types: readonly Type[]): Extract<Entry, { type: Type }>[] {
  void entriesChanged.value
  const id = connection.value?.id
  return entries.filter((entry) => entry.connection === id && types.includes(entry.type as Type)) as never
}

export function announce(text: string): void {
  // The same text twice would not be read twice.
  announcement.value = announcement.value === text ? `${text} ` : text
}
