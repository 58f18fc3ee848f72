// Links between pages lead to files and headings that exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md') && !file.startsWith('docs/examples/')),
]

/** A page without its code, in which brackets are no links. */
const prose = (page: string) =>
  readFileSync(join(root, page), 'utf8')
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '))

/** The id that Git hosts and the site give a heading. */
function idOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function idsOf(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => idOf(heading as string))
}

function deadLinksOf(page: string): string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string)
  return links.filter((link) => {
    if (/^\w+:/.test(link)) return false
    const [path, id] = link.split('#')
    const file = path === '' || path === undefined ? page : join(dirname(page), path)
    if (!existsSync(join(root, file))) return true
    return id !== undefined && !idsOf(file).includes(id)
  })
}

describe('docs D1: links', () => {
  it.each(pages)('of %s lead somewhere', (page) => {
    expect(deadLinksOf(page)).toEqual([])
  })
})
