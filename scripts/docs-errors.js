// Writes docs/errors from the error catalogue. With `--check`, fails where a page differs.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from './lib/install.js'
import { writePages } from './lib/pages.js'
import { root } from './lib/run.js'

ensureInstalled()
const { build } = await import('esbuild')

const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: ['cli/errors/catalogue/pages.ts'],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
})
const code = Buffer.from(outputFiles[0].contents).toString('base64')
const { createErrorPages } = await import(`data:text/javascript;base64,${code}`)

const folder = new URL('docs/examples/errors/', root)
const pages = createErrorPages((slug) => {
  const file = [`${slug}.ts`, `${slug}.sh`].find((name) => existsSync(new URL(name, folder)))
  return file && { file, text: readFileSync(new URL(file, folder), 'utf8') }
})
writePages('docs/errors/', pages, 'the error catalogue', 'npm run docs:errors')
