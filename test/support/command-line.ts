// The command line as its users have it: the built program, in a process of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const MAIN = fileURLToPath(new URL('../../dist/cli/mcpwire.js', import.meta.url))

/** Ends only what hangs: a little before the test runner does. */
export const MAX_MS = 150_000

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface CommandOptions {
  env?: Record<string, string>
  cwd?: string
  /** Ends it after this time (default: `MAX_MS`). */
  maxMs?: number
}

export function program(name: string): string {
  return fileURLToPath(new URL(`../fixtures/cli/${name}`, import.meta.url))
}

/** Starts it with an input that stays open, as a host does. */
export function startCommand(args: readonly string[], { env = {}, cwd, maxMs = MAX_MS }: CommandOptions = {}) {
  return spawn(process.execPath, [MAIN, ...args], {
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    ...(cwd !== undefined && { cwd }),
    // A test that gives up leaves nothing behind.
    timeout: maxMs,
  })
}

/** Runs it to its end. */
export async function mcpwire(args: readonly string[], options?: CommandOptions): Promise<CommandResult> {
  const child = startCommand(args, options)
  const result: CommandResult = { code: null, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      result[name] += text
    })
  }
  child.stdin.end()
  const [code] = (await once(child, 'close')) as [number | null]
  return { ...result, code }
}
