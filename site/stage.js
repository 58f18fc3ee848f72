// Copies the pages into one folder for VitePress, with links that lead to pages of the site. The sources stay readable by themselves.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { createApiPages } from './api/pages.js'
import { MESSAGES } from './markdown.js'
import { readMessages } from './messages.js'
import { describePage, docs, ROOT_PAGES } from './nav.js'

export const staged = new URL('.pages/', import.meta.url)

/** The same page under the name that it has on the site. */
const nameOnSite = (page) => page.replace(/(^|\/)README\.md$/, '$1index.md')

/** Repository paths that are pages of the site. */
const onSite = new Map(Object.entries(ROOT_PAGES).map(([page, file]) => [posix.join('docs', file), page]))

/** A link from one page of the repository to another file, as a link on the site, or nothing where the site does not have it. */
function linkOnSite(from, to, link) {
  const [path, id] = link.split('#')
  const target = posix.join(posix.dirname(from), path)
  const page =
    onSite.get(target) ??
    (target === 'README.md' ? 'index.md' : target.startsWith('docs/') ? target.slice(5) : undefined)
  if (page === undefined || !(page.endsWith('.md') || /\.(?:png|svg)$/.test(page))) return undefined
  const relative = posix.relative(posix.dirname(to), nameOnSite(page))
  return `${relative.startsWith('.') ? '' : './'}${relative}${id === undefined ? '' : `#${id}`}`
}

/** `from` is the path of a page in the repository, `to` its path on the site. */
export function convertPage(text, from, to) {
  const parts = text.split(/(^```[\s\S]*?^```)/m)
  const converted = parts.map((part, index) => {
    if (index % 2 === 1) return part
    return part
      .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
      .replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, mark, label, link) => {
        if (/^(?:\w+:|#)/.test(link)) return whole
        const there = linkOnSite(from, to, link)
        return there === undefined ? label : `${mark}[${label}](${there})`
      })
  })
  return converted.join('')
}

const errorOf = (page) => /^errors\/(.+)\.md$/.exec(page)?.[1]

/** A page about an error ends with all messages that lead to it. */
function withMessages(text, messages) {
  if (messages === undefined) return text
  // As code, so that nothing in a message is a link or a mark.
  const items = [...messages].map((message) => (message.includes('`') ? `- \`\` ${message} \`\`` : `- \`${message}\``))
  const start = text.includes(`## ${MESSAGES}`) ? text.trimEnd() : `${text}\n## ${MESSAGES}\n`
  return `${start}\n${items.join('\n')}\n`
}

function frontMatter(page) {
  const { title, description } = describePage(page)
  const isList = /(?:^|\/)(?:spec-map|faults|changes|conformance)$/.test(page)
  const lines = [`title: ${JSON.stringify(title)}`, `description: ${JSON.stringify(description)}`]
  if (page === 'index') lines.push('pageClass: home', 'aside: false')
  if (isList || page.startsWith('project/')) lines.push('search: false')
  return `---\n${lines.join('\n')}\n---\n\n`
}

function write(page, text) {
  const file = new URL(page, staged)
  mkdirSync(new URL('.', file), { recursive: true })
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

/** Writes all pages. `withApi` also writes those of the entry points, which takes longer. */
export function stagePages({ withApi = true } = {}) {
  if (withApi) rmSync(staged, { recursive: true, force: true })
  mkdirSync(staged, { recursive: true })
  const files = readdirSync(docs, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))
  const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('examples/'))
  const messages = readMessages()
  for (const page of pages) {
    const text = withMessages(readFileSync(new URL(page, docs), 'utf8'), messages.get(errorOf(page)))
    write(nameOnSite(page), frontMatter(page.slice(0, -3)) + convertPage(text, `docs/${page}`, nameOnSite(page)))
  }
  for (const [page, file] of Object.entries(ROOT_PAGES)) {
    const text = readFileSync(new URL(file, docs), 'utf8')
    write(page, frontMatter(page.slice(0, -3)) + convertPage(text, posix.join('docs', file), page))
  }
  if (existsSync(new URL('images', docs)))
    cpSync(new URL('images', docs), new URL('images', staged), { recursive: true })
  cpSync(new URL('public', import.meta.url), new URL('public', staged), { recursive: true })
  if (withApi) for (const [page, text] of createApiPages()) write(page, text)
}
