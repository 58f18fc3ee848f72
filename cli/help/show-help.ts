// `--help`, of a verb and of the whole command line, from the help table.
import { twoColumns, wrap } from '../terminal/columns.ts'
import type { Paint } from '../terminal/output.ts'
import { GROUPS, type OptionHelp, type VerbHelp, type VerbSummary } from './verb-help.ts'

export interface HelpStyle {
  paint: Pick<Paint, 'bold' | 'dim'>
  /** Columns of the terminal. */
  width: number
}

/** Beyond this, lines are hard to read. */
const MAX_WIDTH = 100

/** The page of a verb in the package. */
export function pageOf(verb: string): string {
  return `mcpwire/docs/cli/${verb}.md`
}

export function showVerbHelp(verb: VerbHelp, style: HelpStyle): string {
  const width = Math.min(style.width, MAX_WIDTH)
  const heading = (text: string) => style.paint.bold(text)
  const columns = (rows: readonly (readonly [string, string])[]) => twoColumns(rows, { width })
  const { summary, description, usage, examples, options, sharedOptions, seeAlso } = verb
  const blocks = [
    wrap(`${summary}.`, width),
    description === undefined ? [] : wrap(description, width),
    [heading('Usage'), ...usage.map((line) => `  mcpwire ${line}`)],
    verb.arguments.length === 0
      ? []
      : [heading('Arguments'), ...columns(verb.arguments.map(({ name, text }) => [name, text]))],
    [heading('Examples'), ...examples.map(({ command }) => `  ${command}`)],
    ...[{ title: 'Options', options }, ...sharedOptions].map((group) => {
      const rows = optionRows(group.options)
      return rows.length === 0 ? [] : [heading(group.title), ...columns(rows)]
    }),
    [
      ...wrap(`Exit codes: ${exitCodesOf(verb)}`, width),
      ...(seeAlso.length === 0 ? [] : wrap(`See also: ${seeAlso.map((name) => `mcpwire ${name}`).join(', ')}`, width)),
      `Docs: ${pageOf(verb.name)}`,
    ],
  ]
  return toText(blocks)
}

export function showOverallHelp(
  verbs: readonly VerbSummary[],
  style: HelpStyle,
  globals: readonly OptionHelp[],
): string {
  const width = Math.min(style.width, MAX_WIDTH)
  const groups = GROUPS.map((group) => ({ group, members: verbs.filter((verb) => verb.group === group) }))
  const blocks = [
    wrap('Run, call, inspect and install MCP servers.', width),
    [style.paint.bold('Usage'), '  mcpwire <command> [arguments] [options]'],
    ...groups
      .filter(({ members }) => members.length > 0)
      .map(({ group, members }) => [
        style.paint.bold(group),
        ...twoColumns(
          members.map(({ name, summary }) => [name.padEnd(11), summary] as const),
          { width },
        ),
      ]),
    [style.paint.bold('Options'), ...twoColumns(optionRows(globals), { width })],
    [
      ...wrap('A target is a URL, a file with a server, @name of a configured server, or a command after --.', width),
      ...wrap('Run mcpwire <command> --help for a command.', width),
      'Docs: mcpwire/docs/command-line.md',
    ],
  ]
  return toText(blocks)
}

/** `0 added, 2 usage, 3 the server does not start`. */
export function exitCodesOf({ exitCodes }: VerbHelp): string {
  const meanings = Object.entries({ ...exitCodes, 2: 'wrong command line' })
  return meanings.map(([code, meaning]) => `${code} ${meaning}`).join(', ')
}

function optionRows(options: readonly OptionHelp[]): (readonly [string, string])[] {
  return options
    .filter(({ isHidden }) => isHidden !== true)
    .map((option) => [flagsColumn(option), textOfOption(option)] as const)
}

/** Options without a letter stand below those with one. */
function flagsColumn({ flags }: OptionHelp): string {
  return flags.startsWith('--') ? `    ${flags}` : flags
}

/** With what can be chosen, and whether it repeats. */
export function textOfOption({ text, choices, repeats }: OptionHelp): string {
  const chosen = choices === undefined ? '' : `: ${choices.join(', ')}`
  const [, head = text, rest = ''] = /^(.*?)( \(.*\))$/.exec(text) ?? []
  return `${head}${chosen}${repeats === true ? '; repeatable' : ''}${rest}`
}

function toText(blocks: readonly (readonly string[])[]): string {
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}
