// docs D9: every page is in the navigation and in llms.txt, and what ships in the package is complete.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const site = (file: string) => import(/* @vite-ignore */ new URL(`../../site/${file}`, import.meta.url).href)

interface PageEntry {
  page: string
  title: string
  description: string
}
type Groups = { title: string; pages: PageEntry[] }[]

const { readNavigation } = (await site('nav.js')) as {
  readNavigation(): Record<'guide' | 'commands' | 'errors', Groups>
}
const { createList, createFullText } = (await site('llms.js')) as Record<
  'createList' | 'createFullText',
  (navigation: unknown) => string
>
const navigation = readNavigation()
const listed = Object.values(navigation).flatMap((groups) => groups.flatMap(({ pages }) => pages))
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.md') && !file.startsWith('examples/'))

const isShipped = (page: string) => !page.startsWith('project/')

describe('docs D9: pages', () => {
  it('are all in the navigation of the site, each once', () => {
    const names = listed.map(({ page }) => page)
    expect(new Set(names).size).toBe(names.length)
    const missing = pages.map((page) => page.replace(/\.md$/, '')).filter((page) => !names.includes(page))
    expect(missing, 'site/nav.js has the order of pages').toEqual(['index', 'errors/README'])
  })

  it('have a title, and guides a first sentence that says what they are about', () => {
    for (const { title } of listed) expect(title).not.toBe('')
    const guides = navigation.guide.flatMap(({ pages }) => pages).filter(({ page }) => isShipped(page))
    expect(guides.filter(({ description }) => description.length < 20)).toEqual([])
  })

  it('of guides end with where to read on', () => {
    const guides = navigation.guide.flatMap(({ pages }) => pages).filter(({ page }) => isShipped(page))
    const ends = guides.map(({ page }) => [
      page,
      readFileSync(join(root, 'docs', `${page}.md`), 'utf8')
        .trimEnd()
        .split('\n\n')
        .at(-1),
    ])
    expect(ends.filter(([, end = '']) => !/^Next: \[/.test(end)).map(([page]) => page)).toEqual([])
  })

  it('are in llms.txt, except errors and pages about the project, and it has at most 12 KB', () => {
    const list = createList(navigation)
    const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link as string)
    for (const link of links) expect(existsSync(join(root, 'docs', link)), link).toBe(true)
    const expected = pages.filter((page) => isShipped(page) && page !== 'index.md' && !/^errors\/(?!README)/.test(page))
    expect(links.toSorted()).toEqual(expected.toSorted())
    expect(list.length).toBeLessThan(12_000)
    expect(createFullText(navigation)).not.toContain('<!--')
    expect(createFullText(navigation).length).toBeLessThan(600_000)
  })

  it('ship with every page that they link to', () => {
    const shipped = ['../README.md', ...pages.filter(isShipped)]
    const dead = pages.filter(isShipped).flatMap((page) => {
      const text = readFileSync(join(root, 'docs', page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
      const links = [...text.matchAll(/(?<!!)\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link]) => link as string)
      const targets = links.filter((link) => !/^\w+:/.test(link)).map((link) => join(dirname(page), link))
      // Programs are in the repository only.
      return targets
        .filter((target) => !shipped.includes(target) && !target.startsWith('../examples/'))
        .map((target) => `${page}: ${target}`)
    })
    expect(dead).toEqual([])
  })

  it('have diagrams that the site can put into a page: no attribute twice, and a name', async () => {
    const { inlineDiagram } = (await site('markdown.js')) as { inlineDiagram(svg: string, label: string): string }
    const images = readdirSync(join(root, 'docs/images')).filter((file) => file.endsWith('.svg'))
    expect(images.length).toBeGreaterThan(2)
    for (const file of images) {
      const [tag = ''] =
        /<svg [^>]*>/.exec(inlineDiagram(readFileSync(join(root, 'docs/images', file), 'utf8'), 'A')) ?? []
      const names = [...tag.matchAll(/ ([\w:-]+)=/g)].map(([, name]) => name)
      expect(new Set(names).size, file).toBe(names.length)
      expect(tag).toContain('aria-label="A"')
    }
  })
})
