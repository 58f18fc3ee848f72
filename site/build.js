// Writes the pages for VitePress and builds the site into site/dist. `--dev` serves them and follows changes.
import { watch } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { docs } from './nav.js'
import { stagePages } from './stage.js'

const folder = fileURLToPath(new URL('.', import.meta.url))
await stagePages()
const { build, createServer } = await import('vitepress')
if (process.argv.includes('--dev')) {
  const server = await createServer(folder)
  await server.listen()
  server.printUrls()
  let timer
  watch(docs, { recursive: true }, () => {
    clearTimeout(timer)
    timer = setTimeout(() => stagePages({ withApi: false }), 50)
  })
} else {
  await build(folder)
}
