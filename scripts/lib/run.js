// Runs one step of a script and stops everything when it fails.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = new URL('../../', import.meta.url)

/** What has been run by now, with the seconds that it took. */
export const parts = []

/** The minutes of each part, and of all of them. */
export function describeParts() {
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0)
  const rows = [...parts, { title: 'in all', seconds: total }]
  const width = Math.max(...rows.map(({ title }) => title.length))
  const lines = rows.map(
    ({ title, seconds }) => `  ${title.padEnd(width)}  ${(seconds / 60).toFixed(1).padStart(5)} min`,
  )
  return lines.join('\n')
}

/** Runs a tool that was installed from npm, or a script of ours, under this Node. */
export function run(title, tool, args = [], options = {}) {
  console.log(`\n— ${title}`)
  const started = performance.now()
  const bin = fileURLToPath(new URL(`node_modules/.bin/${tool}`, root))
  const [command, rest] = tool.endsWith('.js')
    ? [process.execPath, [fileURLToPath(new URL(tool, root)), ...args]]
    : [existsSync(bin) ? bin : tool, args]
  const result = spawnSync(command, rest, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options,
  })
  const seconds = (performance.now() - started) / 1000
  parts.push({ title, seconds })
  if (result.status !== 0) {
    console.error(`\n${title} failed (${[tool, ...args].join(' ')})`)
    process.exit(result.status ?? 1)
  }
  console.log(`  ${seconds.toFixed(1)} s`)
}
