// What the site does with Markdown beyond VitePress: diagrams and tables.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

/**
 * Replaces images of SVG files by their elements, so that they follow the colors of the page. The text of the image describes
 * them. Their own style is for viewers of the file alone.
 */
export function inlineDiagrams(markdown, folder) {
  const showImage = markdown.renderer.rules.image
  markdown.renderer.rules.image = (tokens, index, options, env, renderer) => {
    const token = tokens[index]
    const source = token.attrGet('src') ?? ''
    if (!source.endsWith('.svg')) return showImage(tokens, index, options, env, renderer)
    const file = new URL(posix.join(posix.dirname(env.relativePath ?? ''), source), folder)
    const label = markdown.utils.escapeHtml(token.content)
    const shown = inlineDiagram(readFileSync(file, 'utf8'), label)
    // A chart is as wide as the page. In a narrow window it scrolls, with the keyboard too, so that its text stays readable.
    return / width=/.test(shown.slice(0, shown.indexOf('>')))
      ? shown
      : `<span class="chart" tabindex="0">${shown}</span>`
  }
}

/**
 * `label` is HTML. What a file says about itself for viewers of the file alone is left out. It has no `role`: Vue would keep the whole
 * image in the script of the page for it.
 */
export function inlineDiagram(svg, label) {
  return svg
    .replaceAll(/<\?xml[\s\S]*?\?>|<style>[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, '')
    .replace(/<svg [^>]*>/, (tag) => tag.replaceAll(/ (?:role|class|aria-label)="[^"]*"/g, ''))
    .replace('<svg ', `<svg class="diagram" aria-label="${label}" v-pre `)
    .replaceAll(/\n\s*/g, ' ')
}

/** The corner of a table is no heading where it is empty. */
export function emptyHeadings(markdown) {
  markdown.core.ruler.push('empty-headings', ({ tokens }) => {
    for (let index = 0; index < tokens.length - 2; index++) {
      if (tokens[index].type !== 'th_open' || tokens[index + 1].content !== '') continue
      tokens[index].tag = 'td'
      tokens[index + 2].tag = 'td'
    }
  })
}

/** Each message on a page about an error has an address. */
export function messageIds(markdown) {
  markdown.core.ruler.push('message-ids', ({ tokens, env }) => {
    if (!env.relativePath?.startsWith('errors/')) return
    const start = tokens.findIndex(({ type, content }) => type === 'inline' && content === MESSAGES)
    if (start < 0) return
    const items = tokens.slice(start).filter(({ type }) => type === 'list_item_open')
    for (const [index, item] of items.entries()) item.attrSet('id', `message-${index + 1}`)
  })
}

/** The heading of the list of messages. */
export const MESSAGES = 'Other messages'
