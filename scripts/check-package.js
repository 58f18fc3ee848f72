// Packs the built package and holds the tarball against publint and arethetypeswrong.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run } from './lib/run.js'

const folder = mkdtempSync(join(tmpdir(), 'mcpwire-pack-'))
try {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const listing = execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  })
  const packed = JSON.parse(listing.toString())
  const { filename, files, size } = Array.isArray(packed) ? packed[0] : Object.values(packed)[0]
  console.log(`${filename}: ${files.length} files, ${(size / 1024).toFixed(0)} KB`)
  const tarball = join(folder, filename)
  run('publint', 'publint', ['run', tarball, '--strict'])
  run('a user of the package', 'scripts/check-consumer.js', [tarball])
  run('arethetypeswrong', 'attw', [tarball, '--profile', 'esm-only', '--no-emoji', '--format', 'table-flipped'])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
