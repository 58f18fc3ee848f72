// The form of the help table. Commander, `--help`, the pages in docs/cli and the completion scripts are made from its entries.

/** The groups of the top-level help, in their order. */
export const GROUPS = ['Build', 'Use', 'Debug', 'Connect hosts', 'Ship', 'Other'] as const

export type Group = (typeof GROUPS)[number]

/** What the word of an argument or option is, for checks and for completion. */
export type ValueKind =
  | 'text'
  | 'port'
  | 'count'
  | 'seconds'
  | 'file'
  | 'folder'
  | 'target'
  | 'server-file'
  | 'tool'
  | 'prompt'
  | 'uri'
  | 'tool-argument'
  | 'prompt-argument'
  | 'task'
  | 'host'

export interface ArgumentHelp {
  /** `<file>`, `[target]`, `[key=value...]`. */
  readonly name: string
  readonly text: string
  readonly kind?: ValueKind
  readonly choices?: readonly string[]
}

export interface OptionHelp {
  /** `-p, --port <port>`. */
  readonly flags: string
  /** Imperative or a noun, a capital first, no full stop; the default in brackets. */
  readonly text: string
  readonly kind?: ValueKind
  readonly choices?: readonly string[]
  /** May be given several times. */
  readonly repeats?: boolean
  /** An old spelling: accepted, not shown. */
  readonly isHidden?: boolean
}

/** Options that several verbs share, under a heading of their own. */
export interface OptionGroup {
  readonly title: string
  readonly options: readonly OptionHelp[]
}

export interface Example {
  /** As it is typed, `mcpwire` first. Tests run it in a folder with the fixtures of the help table. */
  readonly command: string
  /** Why a test cannot run it to its end: it needs a network, a host or a person. */
  readonly notRun?: string
  /** It runs until a signal: what it prints first. */
  readonly runsUntilSignal?: string
}

/** A verb as the list of verbs shows it. */
export interface VerbSummary {
  readonly name: string
  readonly group: Group
  /** Imperative, no full stop. */
  readonly summary: string
}

export interface VerbListing extends VerbSummary {
  load(): Promise<VerbDetails>
}

/** The rest of what is known about a verb. */
export interface VerbDetails {
  /** Full sentences below the summary. */
  readonly description?: string
  /** Without `mcpwire`, as in `call <target> <tool> [key=value ...]`. */
  readonly usage: readonly string[]
  /** What follows `--` is a command, or the arguments of a program. Without it, they are more words. */
  readonly takesDashes?: true
  readonly arguments: readonly ArgumentHelp[]
  readonly options: readonly OptionHelp[]
  readonly sharedOptions: readonly OptionGroup[]
  readonly examples: readonly Example[]
  /** Other verbs. */
  readonly seeAlso: readonly string[]
  /** What each exit code means for this verb. 2, 70 and 130 mean the same everywhere. */
  readonly exitCodes: Readonly<Partial<Record<0 | 1 | 3 | 4 | 5, string>>>
}

export interface VerbHelp extends VerbSummary, VerbDetails {}

/** All options that a user can find, those of the verb first. */
export function shownOptions(verb: VerbDetails): OptionHelp[] {
  return allOptions(verb).filter(({ isHidden }) => isHidden !== true)
}

export function allOptions({ options, sharedOptions }: VerbDetails): OptionHelp[] {
  return [...options, ...sharedOptions.flatMap((group) => group.options)]
}
