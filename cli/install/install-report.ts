// What install and uninstall print: the result on stdout, notes on stderr, or nothing but JSON.
import type { Output } from '../terminal/output.ts'
import { showLine, showText } from '../terminal/terminal-text.ts'
import type { EntryChange } from './formats/config-format.ts'
import { maskEntry } from './formats/secrets.ts'
import { type HostNote, noteOf } from './host-notes.ts'
import type { InstallPlan } from './install-plan.ts'
import type { OpenedPlace, Place } from './place.ts'
import type { ConfigOutcome } from './text-file.ts'

/** One file, for `--json`. */
export interface Changed extends Partial<HostNote> {
  readonly host: string | undefined
  readonly file: string
  readonly name: string
  readonly state: 'added' | 'replaced' | 'removed' | 'unchanged'
  /** The entry without secrets. */
  readonly entry?: unknown
  /** With `--dry-run`: the lines that would change. */
  readonly diff?: readonly string[]
}

const DID = { added: 'Added', replaced: 'Replaced', removed: 'Removed' } as const
const WOULD = { added: 'add', replaced: 'replace', removed: 'remove' } as const

export function printPlanned(place: Place, opened: OpenedPlace, change: EntryChange, output: Output): Changed {
  const where = placeName(place, opened.path)
  const changed = toChanged(place, opened.path, change)
  if (changed.state === 'unchanged') {
    print(output, `The server '${showLine(change.name)}' is already in ${where}. Nothing would change.`)
    return changed
  }
  const isNew = opened.mode === undefined
  // Of a file that is not there, nothing would go.
  const diff = opened.config.describe(change).filter((line) => !isNew || !line.startsWith('-'))
  const word = changed.state === 'removed' ? 'from' : 'in'
  print(
    output,
    `Would ${WOULD[changed.state]} the server '${showLine(change.name)}' ${word} ${where}${isNew ? ', which would be created' : ''}`,
  )
  print(output, diff.map(showText).join('\n'))
  return { ...changed, diff }
}

export function printUnchanged(place: Place, { path }: ConfigOutcome, name: string, output: Output): Changed {
  print(output, `The server '${showLine(name)}' is already in ${placeName(place, path)}. Nothing was changed.`)
  return { host: place.hostName, file: path, name, state: 'unchanged' }
}

export function printChanged(place: Place, outcome: ConfigOutcome, change: EntryChange, output: Output): Changed {
  const changed = toChanged(place, outcome.path, change)
  const { state, name } = changed
  if (state === 'unchanged') return changed
  const word = state === 'removed' ? 'from' : 'in'
  print(output, `${DID[state]} the server '${showLine(name)}' ${word} ${placeName(place, outcome.path)}`)
  const { kept = [] } = change as Partial<InstallPlan>
  if (kept.length > 0) output.note(`Kept from the entry that was there: ${kept.map(showLine).join(', ')}`)
  noteNarrowed(outcome, output)
  if (changed.next !== undefined && state !== 'removed') {
    output.note(`Next: ${changed.next}`)
    output.note(`If the server does not appear, look here: ${changed.log?.replace('<name>', showLine(name))}`)
  }
  return changed
}

function toChanged({ hostName, host }: Place, file: string, change: EntryChange): Changed {
  const { name, next, edits } = change
  const { replaces = false } = change as Partial<InstallPlan>
  const state = edits.length === 0 ? 'unchanged' : next === undefined ? 'removed' : replaces ? 'replaced' : 'added'
  return {
    host: hostName,
    file,
    name,
    state,
    ...(next !== undefined && { entry: maskEntry(next) }),
    ...(hostName !== undefined && state !== 'removed' && noteOf(host.name)),
  }
}

function placeName({ label }: Place, path: string): string {
  return `${label}: ${showLine(path)}`
}

/** With `--json` the verb prints one document for all files. */
function print(output: Output, text: string): void {
  if (!output.isJSON) output.print(text)
}

function noteNarrowed({ path, narrowedFrom }: ConfigOutcome, output: Output): void {
  if (narrowedFrom === undefined) return
  const bits = narrowedFrom.toString(8).padStart(3, '0')
  output.note(
    `${showLine(path)} holds environment variables, headers or keys, and other users could read it (mode ${bits}). Its mode is 600 now.`,
  )
}
