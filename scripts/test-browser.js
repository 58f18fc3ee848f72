// npm run test:browser: everything that is tested in a real browser, the inspector and views of apps.
import { ensureInstalled } from './lib/install.js'
import { run } from './lib/run.js'

ensureInstalled()
run('build', 'scripts/build.js')
run('tests in Chromium', 'vitest', ['run', 'test/browser', 'test/inspector', ...process.argv.slice(2)], {
  env: { ...process.env, FULL_TESTS: '1' },
})
