// What a page does not use is not loaded with it: parts of the theme, rules of its style sheet, and colors in full on each word.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postcss from 'postcss'

const theme = (file) => fileURLToPath(new URL(`.vitepress/theme/${file}`, import.meta.url))

const UNUSED = [
  'VPAlgoliaSearchBox',
  'VPDocAsideCarbonAds',
  'VPDocAsideSponsors',
  'VPDocFooterLastUpdated',
  'VPFooter',
  'VPHome',
  'VPNavBarExtra',
  'VPNavBarMenuGroup',
  'VPNavBarSocialLinks',
  'VPNavBarTranslations',
  'VPNavScreenMenuGroup',
  'VPNavScreenSocialLinks',
  'VPNavScreenTranslations',
  'VPPage',
  'VPSocialLinks',
]

/** Replaces components of the theme by ours, or by nothing. */
export const leanTheme = [
  { find: /^.*\/VPSidebarGroup\.vue$/, replacement: theme('Sidebar.vue') },
  { find: new RegExp(`^.*/(?:${UNUSED.join('|')})\\.vue$`), replacement: theme('none.js') },
]

/** The plain color of the code themes: such words take that of the block. */
const PLAIN = '--shiki-light:#0E1116;--shiki-dark:#F0F3F6'

/** Pairs of a light and a dark color, each with its class. */
const colors = new Map()

/** Words of code name their colors by a class: both colors on each word are a third of a page. */
export function shortColors(markdown) {
  const { highlight } = markdown.options
  markdown.options.highlight = (...args) =>
    highlight(...args)
      .replace(/<pre class="shiki [^"]*"/, '<pre class="vp-code"')
      .replaceAll(/ style="([^";]*;[^";]*);?"/g, (attribute, pair) => (pair === PLAIN ? '' : attribute))
      .replaceAll(/<span>([^<]*)<\/span>/g, '$1')
      .replaceAll(/<span class="line">((?:[^<]|<span [^>]*>[^<]*<\/span>)*)<\/span>/g, '$1')
      .replaceAll(/ style="(--shiki-light:[^";]*;[^";]*);?"/g, (_attribute, pair) => {
        if (!colors.has(pair)) colors.set(pair, `c${colors.size}`)
        return ` class="${colors.get(pair)}"`
      })
      .replaceAll(/(<span class="c\d+">)[^<]*(?:<\/span>\1[^<]*)+/g, (words, start) =>
        words.replaceAll(`</span>${start}`, ''),
      )
}

const colorRules = () => [...colors].map(([pair, name]) => `.vp-code .${name}{${pair}}`).join('')

/** Words of the pages and the scripts: a rule can only apply if the names in its selector are among them. */
function wordsOf(files) {
  const words = new Set()
  for (const file of files) for (const [word] of readFileSync(file, 'utf8').matchAll(/[\w-]+/g)) words.add(word)
  return words
}

const namesIn = (selector) =>
  [...selector.replaceAll(/:not\([^)]*\)/g, '').matchAll(/[.#]((?:\\.|[\w-])+)|\[([\w-]+)/g)].map(
    ([, name, attribute]) => name ?? attribute,
  )

/** The rules of a style sheet that can apply somewhere, and the variables that one of them reads. */
export function purge(css, words) {
  const sheet = postcss.parse(css)
  sheet.walkRules((rule) => {
    if (rule.parent.name === 'keyframes') return
    const selectors = rule.selectors.filter((selector) => namesIn(selector).every((name) => words.has(name)))
    if (selectors.length === 0) rule.remove()
    else rule.selectors = selectors
  })
  for (let removed = 1; removed > 0; ) {
    removed = 0
    const read = new Set([...sheet.toString().matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name))
    sheet.walkDecls(/^--/, (declaration) => {
      if (read.has(declaration.prop) || words.has(declaration.prop)) return
      declaration.remove()
      removed++
    })
  }
  sheet.walkRules((rule) => void (rule.nodes.length === 0 && rule.remove()))
  sheet.walkAtRules((rule) => void (rule.nodes?.length === 0 && rule.remove()))
  return sheet.toString()
}

/** Purges the style sheet of the built site. Its name follows its text, as browsers keep files by their names. */
export function purgeStyles(folder) {
  const assets = join(folder, 'assets')
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))
  const pages = all.filter((file) => file.endsWith('.html'))
  const scripts = all.filter((file) => /assets[\\/](?:app|chunks[\\/](?!@localSearchIndex)).*\.js$/.test(file))
  const old = readdirSync(assets).find((file) => /^style\..*\.css$/.test(file))
  const css = purge(readFileSync(join(assets, old), 'utf8') + colorRules(), wordsOf([...pages, ...scripts]))
  const isLate = (file) => SEARCH_BOX.test(basename(file))
  const [text, later] = splitStyles(css, wordsOf([...pages, ...scripts.filter((file) => !isLate(file))]))
  bringStyles(scripts.find(isLate), later)
  const name = `style.${createHash('sha256').update(text).digest('base64url').slice(0, 8)}.css`
  rmSync(join(assets, old))
  writeFileSync(join(assets, name), text)
  for (const page of pages)
    writeFileSync(page, withPlainData(readFileSync(page, 'utf8').replaceAll(`/assets/${old}`, `/assets/${name}`)))
}

/** Names of files are JSON in a string, where each quote takes two characters. In a string with other quotes it takes one. */
function withPlainData(html) {
  return html.replaceAll(/JSON\.parse\(("(?:[^"\\]|\\.)*")\)/g, (whole, literal) => {
    const text = JSON.parse(literal)
    return /['\\\n<]/.test(text) ? whole : `JSON.parse('${text}')`
  })
}

/** A script that is loaded with its first use, and brings its styles itself. */
const SEARCH_BOX = /^VPLocalSearchBox\..*\.js$/

/** The rules of a style sheet for what there is at first, and the others. */
export function splitStyles(css, firstWords) {
  const [first, later] = [true, false].map((wanted) => {
    const sheet = postcss.parse(css)
    sheet.walkRules((rule) => {
      if (rule.parent.name === 'keyframes') return
      const isFirst = rule.selectors.some((selector) => namesIn(selector).every((name) => firstWords.has(name)))
      if (isFirst !== wanted) rule.remove()
    })
    sheet.walkAtRules((rule) => {
      if (rule.nodes?.length === 0 || (rule.name === 'keyframes' && !wanted)) rule.remove()
    })
    return sheet.toString()
  })
  return [first, later]
}

function bringStyles(script, css) {
  const style = `document.head.append(Object.assign(document.createElement("style"),{textContent:${JSON.stringify(css)}}));`
  writeFileSync(script, readFileSync(script, 'utf8') + style)
}
