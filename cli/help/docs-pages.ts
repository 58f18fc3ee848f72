// The pages docs/cli/*.md, made from the help table.
import { EXIT_MEANINGS } from '../terminal/exit-codes.ts'
import { textOfOption } from './show-help.ts'
import { GROUPS, type OptionHelp, type VerbHelp } from './verb-help.ts'

const WRITTEN = '<!-- Written by `npm run docs:cli` from cli/help. Change the table there. -->'

/** The pages by their file names. */
export function createPages(verbs: readonly VerbHelp[]): Map<string, string> {
  const pages = verbs.map((verb) => [`${verb.name}.md`, createPage(verb)] as const)
  return new Map([['README.md', createIndex(verbs)], ...pages])
}

function createIndex(verbs: readonly VerbHelp[]): string {
  const groups = GROUPS.flatMap((group) => {
    const members = verbs.filter((verb) => verb.group === group)
    if (members.length === 0) return []
    const rows = members.map(({ name, summary }) => [`[\`${name}\`](${name}.md)`, cell(summary)])
    return [`## ${group}`, table(['command', 'does'], rows)]
  })
  return toPage([
    '# Commands',
    WRITTEN,
    '[The command line](../command-line.md) explains targets, arguments, output and exit codes.',
    ...groups,
  ])
}

function createPage(verb: VerbHelp): string {
  const { name, summary, description, usage, examples, options, sharedOptions, seeAlso } = verb
  return toPage([
    `# mcpwire ${name}`,
    WRITTEN,
    `${summary}.`,
    ...(description === undefined ? [] : [withoutTags(description)]),
    fence('text', usage.map((line) => `mcpwire ${line}`).join('\n')),
    '## Examples',
    fence('sh', examples.map(({ command }) => command).join('\n')),
    ...(verb.arguments.length === 0
      ? []
      : [
          '## Arguments',
          table(
            ['argument', 'meaning'],
            verb.arguments.map(({ name: word, text }) => [`\`${cell(word)}\``, cell(text)]),
          ),
        ]),
    ...[{ title: 'Options', options }, ...sharedOptions].flatMap((group) => {
      const rows = optionRows(group.options)
      return rows.length === 0 ? [] : [`## ${group.title}`, table(['option', 'meaning'], rows)]
    }),
    '## Exit codes',
    table(['code', 'meaning'], exitRows(verb)),
    ...(seeAlso.length === 0 ? [] : [`See also: ${seeAlso.map((other) => `[\`${other}\`](${other}.md)`).join(', ')}.`]),
  ])
}

function optionRows(options: readonly OptionHelp[]): string[][] {
  return options
    .filter(({ isHidden }) => isHidden !== true)
    .map((option) => [`\`${cell(option.flags)}\``, cell(textOfOption(option))])
}

/** What a code means for this verb, or for all of them. */
function exitRows({ exitCodes }: VerbHelp): string[][] {
  const own = Object.entries(exitCodes) as [string, string][]
  const common = EXIT_MEANINGS.filter(([code]) => ['2', '70', '130, 143'].includes(code))
  return [...own, ...common]
    .sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map(([code, meaning]) => [code, cell(capital(meaning))])
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** Words in angle brackets would be tags. */
function withoutTags(text: string): string {
  return text.replaceAll('<', '&lt;')
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

function toPage(blocks: readonly string[]): string {
  return `${blocks.join('\n\n')}\n`
}
