// The names of tools that the last `list` saw, by target, for completion: completing a word connects to nothing.
import { resolve } from 'node:path'
import { isPlainObject } from '../terminal/primitives.ts'
import { cacheFile, readUserFile, writeUserFile } from './user-files.ts'

const MAX_TARGETS = 100
const MAX_NAMES = 2_000

type Cache = Record<string, string[]>

function readCache(): Cache {
  const kept = readUserFile(cacheFile('tools.json'))
  if (!isPlainObject(kept)) return {}
  const entries = Object.entries(kept).filter(
    ([, names]) => Array.isArray(names) && names.every((name) => typeof name === 'string'),
  )
  return Object.fromEntries(entries) as Cache
}

/** The same target in another folder is another one. */
function keyOf(label: string): string {
  return /^(?:@|https?:|:\d|-- )/.test(label) ? label : resolve(label)
}

export function rememberTools(label: string, names: readonly string[]): void {
  const { [keyOf(label)]: _before, ...others } = readCache()
  const kept = Object.entries(others).slice(-(MAX_TARGETS - 1))
  writeUserFile(cacheFile('tools.json'), Object.fromEntries([...kept, [keyOf(label), names.slice(0, MAX_NAMES)]]))
}

/** Only names that a shell takes as one word. */
export function rememberedTools(label: string): string[] {
  return (readCache()[keyOf(label)] ?? []).filter((name) => /^[\w./:@-]+$/.test(name))
}
