// npm run bench [name …] [part …]: prints ratios, measured interleaved in one run, in CPU time. Some can measure parts alone,
// as in `npm run bench stdio 'first result'`. `npm run bench -- --quick` measures the published figures alone, in two minutes on an idle
// machine.
import { readdirSync } from 'node:fs'
import { ensureInstalled } from './lib/install.js'
import { root } from './lib/run.js'
import { runTypeScript } from './lib/typescript.js'

ensureInstalled()
const all = readdirSync(new URL('bench', root)).filter((file) => file.endsWith('.bench.ts'))
const words = process.argv.slice(2)
/** Only the published figures can be measured in a quick run, or written. Their rows may be called like another benchmark. */
const isPublic = words.includes('public') || words.some((word) => word === '--quick' || word === '--write')
const isName = (word) => (isPublic ? word === 'public' : all.some((file) => file.startsWith(word)))
const wanted = isPublic ? ['public'] : words.filter(isName)
const args = words.filter((word) => !isName(word))
const benches = all.filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(name)))
for (const file of benches) {
  console.log(`\n# ${file.replace('.bench.ts', '')}`)
  await runTypeScript(`bench/${file}`, { nodeArgs: ['--expose-gc'], args })
}
