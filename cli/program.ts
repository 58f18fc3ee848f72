// The commands as commander parses them, made from the help table.

import { OUTPUT } from './help/shared-options.ts'
import { type HelpStyle, showOverallHelp, showVerbHelp } from './help/show-help.ts'
import { loadVerb } from './help/table.ts'
import { allOptions, type OptionHelp, type ValueKind, type VerbHelp, type VerbListing } from './help/verb-help.ts'
import { Command, CommanderError, InvalidArgumentError, Option } from './packages/commander.ts'
import { type Failure, usageFailure } from './terminal/failure.ts'
import { suggest } from './terminal/nearest.ts'
import type { OutputOptions } from './terminal/output.ts'

export interface ParsedCommand {
  readonly verb: string
  readonly words: readonly string[]
  readonly afterDashes: readonly string[] | undefined
  readonly options: Record<string, unknown> & OutputOptions
}

export interface ParseOptions {
  readonly verbs: readonly VerbListing[]
  readonly version: () => string
  /** Gets the help and the version: to stdout where they were asked for. */
  readonly write: (text: string) => void
  readonly style: HelpStyle
}

/** What was typed, as a verb gets it; `undefined` where help or the version was asked for and written. Throws `Failure`. */
export async function parseCommand(argv: readonly string[], options: ParseOptions): Promise<ParsedCommand | undefined> {
  const dashes = argv.indexOf('--')
  const typed = dashes === -1 ? argv : argv.slice(0, dashes)
  const verb = await findVerb(typed, options.verbs)
  const rest = dashes === -1 ? undefined : argv.slice(dashes + 1)
  const [moreWords, afterDashes] = verb?.takesDashes === true ? [[], rest] : [rest ?? [], undefined]
  let parsed: ParsedCommand | undefined
  const program = createProgram(options, verb, (words, given) => {
    if (verb !== undefined) parsed = { verb: verb.name, words, afterDashes, options: given }
  })
  try {
    program.parse([...typed.map(shield), ...(moreWords.length > 0 ? ['--', ...moreWords] : [])], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    throw toUsageFailure(error, { verb, typed }, options.verbs, () => program.helpInformation())
  }
  return parsed
}

/** The first word that is no option: those that may stand before it take no value. `help call` is `call --help`. */
async function findVerb(typed: readonly string[], verbs: readonly VerbListing[]): Promise<VerbHelp | undefined> {
  const [first, second] = wordsOf(typed)
  const word = first === 'help' ? second : first
  const listing = verbs.find(({ name }) => name === word)
  return listing && loadVerb(listing)
}

function wordsOf(typed: readonly string[]): string[] {
  return typed.filter((each) => !each.startsWith('-'))
}

type OnCommand = (words: readonly string[], options: Record<string, unknown>) => void

function createProgram(
  { verbs, version, write, style }: ParseOptions,
  verb: VerbHelp | undefined,
  onCommand: OnCommand,
): Command {
  const program = configure(new Command('mcpwire'), write)
  for (const option of OUTPUT.options) addOption(program, option)
  const globals = [...OUTPUT.options, { flags: '-V, --version', text: 'Print the version' }]
  program.helpInformation = () => showOverallHelp(verbs, style, globals)
  program.option('-V, --version', 'Print the version').on('option:version', () => {
    write(version())
    throw new CommanderError(0, 'commander.version', version())
  })
  for (const { name } of verbs) configure(program.command(name), write)
  const command = program.commands.find((each) => each.name() === verb?.name)
  if (verb === undefined || command === undefined) return program
  command.helpInformation = () => showVerbHelp(verb, style)
  for (const { name } of verb.arguments) command.argument(name)
  for (const option of allOptions(verb)) addOption(command, option)
  command.allowExcessArguments().action(() => {
    const words = command.args.map(unshield)
    rejectMoreWords(verb, words)
    onCommand(words, withGlobals(program.opts(), command.opts()))
  })
  return program
}

function configure(command: Command, write: (text: string) => void): Command {
  return command
    .configureOutput({ writeOut: (text) => write(text.trimEnd()), writeErr: () => {}, outputError: () => {} })
    .exitOverride()
}

function addOption(command: Command, { flags, text, choices, repeats, kind }: OptionHelp): void {
  const option = new Option(flags, text)
  if (choices !== undefined) option.choices([...choices])
  else if (repeats === true)
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
  else if (kind !== undefined && PARSERS[kind] !== undefined) option.argParser(PARSERS[kind])
  command.addOption(option)
}

function rejectMoreWords(verb: VerbHelp, words: readonly string[]): void {
  const extra = words[verb.arguments.length]
  if (extra === undefined || verb.arguments.some(({ name }) => name.includes('...'))) return
  throw usageFailure(`Unexpected argument "${extra}".`, usageOf(verb))
}

/** Ids of tasks are random letters, and may begin with the sign of an option. No option is as long as they are. */
const LONG_WORD = /^-[\w-]{30,}$/
const SHIELD = '\u0000'

function shield(word: string): string {
  return LONG_WORD.test(word) ? `${SHIELD}${word}` : word
}

function unshield(word: string): string {
  return word.startsWith(SHIELD) ? word.slice(SHIELD.length) : word
}

/** Options may stand before the verb or after it. */
function withGlobals(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...before, ...after }
  if (before['color'] === false) merged['color'] = false
  return merged
}

