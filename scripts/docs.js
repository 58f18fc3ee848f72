// npm run docs: builds the documentation site into site/dist. It installs the generator once, from its own lock file, and needs no
// network after that. npm run docs:dev serves the site and follows changes of the pages.
import { existsSync } from 'node:fs'
import { ensureInstalled } from './lib/install.js'
import { root, run } from './lib/run.js'

ensureInstalled()
ensureInstalled(new URL('site/', root))
if (!existsSync(new URL('dist/types', root))) run('build', 'scripts/build.js')
run('site', 'site/build.js', process.argv.slice(2))
