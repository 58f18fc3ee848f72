// What agents read: a list of all pages, and all guides as one text.
import { readFileSync } from 'node:fs'
import { docs, ROOT_PAGES } from './nav.js'

const HEAD = `# mcpwire

> Model Context Protocol servers and clients in TypeScript: every revision from 2024-11-05 to 2026-07-28, over stdio, HTTP and in process.

The same pages are in the npm package, in node_modules/mcpwire/docs.
`

/** Groups of pages that ship in the package. The errors have their own list. */
const shipped = ({ guide, commands }) =>
  [...guide, ...commands]
    .map(({ title, pages }) => ({ title, pages: pages.filter(({ page }) => !page.startsWith('project/')) }))
    .filter(({ pages }) => pages.length > 0)

const line = ({ page, title, description }) => `- [${title}](${page}.md)${description === '' ? '' : `: ${description}`}`

/** The text of llms.txt: one line per page. */
export function createList(navigation) {
  const groups = shipped(navigation).map(({ title, pages }) => `## ${title}\n\n${pages.map(line).join('\n')}`)
  const errors = '## Errors\n\n- [All errors](errors/README.md): One page per error message, with cause and fix.'
  return `${[HEAD, ...groups, errors]
    .join('\n')
    .replaceAll(/\n(?=## )/g, '\n\n')
    .replaceAll(/\n{3,}/g, '\n\n')}\n`
}

/** Guides, commands and errors one after the other, without the API. */
export function createFullText(navigation) {
  const pages = [...shipped(navigation), ...navigation.errors].flatMap((group) => group.pages)
  const texts = pages.map(({ page }) => readFileSync(new URL(ROOT_PAGES[`${page}.md`] ?? `${page}.md`, docs), 'utf8'))
  return texts.map((text) => text.replaceAll(/<!--[\s\S]*?-->\n?/g, '')).join('\n')
}
