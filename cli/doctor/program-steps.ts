// Steps 4, 5 and 6 for a command: it starts, prints nothing but messages to stdout, and answers.
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'
import { explain } from '../errors/explain.ts'
import { explainInstaller } from '../errors/installer-failure.ts'
import type { CommandEntry } from '../install/server-entry.ts'
import { isRunByUs, type Target } from '../target/target.ts'
import { decideLoader } from '../typescript/loader.ts'
import { causeOf } from './connect-steps.ts'
import { LOADERS } from './findings/loaders.ts'
import { type Finding, fault, faultOf, firstLine, ok } from './findings/step.ts'

const MAX_STDERR_LINES = 5

const NOT_INSTALLED = 'The command installs the server before it starts it, and that failed.'

/** What is started, for a program that runs. */
export function describeProgram(target: Target, entry: CommandEntry): Finding {
  const { file } = target
  if (file !== undefined && isRunByUs(entry))
    return ok(`mcpwire run started ${file.path}, ${LOADERS[decideLoader(file.path)]}`)
  const path = findOnPath(entry.command, { ...process.env, ...entry.env })
  return ok(`${entry.command} started${path === undefined || path === entry.command ? '' : ` (${path})`}`)
}

/** Why the program did not start, with its exit code and the first lines of its stderr. */
export function explainProgram(error: unknown, entry: CommandEntry): Finding {
  const cause = causeOf(error)
  const { slug } = explain(error)
  const details = (cause?.stderr ?? [])
    .slice(0, MAX_STDERR_LINES)
    .filter(isWords)
    .map((line) => `stderr: ${line}`)
  if (slug === 'command-not-found') return explainMissing(error, entry)
  const { exitCode, signal } = cause ?? {}
  if (slug !== 'server-exited') return faultOf(error, details)
  const installer = cause === undefined ? undefined : explainInstaller(cause)
  if (installer !== undefined)
    return fault(installer.message, slug, { cause: NOT_INSTALLED, fix: installer.fix, details })
  const end = signal === undefined ? `exited with code ${exitCode ?? 'unknown'}` : `was killed by ${signal}`
  return fault(`${entry.command} ${end} before it answered`, slug, { details })
}

/** The line of `mcpwire run --json` has been taken apart already. */
function isWords(line: string): boolean {
  return !line.startsWith('{"error":')
}

function explainMissing(error: unknown, entry: CommandEntry): Finding {
  const isPath = isAbsolute(entry.command) || entry.command.includes('/') || entry.command.includes(sep)
  const path = findOnPath(entry.command, { ...process.env, ...entry.env })
  if (path !== undefined) return faultOf(error)
  return fault(
    isPath ? `${entry.command} does not exist, or is not executable` : `${entry.command} is not on the PATH`,
    'command-not-found',
    { fix: isPath ? 'Check the path, and that the file is executable.' : 'Install it, or use its absolute path.' },
  )
}

/** Where a command is found; `undefined` where it is not. */
export function findOnPath(command: string, env: NodeJS.ProcessEnv): string | undefined {
  if (isAbsolute(command) || command.includes('/') || command.includes(sep))
    return isExecutable(command) ? command : undefined
  const endings = process.platform === 'win32' ? (env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : ['']
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folder of folders) {
    for (const ending of endings) {
      const path = join(folder, `${command}${ending}`)
      if (isExecutable(path)) return path
    }
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The first foreign line, quoted. A client of mcpwire skips it; others end the connection. */
export function checkStdout(strayLines: readonly string[], error?: unknown): Finding {
  const [first] = strayLines
  if (first !== undefined) {
    const count = strayLines.length === 1 ? 'a line that is' : `${strayLines.length} lines that are`
    return fault(`The server printed ${count} not JSON-RPC. ${asSentence(first)}`, 'stdout-polluted', {
      fix: [
        'Write logs to stderr: console.error instead of console.log.',
        'Or start it with mcpwire run, which keeps other output off stdout.',
      ],
    })
  }
  if (error !== undefined && explain(error).slug === 'stdout-polluted') return faultOf(error)
  return ok('Nothing but messages')
}

function asSentence(message: string): string {
  return firstLine(message)
}

/** It runs, and says nothing. */
export function silentProgram(error: unknown, entry: CommandEntry): Finding {
  const [, ms] = /within (\d+) ms/.exec(explain(error).message) ?? []
  const details = (causeOf(error)?.stderr ?? []).slice(0, MAX_STDERR_LINES).map((line) => `stderr: ${line}`)
  const limit = ms === undefined ? 'in time' : `within ${Number(ms) / 1000} s`
  return fault(`${entry.command} runs, and did not answer ${limit}`, 'server-silent', {
    cause: 'The program started, but did not answer the first message. It may wait for something, or be no MCP server.',
    fix: ['Run the command by hand to see what it waits for.', 'Use --connect-timeout to wait longer.'],
    details,
  })
}
