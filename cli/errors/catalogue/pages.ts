// The pages in docs/errors, written from the catalogue: one per error, and a list of all.
import { GROUPS } from './catalogue.ts'
import type { CatalogueEntry } from './entry.ts'

/** What provokes an error: a program, or commands for a shell. */
export interface ErrorExample {
  readonly file: string
  readonly text: string
}

/** The text of each file in docs/errors. */
export function createErrorPages(exampleOf: (slug: string) => ErrorExample | undefined): Map<string, string> {
  const pages = new Map([['README.md', createList()]])
  for (const entries of Object.values(GROUPS)) {
    for (const [slug, entry] of Object.entries(entries))
      pages.set(`${slug}.md`, createPage(slug, entry, exampleOf(slug)))
  }
  return pages
}

function createPage(slug: string, entry: CatalogueEntry, example: ErrorExample | undefined): string {
  const { message, cause, fix, onCommandLine, since } = entry
  const parts = [
    `# ${showMessage(message)}`,
    `Thrown by: ${describeClass(entry)} Slug: \`${slug}\`${since === undefined ? '' : `, since ${since}`}.`,
    `## Why\n\n${cause}`,
    `## Fix\n\n${fix.map((step, index) => `${index + 1}. ${step}`).join('\n')}`,
  ]
  if (onCommandLine !== undefined) parts.push(`On the command line: ${onCommandLine.replaceAll('<', '&lt;')}`)
  if (example !== undefined) {
    const { file, text } = example
    const [what, language] = file.endsWith('.sh')
      ? ['These commands provoke it', 'sh']
      : ['This program provokes it', 'ts']
    parts.push(`## Example\n\n${what}:\n\n\`\`\`${language}\n${text}\`\`\``)
  }
  // The last section: the site goes on with the wordings that it finds in the source.
  if (entry.also !== undefined) {
    parts.push(`## Other messages\n\n${entry.also.map((text) => `- \`${showMessage(text)}\``).join('\n')}`)
  }
  return `${parts.join('\n\n')}\n`
}

function describeClass({ class: name, code }: CatalogueEntry): string {
  if (/^HTTP \d/.test(name)) return `The server, as an HTTP response with the status ${name.slice('HTTP '.length)}.`
  if (name.startsWith('Exit code')) return `The command line, with exit code ${name.slice('Exit code '.length)}.`
  if (name === 'Result with isError') return 'The server, as a result with `isError: true`. Nothing is thrown.'
  return `\`${name}\`${code === undefined ? '' : `, code ${code}`}.`
}

/** Placeholders would be HTML. */
function showMessage(message: string): string {
  return message.replaceAll('<', '‹').replaceAll('>', '›')
}

function createList(): string {
  const parts = Object.entries(GROUPS).map(([title, entries]) => {
    const rows = Object.entries(entries).map(
      ([slug, { message }]) => `- [${slug}](${slug}.md): ${showMessage(message)}`,
    )
    return `## ${title}\n\n${rows.join('\n')}`
  })
  const intro =
    'Errors of mcpwire have a property `help` with the path of their page here. The command line names it too, with `--json` as\n' +
    '`help`. Parts in ‹…› differ from case to case.'
  return `# Errors\n\n${intro}\n\n${parts.join('\n\n')}\n`
}
