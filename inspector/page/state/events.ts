// Reads the stream of events and comes back where it breaks off, with the number of the last entry.
import type { Entry } from '../../protocol/entries.ts'
import type { InspectorState } from '../../protocol/state.ts'
import { RequestFailed, send } from './api.ts'
import { addEntries, entries, forgetEntries, link, snapshot } from './store.ts'

const RETRY_MS = [250, 500, 1_000, 2_000]

/** Called with each entry as it comes, for what is not a list, such as messages to views. */
export const entryListeners = new Set<(entry: Entry) => void>()

export async function followEvents(): Promise<never> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await readStream(() => {
        attempt = 0
      })
      link.value = 'lost'
    } catch (error) {
      link.value = error instanceof RequestFailed && error.status === 401 ? 'refused' : 'lost'
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]))
  }
}

async function readStream(onOpen: () => void): Promise<void> {
  const last = entries.at(-1)?.n ?? 0
  const { body } = await send('/api/events', { headers: { 'last-event-id': String(last) } })
  if (body === null) return
  onOpen()
  link.value = 'open'
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = (rest + value).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) take(part)
  }
}

/** Entries that came and are not shown yet. Many may come between two frames. */
let waiting: Entry[] = []
let latest: InspectorState | undefined
let isScheduled = false

function take(event: string): void {
  const type = /^event: (.*)$/m.exec(event)?.[1]
  const data = /^data: (.*)$/m.exec(event)?.[1]
  if (type === undefined || data === undefined) return
  const value: unknown = JSON.parse(data)
  if (type === 'state') latest = value as InspectorState
  else if (type === 'catch-up') catchUp(value as { first: number; count: number })
  else {
    const entry = value as Entry
    for (const listener of entryListeners) listener(entry)
    waiting.push(entry)
  }
  if (isScheduled) return
  isScheduled = true
  // Not requestAnimationFrame, which stands still in a tab in the background.
  setTimeout(show, 16)
}

function show(): void {
  isScheduled = false
  if (latest !== undefined) snapshot.value = latest
  latest = undefined
  const added = waiting
  waiting = []
  if (added.length > 0) addEntries(added)
}

function catchUp({ first }: { first: number }): void {
  const last = entries.at(-1)?.n ?? 0
  if (first <= last) forgetEntries()
}
