// Diagrams are part of the page, so that they follow its colors. Their own style is for viewers of the file alone.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** Replaces images of SVG files by their elements. The text of the image describes them. */
export function inlineDiagrams(markdown, folder) {
  const showImage = markdown.renderer.rules.image
  markdown.renderer.rules.image = (tokens, index, options, env, renderer) => {
    const token = tokens[index]
    const source = token.attrGet('src') ?? ''
    if (!source.endsWith('.svg')) return showImage(tokens, index, options, env, renderer)
    const file = new URL(posix.join(posix.dirname(env.relativePath ?? ''), source), folder)
    const label = markdown.utils.escapeHtml(token.content)
    return readFileSync(file, 'utf8')
      .replaceAll(/<\?xml[\s\S]*?\?>|<style>[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, '')
      .replace('<svg ', `<svg class="diagram" role="img" aria-label="${label}" v-pre `)
      .replaceAll(/\n\s*/g, ' ')
  }
}
