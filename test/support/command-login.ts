// mcpwire login, as typed, with a user who opens the login page.
import { once } from 'node:events'
import { type CommandOptions, type CommandResult, startCommand } from './command-line.ts'

/** Gives the address of the login page to `visit`, once, and runs the command to its end. */
export async function runLogin(
  args: readonly string[],
  visit: (page: URL) => Promise<unknown>,
  options: CommandOptions,
): Promise<CommandResult> {
  const child = startCommand(['login', ...args, '--no-open'], options)
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  let isVisited = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    const [, page] = /Open this URL to log in: (\S+)\n/.exec(stderr) ?? []
    if (page === undefined || isVisited) return
    isVisited = true
    void visit(new URL(page)).catch((error: unknown) => {
      stderr += String(error)
      child.kill()
    })
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}
