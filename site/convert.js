// A page of the repository as a page of the site: its links lead to pages of the site, and it has pictures that the package leaves out.
import { posix } from 'node:path'
import { ROOT_PAGES } from './nav.js'

/** The same page under the name that it has on the site. */
export const nameOnSite = (page) => page.replace(/(^|\/)README\.md$/, '$1index.md')

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

/** Pictures that are too large for the package. Its pages have them as comments. */
const ON_THE_SITE = /<!-- on the site: (!\[[^\]]*\]\([^)\s]+\)) -->/g

/** `from` is the path of a page in the repository, `to` its path on the site. */
export function convertPage(text, from, to) {
  const parts = text.split(/(^```[\s\S]*?^```)/m)
  const converted = parts.map((part, index) => {
    if (index % 2 === 1) return part
    return part
      .replaceAll(ON_THE_SITE, '$1')
      .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
      .replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, mark, label, link) => {
        if (/^(?:\w+:|#)/.test(link)) return whole
        const there = linkOnSite(from, to, link)
        return there === undefined ? label : `${mark}[${label}](${there})`
      })
  })
  return converted.join('')
}
