// Runs npm, git and the like in the folder of a project, and ends them with this process.
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'

const isWindows = process.platform === 'win32'

/** How long a tool may take to end after a signal. */
const END_MS = 2_000

export interface ToolRun {
  readonly cwd: string
  /** Whether its output is shown: on stderr, since stdout is for the result. */
  readonly shows: boolean
  readonly signal: AbortSignal
}

/** Fails before anything is written, with what the user can do. */
export function assertTool(name: string, hint: string): void {
  const endings = isWindows ? ['.cmd', '.exe', '.bat'] : ['']
  const folders = (process.env['PATH'] ?? process.env['Path'] ?? '').split(delimiter).filter((one) => one !== '')
  if (folders.some((folder) => endings.some((ending) => isFile(join(folder, `${name}${ending}`))))) return
  throw new Failure(`The command ${name} was not found.`, {
    slug: 'tool-not-found',
    exitCode: EXIT.noConnection,
    hint: `Nothing was created. ${hint}`,
  })
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Resolves to the exit code. `args` hold no words of a user: on Windows a shell takes them apart. */
export function runTool(name: string, args: readonly string[], { cwd, shows, signal }: ToolRun): Promise<number> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that what it starts ends with it.
    const child = spawn(name, args, {
      cwd,
      stdio: ['ignore', shows ? 2 : 'ignore', shows ? 2 : 'ignore'],
      detached: !isWindows,
      shell: isWindows,
    })
    const kill = (kind: NodeJS.Signals) => {
      try {
        if (isWindows || child.pid === undefined) child.kill(kind)
        else process.kill(-child.pid, kind)
      } catch {
        // It has ended.
      }
    }
    let last: NodeJS.Timeout | undefined
    const stop = () => {
      kill('SIGTERM')
      last = setTimeout(() => kill('SIGKILL'), END_MS)
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    const settle = () => {
      signal.removeEventListener('abort', stop)
      clearTimeout(last)
    }
    child.once('error', (error) => {
      settle()
      reject(error)
    })
    child.once('exit', (code) => {
      settle()
      if (signal.aborted) reject(signal.reason)
      else resolve(code ?? EXIT.refused)
    })
  })
}
