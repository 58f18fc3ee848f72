// npm start: installs, builds, and shows a server with clients of both eras; with `--auth`, a full login.
import { ensureInstalled } from './lib/install.js'
import { run } from './lib/run.js'
import { bundleTypeScript, runTypeScript } from './lib/typescript.js'

ensureInstalled()
run('build', 'scripts/build.js', [], { stdio: ['ignore', 'ignore', 'inherit'] })
if (process.argv.includes('--auth')) {
  await runTypeScript('examples/login-tour.ts')
} else {
  await bundleTypeScript('examples/tour-server.ts')
  await runTypeScript('examples/tour.ts')
}
