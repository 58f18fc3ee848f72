// npm start: installs, builds, and shows the main job.
import { ensureInstalled } from './lib/install.js'
import { run } from './lib/run.js'
import { bundleTypeScript, runTypeScript } from './lib/typescript.js'

ensureInstalled()
run('build', 'scripts/build.js', [], { stdio: ['ignore', 'ignore', 'inherit'] })
await bundleTypeScript('examples/calculator.ts')
await runTypeScript('examples/tour.ts')
