// Every piece of code in the documentation is a file under docs/examples, and every such file runs.
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

const pages = [
  'README.md',
  ...readdirSync(new URL('docs', root))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]
const examples = readdirSync(new URL('docs/examples', root)).map((file) => `docs/examples/${file}`)

/** Code blocks with the file that the comment before them names. */
function snippetsOf(page: string): { page: string; file: string | undefined; code: string }[] {
  const blocks = read(page).matchAll(/(?:<!-- (docs\/examples\/[\w-]+\.ts) -->\n)?```ts\n([\s\S]*?)```/g)
  return [...blocks].map(([, file, code]) => ({ page, file, code: code as string }))
}

const printed: string[] = []
vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
  printed.push(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '))
})

afterEach(() => {
  printed.length = 0
})

/** What each example prints. */
const output: Record<string, string> = {
  'docs/examples/in-process.ts': '[{"type":"text","text":"2026-07-28: 3"}]',
  'docs/examples/dispatcher.ts': '{"method":"hello","params":{"_meta":{},"name":"Ada"}}',
}

describe('the documentation', () => {
  it.each(pages.flatMap(snippetsOf))('$page shows $file as it is', ({ file, code }) => {
    expect(file, 'a snippet names its file').toBeDefined()
    expect(code).toBe(read(file as string))
  })

  it.each(examples)('%s runs', async (example) => {
    await import(/* @vite-ignore */ new URL(example, root).href)
    expect(printed.join('\n')).toBe(output[example])
  })
})
