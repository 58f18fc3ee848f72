import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { createFullText, createList } from '../llms.js'
import { emptyHeadings, inlineDiagrams, messageIds } from '../markdown.js'
import { readNavigation } from '../nav.js'
import { searchOptions } from '../search.js'
import { firstGuide, neighbours, sidebars } from '../sidebar.js'
import { leanTheme, purgeStyles, shortColors } from '../slim.js'
import { staged } from '../stage.js'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const navigation = readNavigation()

const outDir = fileURLToPath(new URL('../dist/', import.meta.url))

/** The field of the search takes whole messages: its own limit cuts them after their first words. */
const longSearches = {
  name: 'long-searches',
  enforce: 'pre',
  transform(code, id) {
    if (!id.split('?')[0].endsWith('VPLocalSearchBox.vue')) return undefined
    return code.replace('maxlength="64"', 'maxlength="1000"')
  },
}

export default defineConfig({
  title: 'mcpwire',
  description: 'Model Context Protocol servers and clients in TypeScript',
  lang: 'en',
  srcDir: fileURLToPath(staged),
  outDir,
  cacheDir: fileURLToPath(new URL('../.cache/', import.meta.url)),
  lastUpdated: false,
  ignoreDeadLinks: false,
  // A reader opens few of the pages that a list beside a page links to.
  router: { prefetchLinks: false },
  head: [
    ['link', { rel: 'icon', href: '/logo.svg', type: 'image/svg+xml' }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  // Text of the pages is text: only what Markdown itself makes becomes HTML.
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { console: 'sh' },
    image: { lazyLoading: true },
    config: (markdown) => markdown.use(inlineDiagrams, staged).use(emptyHeadings).use(messageIds).use(shortColors),
  },
  // The index of the search is one chunk, loaded with the first search.
  vite: { plugins: [longSearches, sidebars], resolve: { alias: leanTheme }, build: { chunkSizeWarningLimit: 1_000 } },
  vue: { features: { optionsAPI: false } },
  transformPageData: ({ relativePath, frontmatter }) => ({
    frontmatter: { ...frontmatter, ...neighbours(relativePath) },
  }),
  transformHead: ({ pageData }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: `/${pageData.relativePath}` }],
  ],
  buildEnd: () => {
    purgeStyles(outDir)
    for (const page of readdirSync(staged, { recursive: true, encoding: 'utf8' })) {
      if (!page.endsWith('.md')) continue
      mkdirSync(dirname(join(outDir, page)), { recursive: true })
      copyFileSync(new URL(page, staged), join(outDir, page))
    }
    writeFileSync(join(outDir, 'llms.txt'), createList(navigation))
    writeFileSync(join(outDir, 'llms-full.txt'), createFullText(navigation))
  },
  themeConfig: {
    logo: { src: '/logo.svg', alt: '' },
    outline: { level: [2, 3] },
    nav: [
      {
        text: 'Guide',
        link: firstGuide,
        activeMatch: '^/(?!api/|cli/|errors/|command-line|login|project/)',
      },
      { text: 'Command line', link: '/command-line', activeMatch: '^/(?:cli/|command-line|login)' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { text: 'Errors', link: '/errors/', activeMatch: '^/errors/' },
      { text: version, link: '/project/changes', activeMatch: '^/project/changes' },
    ],
    // Each page has a list beside it: Sidebar.vue shows which.
    sidebar: [{ text: '', items: [] }],
    search: { provider: 'local', options: searchOptions },
    notFound: {
      title: 'This page does not exist',
      quote: 'Search for an error message, an option or a command, or start at the first page.',
      linkText: 'Go to the first page',
    },
    docFooter: { prev: 'Previous page', next: 'Next page' },
  },
})
