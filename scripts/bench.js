// npm run bench [name …]: prints ratios, measured interleaved in one run, in CPU time.
import { readdirSync } from 'node:fs'
import { ensureInstalled } from './lib/install.js'
import { root } from './lib/run.js'
import { runTypeScript } from './lib/typescript.js'

ensureInstalled()
const wanted = process.argv.slice(2)
const benches = readdirSync(new URL('bench', root))
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(name)))
for (const file of benches) {
  console.log(`\n# ${file.replace('.bench.ts', '')}`)
  await runTypeScript(`bench/${file}`, { nodeArgs: ['--expose-gc'] })
}
