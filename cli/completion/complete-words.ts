// What may come next on a command line, from the help table. Nothing is connected to and no server is started.
import type { Keys, Offers } from '../files/offers-cache.ts'
import {
  type ArgumentHelp,
  allOptions,
  type OptionHelp,
  shownOptions,
  type ValueKind,
  type VerbHelp,
} from '../help/verb-help.ts'

export interface CompletionSources {
  /** What a target offers, as the last `list` of it has seen it. */
  offers(target: string): Offers
  /** Ids of tasks that this machine has started. */
  tasks(): Promise<readonly string[]>
  /** Names of configured servers. */
  servers(): Promise<readonly string[]>
  hosts(): Promise<readonly string[]>
}

export interface Completion {
  readonly words: readonly string[]
  /** The shell adds the names of files. */
  readonly takesFiles: boolean
}

const NOTHING: Completion = { words: [], takesFiles: false }

/** `before` are the words after `mcpwire` and before the one at the cursor. */
export async function completeWords(
  before: readonly string[],
  current: string,
  verbs: readonly VerbHelp[],
  sources: CompletionSources,
): Promise<Completion> {
  // What follows is a command with its own words.
  if (before.includes('--')) return { words: [], takesFiles: true }
  const verb = verbs.find(({ name }) => name === before.find((word) => !word.startsWith('-')))
  if (verb === undefined)
    return startingWith(
      verbs.map(({ name }) => name),
      current,
    )
  const pending = optionThatWaits(before, verb)
  if (pending !== undefined) return valuesOf(pending, current, positionals(before, verb), sources)
  if (current.startsWith('-')) {
    const names = shownOptions(verb).flatMap(({ flags }) => namesOf(flags).filter((name) => name.startsWith('--')))
    return startingWith([...names, '--help'], current)
  }
  const typed = positionals(before, verb)
  const argument = verb.arguments[Math.min(typed.length, verb.arguments.length - 1)]
  if (argument === undefined || (typed.length >= verb.arguments.length && !argument.name.includes('...')))
    return NOTHING
  return valuesOf(argument, current, typed, sources)
}

/** The option before the cursor, where its value is still to come. */
function optionThatWaits(before: readonly string[], verb: VerbHelp): OptionHelp | undefined {
  const last = before.at(-1)
  if (last === undefined) return undefined
  return allOptions(verb).find(({ flags }) => takesValue(flags) && namesOf(flags).includes(last))
}

/** The words that are neither the verb nor an option nor the value of one. */
function positionals(before: readonly string[], verb: VerbHelp): string[] {
  const words = before.slice(before.indexOf(verb.name) + 1)
  const valued = new Set(allOptions(verb).flatMap(({ flags }) => (takesValue(flags) ? namesOf(flags) : [])))
  return words.filter((word, index) => !word.startsWith('-') && !valued.has(words[index - 1] ?? ''))
}

async function valuesOf(
  { choices, kind }: Pick<OptionHelp | ArgumentHelp, 'choices' | 'kind'>,
  current: string,
  typed: readonly string[],
  sources: CompletionSources,
): Promise<Completion> {
  if (choices !== undefined) return startingWith(choices, current)
  const [target = '', name = '', ...pairs] = typed
  if (kind === 'tool') return startingWith(Object.keys(sources.offers(target).tools), current)
  if (kind === 'prompt') return startingWith(Object.keys(sources.offers(target).prompts), current)
  if (kind === 'uri') return startingWith(sources.offers(target).uris, current)
  if (kind === 'tool-argument') return pairsOf(sources.offers(target).tools[name], current, pairs)
  if (kind === 'prompt-argument') return pairsOf(sources.offers(target).prompts[name], current, pairs)
  if (kind === 'task') return startingWith(await sources.tasks(), current)
  if (kind === 'host') return startingWith(await sources.hosts(), current)
  if (kind === 'target' && current.startsWith('@')) {
    return startingWith(
      (await sources.servers()).map((name) => `@${name}`),
      current,
    )
  }
  return { words: [], takesFiles: TAKES_FILES.has(kind ?? 'text') }
}

/** `key=` of those that were not typed, and `key=value` where values can be chosen. `key=@` is a file. */
function pairsOf(keys: Keys = {}, current: string, typed: readonly string[]): Completion {
  const at = current.indexOf('=')
  if (at !== -1) {
    const key = current.slice(0, at)
    if (current[at + 1] === '@') return { words: [], takesFiles: true }
    return startingWith(
      (keys[key] ?? []).map((choice) => `${key}=${choice}`),
      current,
    )
  }
  const isTyped = (key: string) => typed.some((word) => word.startsWith(`${key}=`) || word.startsWith(`${key}:=`))
  return startingWith(
    Object.keys(keys)
      .filter((key) => !isTyped(key))
      .map((key) => `${key}=`),
    current,
  )
}

const TAKES_FILES = new Set<ValueKind>(['file', 'folder', 'target', 'server-file'])

function startingWith(words: readonly string[], current: string): Completion {
  return { words: words.filter((word) => word.startsWith(current)), takesFiles: false }
}

function takesValue(flags: string): boolean {
  return /[<[]/.test(flags)
}

function namesOf(flags: string): string[] {
  return flags.split(/,\s*/).map((flag) => flag.split(/[\s=]/)[0] ?? flag)
}
