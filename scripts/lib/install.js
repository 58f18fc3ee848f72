// Makes a fresh clone usable: installs exactly what the lock file says, once.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { root } from './run.js'

/** Installs what a folder with a lock file needs: by default that of the package. */
export function ensureInstalled(folder = root) {
  const stamp = new URL('node_modules/.mcpwire-lock', folder)
  const lock = createHash('sha256')
    .update(readFileSync(new URL('package-lock.json', folder)))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  console.log('Installing dependencies…')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const result = spawnSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (result.status !== 0) process.exit(result.status ?? 1)
  writeFileSync(stamp, lock)
}
