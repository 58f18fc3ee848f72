// The lists of pages beside a page. They are the same for many pages, so that no page carries them as data for the browser: the
// list of a part is HTML, and the browser loads that of another part with the first page of it.
import { entryPoints } from './api/pages.js'
import { readNavigation } from './nav.js'

const navigation = readNavigation()

const linkOf = (page) => `/${page.replace(/(^|\/)README$/, '$1index')}`

const list = (groups, label = ({ title }) => title) =>
  groups.map(({ title, pages }) => ({
    title,
    items: pages.map((page) => ({ text: label(page), link: linkOf(page.page) })),
  }))

/** The groups of pages of each part of the site. */
const parts = {
  guide: list(navigation.guide),
  commands: list(navigation.commands, ({ title }) => title.replace(/^mcpwire /, '')),
  errors: [
    { title: 'Errors', items: [{ text: 'All errors', link: '/errors/index' }] },
    ...list(navigation.errors, ({ page }) => page.replace('errors/', '')),
  ],
  api: [
    {
      title: 'API',
      items: [
        { text: 'All entry points', link: '/api/index' },
        ...entryPoints().map(({ path, page }) => ({ text: path, link: `/${page.replace(/\.md$/, '')}` })),
      ],
    },
  ],
}

export const firstGuide = parts.guide[0].items[0].link

/** Links to the pages before and after a page, as VitePress reads them from a page. */
export function neighbours(page) {
  const link = `/${page.replace(/\.md$/, '')}`
  for (const groups of Object.values(parts)) {
    const items = groups.flatMap((group) => group.items)
    const index = items.findIndex((item) => item.link === link)
    if (index >= 0) return { prev: items[index - 1] ?? false, next: items[index + 1] ?? false }
  }
  return { prev: false, next: false }
}

const escapeHtml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const addressOf = (link) => (link.endsWith('/index') ? link.slice(0, -'index'.length) : `${link}.html`)

function listHtml(groups) {
  return groups
    .map(({ title, items }) => {
      const links = items.map(({ text, link }) => `<li><a href="${addressOf(link)}">${escapeHtml(text)}</a>`)
      return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`
    })
    .join('')
}

const PREFIX = 'virtual:sidebar/'

/** Vite's plugin for `virtual:sidebar/guide` and the other parts: each module is the HTML of one list. */
export const sidebars = {
  name: 'sidebars',
  resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
  load(id) {
    if (!id.startsWith(`\0${PREFIX}`)) return undefined
    return `export default ${JSON.stringify(listHtml(parts[id.slice(PREFIX.length + 1)]))}`
  },
}
