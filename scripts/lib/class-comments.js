// A plugin for the bundler, which keeps the comments inside classes: they would be a tenth of what a program reads. The types that
// are shipped have them for users. Line breaks stay, since what is shipped can be read as it is.
import { readFile } from 'node:fs/promises'
import { ts } from 'ts-morph'

export const withoutClassComments = {
  name: 'without-class-comments',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: removeClassComments(path, await readFile(path, 'utf8')),
      loader: 'ts',
    }))
  },
}

/** The source without the comments in front of members and statements, in which no hint for bundlers stands. */
export function removeClassComments(path, source) {
  const ranges = []
  const visit = (node) => {
    if (ts.isClassElement(node) || ts.isStatement(node) || ts.isObjectLiteralElement(node)) {
      ranges.push(...(ts.getLeadingCommentRanges(source, node.pos) ?? []))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.ESNext))
  let rest = source
  for (const { pos, end } of ranges.toSorted((a, b) => b.pos - a.pos)) rest = rest.slice(0, pos) + rest.slice(end)
  return rest
}
