// A program as its caller writes it, and the environment that it gets. Starting it is `child-process`.
import { checkCommand } from '../../primitives/command-line.ts'
import { typeError } from '../../primitives/help.ts'

/** A program to start, with its whole environment. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

/** Throws `TypeError` for a program that can't be started as written. */
export function checkProgram(
  program: Pick<Program, 'command' | 'args' | 'cwd'>,
  platform: string = process.platform,
): void {
  const { command, args, cwd } = program
  checkCommand(program)
  const texts: readonly string[] = [command, cwd ?? '', ...args]
  // For cmd.exe a line break ends the command, and no quoting prevents that.
  if (platform === 'win32' && texts.some((text) => /[\r\n]/.test(text))) {
    throw typeError('bad-command', 'command, args and cwd must not contain line breaks on Windows')
  }
}

const POSIX_NAMES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']

const WINDOWS_NAMES = [
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
]

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The variables that a program needs to run, with their present values. A child gets no other variable of this process unless
 * you pass it, because environments are full of secrets.
 */
export function defaultEnvironment(): Record<string, string> {
  return pickEnvironment(process.env, process.platform)
}

/** The default variables of a platform. */
export function pickEnvironment(source: Variables, platform: string): Record<string, string> {
  const entries: [string, string][] = []
  for (const name of platform === 'win32' ? WINDOWS_NAMES : POSIX_NAMES) {
    const value = source[name]
    // A value of this form is a shell function, which an old shell would run.
    if (value !== undefined && !value.startsWith('()')) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

/** `base` with the variables of `given`; a value of `undefined` removes a variable. */
export function mergeEnvironment(
  base: Readonly<Record<string, string>>,
  given: Variables,
  platform: string = process.platform,
): Record<string, string> {
  // On Windows `Path` and `PATH` are one variable, and a child given both would see either.
  const keyOf = platform === 'win32' ? (name: string) => name.toUpperCase() : (name: string) => name
  const givenKeys = new Set(Object.keys(given).map(keyOf))
  const kept = Object.entries(base).filter(([name]) => !givenKeys.has(keyOf(name)))
  const added = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries([...kept, ...added])
}
