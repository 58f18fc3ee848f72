// Installs one exact version of a package into a folder that git ignores: for what cannot be a dependency.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { root } from './run.js'

const INSTALL_LIMIT_MS = 180_000

/** The path of a file of the package, or nothing where the package cannot be had. */
export function installApart(folder, [name, version, path]) {
  const prefix = fileURLToPath(new URL(`.cache/${folder}-${version}`, root))
  const file = `${prefix}/node_modules/${name}/${path}`
  if (existsSync(file)) return file
  console.log(`Installing ${name}@${version}…`)
  const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const args = ['install', '--prefix', prefix, ...flags, `${name}@${version}`]
  const { status } = spawnSync('npm', args, {
    timeout: INSTALL_LIMIT_MS,
    stdio: 'ignore',
    shell: process.platform === 'win32',
  })
  return status === 0 && existsSync(file) ? file : undefined
}
