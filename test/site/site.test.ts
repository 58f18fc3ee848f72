// The documentation site, built from its lock file and visited with a browser. It takes minutes: npm run test:full.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeInChromium } from '../browser/chromium.ts'
import { entryPoints, exportedNames } from './exported-names.ts'
import { QUESTIONS } from './questions.ts'
import { captureMessages, type RealMessage } from './real-messages.ts'
import { serveSite, siteFolder, sitePages } from './serve-site.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const require = createRequire(import.meta.url)
const BUILD_LIMIT_MS = 900_000
const VISIT_LIMIT_MS = 1_800_000

/** What a message says for certain: placeholders have some value. */
const messageOf = (slug: string) =>
  (/^# (.+)$/m.exec(readFileSync(join(root, 'docs/errors', `${slug}.md`), 'utf8'))?.[1] ?? '').replaceAll(
    /‹[^›]*›/g,
    '42',
  )

interface Found {
  id: string
}

/** The same search that the page does, on the index that it loads. */
async function loadSearch(): Promise<(words: string) => string[]> {
  const chunks = join(siteFolder, 'assets/chunks')
  const file = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndex')) as string
  const { default: json } = (await import(/* @vite-ignore */ pathToFileURL(join(chunks, file)).href)) as {
    default: string
  }
  const fromSite = createRequire(join(root, 'site/package.json'))
  const { default: MiniSearch } = (await import(
    /* @vite-ignore */ pathToFileURL(fromSite.resolve('minisearch')).href
  )) as {
    default: { loadJSON(json: string, options: unknown): { search(words: string): Found[] } }
  }
  const { searchOptions } = (await import(/* @vite-ignore */ pathToFileURL(join(root, 'site/search.js')).href)) as {
    searchOptions: { miniSearch: { options: object; searchOptions: object } }
  }
  const { options, searchOptions: how } = searchOptions.miniSearch
  const index = MiniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    ...options,
    searchOptions: how,
  })
  // Loaded with the first search only. Most of it are the messages: each is an entry of its own.
  expect(gzipSync(json).length, 'size of the index, compressed').toBeLessThan(196_000)
  return (words) => [...new Set(index.search(words).map(({ id }) => id.replace(/#.*$/, '')))]
}

async function violationsOf(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') })
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target }) => String(target))}`)
  })
}

/** Pages that are looked things up in, of more than 30 KB of text each. */
const LONG_PAGES = ['tasks.html', 'from-the-python-sdk.html']

/** What a page loads with itself. Pictures come once they are in view. */
function filesOf(page: string): string[] {
  const html = readFileSync(join(siteFolder, page), 'utf8')
  const links = html.matchAll(
    /<(?:link|script|img)\b(?![^>]*(?:loading="lazy"|rel="alternate"))[^>]*(?:href|src)="\/([^"]+)"/g,
  )
  return [...new Set([...links].map(([, file]) => file as string))].sort()
}

describe.runIf(process.env['FULL_TESTS'])('the documentation site', () => {
  let printed = ''
  let met: RealMessage[] = []

  beforeAll(async () => {
    const env = {
      ...process.env,
      npm_config_offline: existsSync(join(root, 'site/node_modules/.mcpwire-lock')) ? 'true' : '',
    }
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['scripts/docs.js'], { cwd: root, env })
    printed = stdout + stderr
    met = await captureMessages()
  }, BUILD_LIMIT_MS)

  it('docs D1: is built from its lock file without a warning, with a page for each Markdown page', () => {
    expect(printed).not.toMatch(/warn|dead link|error/i)
    expect(sitePages().length).toBeGreaterThan(140)
    expect(readFileSync(join(root, 'site/package-lock.json'), 'utf8')).not.toContain('resolved')
  })

  it('docs D4: the search finds each error by its message, among the first three pages', async () => {
    const search = await loadSearch()
    const slugs = readdirSync(join(root, 'docs/errors')).map((file) => file.replace('.md', ''))
    const withWords = slugs.filter(
      (slug) => slug !== 'README' && (messageOf(slug).match(/[a-z]{3,}/gi)?.length ?? 0) > 2,
    )
    expect(withWords.length).toBeGreaterThan(60)
    const missed = withWords.filter((slug) => !search(messageOf(slug)).slice(0, 3).includes(`/errors/${slug}.html`))
    expect(missed).toEqual([])
  })

  it('docs D4: the search finds the page of each message that a program or a command really printed', async () => {
    const search = await loadSearch()
    expect(new Set(met.map(({ slug }) => slug)).size).toBeGreaterThan(20)
    const missed = met.filter(({ message, slug }) => !search(message).slice(0, 3).includes(`/errors/${slug}.html`))
    expect(missed.map((one) => [one, search(one.message).slice(0, 3)])).toEqual([])
  })

  it('docs D4: the search answers questions that people ask, among the first three pages', async () => {
    const search = await loadSearch()
    const missed = QUESTIONS.filter(([words, page]) => !search(words).slice(0, 3).includes(`/${page}.html`))
    expect(missed.map(([words]) => [words, search(words).slice(0, 3)])).toEqual([])
  })

  it('docs D8: every exported name is on the API page of its entry point', () => {
    const missing = entryPoints().flatMap((entry) => {
      const text = readFileSync(join(siteFolder, 'api', `${entry.page}.md`), 'utf8')
      const names = exportedNames(entry.file).filter(
        (name) => !text.includes(`{#${name}}`) && !text.includes(`[\`${name}\`]`),
      )
      return names.map((name) => `${entry.page}: ${name}`)
    })
    expect(missing).toEqual([])
  })

  it('docs D9: each page has a Markdown twin without comments and includes', () => {
    for (const page of sitePages()) {
      const twin = readFileSync(join(siteFolder, page.replace('.html', '.md')), 'utf8')
      expect(twin.replaceAll(/^```[\s\S]*?^```/gm, '')).not.toMatch(/<!--|<<< /)
    }
  })

  it('docs D2: a first visit of a guide loads at most 260 KB, and 90 KB compressed', () => {
    const heavy = sitePages().flatMap((page) => {
      if (/^(?:api|project)\//.test(page)) return []
      const contents = ['', ...filesOf(page)].map((file) => readFileSync(join(siteFolder, file || page)))
      const bytes = contents.reduce((sum, { length }) => sum + length, 0)
      const gzipped = contents.reduce((sum, content) => sum + gzipSync(content).length, 0)
      const limit = LONG_PAGES.includes(page) ? 300_000 : 260_000
      return bytes <= limit && gzipped <= 90_000 ? [] : [`${page}: ${bytes} bytes, ${gzipped} compressed`]
    })
    expect(heavy).toEqual([])
  })

  describeInChromium('in Chromium', (visit) => {
    it(
      'docs D2, D3: every page has no axe violation in light and dark, fits 390 px, and requests nothing from elsewhere',
      async () => {
        await using site = await serveSite()
        const problems: string[] = []
        await visit(async (page) => {
          page.on('request', (request) => {
            if (!request.url().startsWith(site.origin)) problems.push(`request to ${request.url()}`)
          })
          page.on('pageerror', (error) => problems.push(String(error)))
          for (const path of sitePages()) {
            await page.setViewportSize({ width: 1280, height: 900 })
            await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
            await page.goto(`${site.origin}/${path}`, { waitUntil: 'load' })
            await page.locator('.DocSearch-Button:not([aria-label])').first().waitFor()
            for (const scheme of ['light', 'dark'] as const) {
              await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
              await page.waitForFunction(`document.documentElement.classList.contains('dark') === ${scheme === 'dark'}`)
              problems.push(...(await violationsOf(page)).map((violation) => `${path} ${scheme}: ${violation}`))
            }
            await page.setViewportSize({ width: 390, height: 800 })
            const width = await page.evaluate<number>('document.documentElement.scrollWidth')
            if (width > 390) problems.push(`${path} is ${width} px wide at 390 px`)
          }
        })
        expect(problems).toEqual([])
      },
      VISIT_LIMIT_MS,
    )

    it('docs D2: a first visit of a guide loads what the page names, and nothing later', async () => {
      await using site = await serveSite()
      await visit(async (page) => {
        const loaded = new Set<string>()
        page.on('request', (request) => loaded.add(new URL(request.url()).pathname.slice(1)))
        await page.goto(`${site.origin}/servers/results.html`, { waitUntil: 'networkidle' })
        expect([...loaded].sort()).toEqual([...filesOf('servers/results.html'), 'servers/results.html'].sort())
      })
    })

    it('the list beside a page marks the page, and changes with the part of the site', async () => {
      await using site = await serveSite()
      await visit(async (page) => {
        const marked = page.locator('.page-list [aria-current="page"]')
        await page.setViewportSize({ width: 1280, height: 900 })
        await page.goto(`${site.origin}/servers/results.html`)
        await expect.poll(() => marked.allInnerTexts()).toEqual(['Return values'])
        await page.locator('.pager-link.next').click()
        await expect.poll(() => marked.allInnerTexts()).toEqual(['Errors in handlers'])
        await page.locator('.VPNavBarMenu a', { hasText: 'Command line' }).click()
        await expect.poll(() => marked.allInnerTexts()).toEqual(['The command line'])
        await page.goBack()
        await expect.poll(() => marked.allInnerTexts()).toEqual(['Errors in handlers'])
      })
    })

    it(
      'docs D4: typing a message of a real run into the search offers its page',
      async () => {
        await using site = await serveSite()
        await visit(async (page) => {
          await page.setViewportSize({ width: 1280, height: 900 })
          await page.goto(`${site.origin}/`)
          expect(met.length).toBeGreaterThan(20)
          for (const { slug, message } of met) {
            await page.locator('.DocSearch-Button').first().click()
            await page.getByRole('searchbox').fill(message)
            const results = page.locator('.VPLocalSearchBox .result')
            const firstPages = async () => {
              const links = await results.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
              return [...new Set(links.map((link) => link.replace(/#.*$/, '')))].slice(0, 3)
            }
            await expect
              .poll(async () => (await firstPages()).some((href) => href.includes(`/errors/${slug}.html`)), {
                message: `${message} → ${slug}`,
              })
              .toBe(true)
            await page.keyboard.press('Escape')
          }
        })
      },
      VISIT_LIMIT_MS,
    )
  })
})
