// Copies the pages into one folder for VitePress, with links that lead to pages of the site. The sources stay readable by themselves.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { createApiPages } from './api/pages.js'
import { convertPage, nameOnSite } from './convert.js'
import { MESSAGES } from './markdown.js'
import { readMessages } from './messages.js'
import { describePage, docs, ROOT_PAGES } from './nav.js'

export const staged = new URL('.pages/', import.meta.url)

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
  const isList = /(?:^|\/)(?:spec-map|faults|changes(?:-to-[\d.]+)?|conformance)$/.test(page)
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
export async function stagePages({ withApi = true } = {}) {
  if (withApi) rmSync(staged, { recursive: true, force: true })
  mkdirSync(staged, { recursive: true })
  const files = readdirSync(docs, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))
  const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('examples/'))
  const messages = await readMessages()
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
