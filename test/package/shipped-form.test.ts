// How the build makes files smaller without another meaning: lines begin with tabs, and each file is imported once.
import { expect, it } from 'vitest'

const load = (name: string) => import(/* @vite-ignore */ new URL(`../../scripts/lib/${name}.js`, import.meta.url).href)

it('indentation becomes tabs, but never in a text of the program', async () => {
  const { withTabs } = (await load('tab-indents')) as { withTabs(text: string, width: number): string }
  const text = `function f(a) {\n  return \`\n    one \${a.map((b) =>\n    b)}\n  two\`\n    + \`x\`\n}\n`
  expect(withTabs(text, 2)).toBe(
    `function f(a) {\n\treturn \`\n    one \${a.map((b) =>\n    b)}\n  two\`\n\t\t+ \`x\`\n}\n`,
  )
})

it('imports of one file become one, where the first of them was', async () => {
  const { withMergedImports } = (await load('merge-imports')) as { withMergedImports(code: string): string }
  const code = [
    'import { a } from "./one.js";',
    'import {\n  b,\n  c as d\n} from "./two.js";',
    'import { e } from "./one.js";',
    'import { f } from "package";',
    'import { f } from "package";',
    'use(a, b, d, e);',
    '',
  ]
  expect(withMergedImports(code.join('\n'))).toBe(
    [
      'import { a, e } from "./one.js";',
      'import { b, c as d } from "./two.js";',
      'import { f } from "package";',
      'import { f } from "package";',
      'use(a, b, d, e);',
      '',
    ].join('\n'),
  )
})
