// What is shipped is indented by tabs. Spaces would be a twentieth of what users install and programs read.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from 'ts-morph'

/** Rewrites all files of a folder with one of the endings, where `width` spaces are one level. Nested folders count if `isDeep`. */
export function indentByTabs(folder, { ending, width, isDeep = true }) {
  for (const name of readdirSync(folder, { recursive: isDeep, encoding: 'utf8' })) {
    if (!name.endsWith(ending)) continue
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, withTabs(text, width))
  }
}

/** Lines inside template literals are values, and stay as they are. */
export function withTabs(text, width) {
  const literals = text.includes('`') ? linesInTemplates(text) : new Set()
  const lines = text.split('\n')
  const start = new RegExp(`^(?: {${width}})+`)
  return lines
    .map((line, index) =>
      literals.has(index) ? line : line.replace(start, (spaces) => '\t'.repeat(spaces.length / width)),
    )
    .join('\n')
}

function linesInTemplates(text) {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext)
  const found = new Set()
  const visit = (node) => {
    if (
      ts.isTemplateExpression(node) ||
      ts.isNoSubstitutionTemplateLiteral(node) ||
      ts.isTemplateLiteralTypeNode(node)
    ) {
      const { line: first } = source.getLineAndCharacterOfPosition(node.getStart(source))
      const { line: last } = source.getLineAndCharacterOfPosition(node.end)
      for (let line = first + 1; line <= last; line++) found.add(line)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
