// npm run bench [name …] [part …]: prints ratios, measured interleaved in one run, in CPU time. Some can measure parts alone,
// as in `npm run bench stdio 'first result'`.
import { readdirSync } from 'node:fs'
import { ensureInstalled } from './lib/install.js'
import { root } from './lib/run.js'
import { runTypeScript } from './lib/typescript.js'

ensureInstalled()
const all = readdirSync(new URL('bench', root)).filter((file) => file.endsWith('.bench.ts'))
const isName = (word) => all.some((file) => file.startsWith(word))
const wanted = process.argv.slice(2).filter(isName)
const args = process.argv.slice(2).filter((word) => !isName(word))
const benches = all.filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(name)))
for (const file of benches) {
  console.log(`\n# ${file.replace('.bench.ts', '')}`)
  await runTypeScript(`bench/${file}`, { nodeArgs: ['--expose-gc'], args })
}
