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

const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
const isBelow = (file: string) => (folder: string) => file === folder || file.startsWith(`${folder}/`)

/** Whether npm packs it. */
function isPacked(file: string): boolean {
  const left = files.filter((one) => one.startsWith('!')).map((one) => one.slice(1))
  if (left.some((one) => isBelow(file)(one) || matchesGlob(file, one))) return false
  return ['README.md', 'LICENSE', ...files].some(isBelow(file))
}

/** `*` stands for the name of a file. */
const matchesGlob = (file: string, glob: string) =>
  new RegExp(
    `^${glob
      .split('*')
      .map((part) => part.replaceAll('.', '\\.'))
      .join('[^/]*')}$`,
  ).test(file)

describe('docs D1: links', () => {
  it.each(pages.filter(isPacked))('of %s lead to what is in the package too', (page) => {
    // What is in a comment is not shown: pictures that only the site has.
    const shown = prose(page).replaceAll(/<!--[\s\S]*?-->/g, '')
    const targets = [...shown.matchAll(/\]\(([^)#\s]+)/g)]
      .map(([, link]) => link as string)
      .filter((link) => !/^\w+:/.test(link))
      .map((link) => join(dirname(page), link).replaceAll('\\', '/').replace(/\/$/, ''))
    expect(targets.filter((target) => !isPacked(target))).toEqual([])
  })

  it('finds a picture that is not packed', () => {
    expect(isPacked('docs/images/flow-modern.svg')).toBe(true)
    expect(isPacked('docs/images/inspector-tools.png')).toBe(false)
    expect(isPacked('docs/examples/start/server.ts')).toBe(false)
  })

  it('the site shows the pictures that the package leaves out', async () => {
    const { convertPage } = (await import(
      /* @vite-ignore */ new URL('../../site/convert.js', import.meta.url).href
    )) as {
      convertPage(text: string, from: string, to: string): string
    }
    const page = convertPage(readFileSync(join(root, 'docs/inspector.md'), 'utf8'), 'docs/inspector.md', 'inspector.md')
    const pictures = [...page.matchAll(/^!\[[^\]]+\]\(\.\/(images\/inspector-[\w-]+\.png)\)$/gm)].map(
      ([, file = '']) => file,
    )
    expect(pictures).toHaveLength(5)
    for (const file of pictures) expect(existsSync(join(root, 'docs', file))).toBe(true)
    expect(page).not.toContain('<!--')
  })

  it.each(pages)('of %s lead somewhere', (page) => {
    expect(deadLinksOf(page)).toEqual([])
  })
})
