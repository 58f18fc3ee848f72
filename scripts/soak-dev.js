// npm run soak:dev [reloads]: random calls across 1,000 reloads of `mcpwire dev`, over both transports and in both eras. Prints what
// was lost or answered twice, the times from a save to the new code, and the memory of the parent.
import { run } from './lib/run.js'

const [reloads = '1000'] = process.argv.slice(2)
run('reloads', 'vitest', ['run', 'cli/test/dev/traffic.test.ts', '--reporter=verbose'], {
  env: { ...process.env, DEV_RELOADS: reloads },
})
