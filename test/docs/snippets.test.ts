// Every piece of code in the documentation is a file under docs/examples, and every such file runs.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'

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
  'docs/examples/in-process.ts':
    '2025-11-25 [{"type":"text","text":"Ordered: book"}]\n2026-07-28 [{"type":"text","text":"Ordered: book"}]',
  'docs/examples/dispatcher.ts': '{"method":"hello","params":{"_meta":{},"name":"Ada"}}',
}

describe('the documentation', () => {
  it.each(pages.flatMap(snippetsOf))('$page shows $file as it is', ({ file, code }) => {
    expect(file, 'a snippet names its file').toBeDefined()
    expect(code).toBe(read(file as string))
  })

  it('docs/examples/calculator-server.ts serves over stdio, in both eras', async () => {
    const outfile = fileURLToPath(new URL('build/fixtures/calculator-server.js', root))
    await build({
      absWorkingDir: fileURLToPath(root),
      entryPoints: ['docs/examples/calculator-server.ts'],
      outfile,
      alias: {
        mcpwire: fileURLToPath(new URL('src/exports/index.ts', root)),
        '#platform': fileURLToPath(new URL('src/node/platform.ts', root)),
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'warning',
    })
    for (const mode of ['auto', 'legacy'] as const) {
      await using client = await Client.connect({ command: process.execPath, args: [outfile] }, { mode })
      const result = await client.callTool('add', { a: 1, b: 2 })
      expect(result.structuredContent).toEqual({ result: 3 })
      const { contents } = await client.readResource('greeting://Ada')
      expect(contents).toMatchObject([{ text: 'Hello, Ada!' }])
    }
  })

  it.each(examples.filter((file) => !file.endsWith('-server.ts')))('%s runs', async (example) => {
    await import(/* @vite-ignore */ new URL(example, root).href)
    expect(printed.join('\n')).toBe(output[example])
  })
})