const PARSERS: Partial<Record<ValueKind, (text: string) => unknown>> = {
  port: (text) => toNumber(text, 'a whole number from 0 to 65535', (port) => Number.isInteger(port) && port <= 65_535),
  count: (text) =>
    toNumber(
      text,
      'a whole number from 1 to 10000',
      (count) => Number.isInteger(count) && count >= 1 && count <= 10_000,
    ),
  seconds: (text) => toNumber(text, 'a number of seconds, up to 86400', (seconds) => seconds > 0 && seconds <= 86_400),
}

function toNumber(text: string, expected: string, fits: (value: number) => boolean): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && fits(value)) return value
  throw new InvalidArgumentError(`Use ${expected}.`)
}

/** The messages of commander, as ours are written. */
function toUsageFailure(
  { code, message }: CommanderError,
  { verb, typed }: { verb: VerbHelp | undefined; typed: readonly string[] },
  verbs: readonly VerbListing[],
  overview: () => string,
): Failure {
  const help = `Run mcpwire ${verb === undefined ? '' : `${verb.name} `}--help.`
  const [, quoted = ''] = /'([^']*)'/.exec(message) ?? []
  switch (code) {
    case 'commander.unknownCommand':
      return unknownCommand(quoted, verbs)
    case 'commander.unknownOption': {
      const known = [...(verb === undefined ? OUTPUT.options : allOptions(verb))].flatMap(({ flags }) => namesOf(flags))
      return usageFailure(`Unknown option "${quoted}".${suggest(quoted, known)}`, help)
    }
    case 'commander.missingArgument':
      return usageFailure(`The argument <${quoted}> is missing.`, usageOf(verb) ?? help)
    case 'commander.optionMissingArgument':
      return usageFailure(`The option ${quoted} needs a value.`, help)
    case 'commander.help': {
      const [first, second] = wordsOf(typed)
      if (first === 'help' && second !== undefined) return unknownCommand(second, verbs)
      return usageFailure('The command is missing.', overview())
    }
    default:
      return usageFailure(sentence(message.replace(/^error: /, '')), help)
  }
}

function unknownCommand(word: string, verbs: readonly VerbListing[]): Failure {
  const names = verbs.map(({ name }) => name)
  return usageFailure(`Unknown command "${word}".${suggest(word, names)}`, 'Run mcpwire --help to see all commands.')
}

function usageOf(verb: VerbHelp | undefined): string | undefined {
  return verb && `Usage: ${verb.usage.map((line) => `mcpwire ${line}`).join(' or ')}`
}

/** `--port`, `-p` of `-p, --port <port>`. */
export function namesOf(flags: string): string[] {
  return flags.split(/,\s*/).map((flag) => flag.split(/[\s=]/)[0] ?? flag)
}

function sentence(text: string): string {
  const [first = ''] = text
  return `${first.toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`
}
