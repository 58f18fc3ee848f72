// The TypeScripts that users of the package may have: the oldest that works, the last one written in JavaScript, and ours. The
// older ones are no dependencies, because each of them would install a `tsc`.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installApart } from './install-apart.js'
import { root } from './run.js'

const OLDER = ['5.4.5', '5.9.3']

/** Those that can be had, each with the path of its `tsc`; says which cannot. */
export function findCompilers() {
  const own = new URL('node_modules/typescript/', root)
  const { version } = JSON.parse(readFileSync(new URL('package.json', own), 'utf8'))
  const compilers = [{ version, path: fileURLToPath(new URL('bin/tsc', own)) }]
  for (const older of OLDER) {
    const path = installApart('typescript', ['typescript', older, 'bin/tsc'])
    if (path === undefined) console.log(`Could not install TypeScript ${older}: nothing is compiled with it.`)
    else compilers.push({ version: older, path })
  }
  return compilers
}
