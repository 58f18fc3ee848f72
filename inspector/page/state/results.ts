// Results of calls, fetched once they are there and wanted.
import { signal } from '@preact/signals'
import { fetchText } from './api.ts'

const MAX_KEPT = 20

export const results = signal<ReadonlyMap<string, string>>(new Map())
const asked = new Set<string>()

export function loadResult(call: string): void {
  if (asked.has(call)) return
  asked.add(call)
  fetchText('result', call)
    .then((text) => keep(call, text))
    .catch(() => keep(call, ''))
}

function keep(call: string, text: string): void {
  const kept = [...results.peek(), [call, text] as const].slice(-MAX_KEPT)
  results.value = new Map(kept)
  for (const one of asked) if (!results.value.has(one) && one !== call) asked.delete(one)
}
