// npm run fuzz -- [--minutes 1] [--target name] [--seed 1]: hostile inputs for everything that reads what strangers send.
import { ensureInstalled } from './lib/install.js'
import { runTypeScript } from './lib/typescript.js'

ensureInstalled()
await runTypeScript('fuzz/main.ts', { args: process.argv.slice(2) })
