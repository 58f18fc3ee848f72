// Writes docs/cli from the help table of the command line. With `--check`, fails where a page differs.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from './lib/install.js'
import { root } from './lib/run.js'

ensureInstalled()
const { build } = await import('esbuild')

const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(root),
  stdin: {
    contents: "export { createPages } from './cli/help/docs-pages.ts'; export { VERBS } from './cli/help/table.ts'",
    resolveDir: fileURLToPath(root),
    loader: 'ts',
  },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  external: ['string-width'],
})
const code = Buffer.from(outputFiles[0].contents).toString('base64')
const { createPages, VERBS } = await import(`data:text/javascript;base64,${code}`)

const folder = new URL('docs/cli/', root)
const pages = createPages(VERBS)
mkdirSync(folder, { recursive: true })
const there = readdirSync(folder)
if (process.argv.includes('--check')) {
  const stale = [...new Set([...there, ...pages.keys()])].filter(
    (name) => !there.includes(name) || readFileSync(new URL(name, folder), 'utf8') !== pages.get(name),
  )
  if (stale.length > 0) {
    console.error(`docs/cli differs from the help table: ${stale.join(', ')}. Run npm run docs:cli.`)
    process.exitCode = 1
  }
} else {
  for (const name of there) if (!pages.has(name)) rmSync(new URL(name, folder))
  for (const [name, text] of pages) writeFileSync(new URL(name, folder), text)
  console.log(`Wrote ${pages.size} pages into docs/cli`)
}
