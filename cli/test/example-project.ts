// A folder with the files that the examples of the help texts name, where the package is found by its name.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CommandResult, mcpwire } from '../../test/support/command-line.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

export interface ExampleProject {
  readonly folder: string
  /** What commands keep for their user. */
  readonly env: Record<string, string>
  run(...args: string[]): Promise<CommandResult>
  [Symbol.dispose](): void
}

export function createExampleProject(): ExampleProject {
  mkdirSync(join(root, 'build/fixtures'), { recursive: true })
  const folder = mkdtempSync(join(root, 'build/fixtures/examples-'))
  cpSync(join(root, 'test/fixtures/cli/examples'), folder, { recursive: true })
  // A package.json of its own hides the one that gives the package its name.
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/mcpwire'), 'junction')
  const home = join(folder, 'home')
  mkdirSync(home)
  const env = { HOME: home }
  return {
    folder,
    env,
    run: (...args) => mcpwire(args, { cwd: folder, env }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
