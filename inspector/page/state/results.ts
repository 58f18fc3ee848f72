// Results of calls, fetched once they are there and wanted.
import { signal } from '@preact/signals'
import { fetchText } from './api.ts'

const MAX_KEPT = 20

export const results = signal<ReadonlyMap<string, string>>(new Map())
const asked = new Map<string, Promise<string>>()

/** The result as JSON text; empty where the inspector no longer keeps it. */
export function loadResult(call: string): Promise<string> {
  const loading = asked.get(call)
  if (loading !== undefined) return loading
  const text = fetchText('result', call).catch(() => '')
  asked.set(call, text)
  void text.then((loaded) => keep(call, loaded))
  return text
}

function keep(call: string, text: string): void {
  const kept = [...results.peek(), [call, text] as const]
  for (const [old] of kept.splice(0, kept.length - MAX_KEPT)) asked.delete(old)
  results.value = new Map(kept)
}
