// What `mcpwire init` asks on a terminal: only what was not on the command line.
import type { Readable, Writable } from 'node:stream'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { PACKAGE_MANAGERS, type PackageManager } from './package-managers.ts'
import { findTemplate, TEMPLATES } from './templates.ts'

export interface Choices {
  readonly folder: string
  readonly template: string
  readonly packageManager: PackageManager
  readonly git: boolean
}

export interface TerminalStreams {
  stdin: Readable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
}

export function hasTerminal({ stdin, stderr }: TerminalStreams): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/** `defaults` are the first choices of the questions. Throws where the user leaves one. */
export async function askForChoices(
  given: Partial<Choices>,
  defaults: Omit<Choices, 'folder'>,
  { stdin, stderr }: TerminalStreams,
): Promise<Choices> {
  const { confirm, isCancel, select, text } = await import('@clack/prompts')
  const streams = { input: stdin, output: stderr }
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (isCancel(answer)) {
      throw new Failure('No project was created. Nothing was changed.', {
        exitCode: EXIT.interrupted,
        slug: 'cancelled',
      })
    }
    return answer as Exclude<T, symbol>
  }
  const template =
    given.template ??
    answered(
      await select({
        message: 'Template',
        options: TEMPLATES.map(({ name, summary }) => ({ value: name, label: name, hint: summary })),
        initialValue: defaults.template,
        ...streams,
      }),
    )
  const { folder: usual } = findTemplate(template)
  const folder =
    given.folder ?? answered(await text({ message: 'Folder', placeholder: usual, defaultValue: usual, ...streams }))
  const packageManager =
    given.packageManager ??
    answered(
      await select({
        message: 'Package manager',
        options: PACKAGE_MANAGERS.map((value) => ({ value, label: value })),
        initialValue: defaults.packageManager,
        ...streams,
      }),
    )
  const git =
    given.git ??
    answered(await confirm({ message: 'Create a git repository?', initialValue: defaults.git, ...streams }))
  return { folder, template, packageManager, git }
}
