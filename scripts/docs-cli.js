// Writes docs/cli from the help table of the command line. With `--check`, fails where a page differs.
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from './lib/install.js'
import { writePages } from './lib/pages.js'
import { root } from './lib/run.js'

ensureInstalled()
const { build } = await import('esbuild')

const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(root),
  stdin: {
    contents: "export { createPages } from './cli/help/docs-pages.ts'; export { loadVerbs } from './cli/help/table.ts'",
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
const { createPages, loadVerbs } = await import(`data:text/javascript;base64,${code}`)

writePages('docs/cli/', createPages(await loadVerbs()), 'the help table', 'npm run docs:cli')
