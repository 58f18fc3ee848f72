// Commands in the files of a project are started only after the user has agreed, once per exact command.
import { createHash } from 'node:crypto'
import { configFile, readUserFile, writeUserFile } from '../files/user-files.ts'
import type { CommandEntry } from '../install/server-entry.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { createPrompter } from '../terminal/prompter.ts'
import { showLine } from '../terminal/terminal-text.ts'

const MAX_APPROVALS = 1_000

/** Throws where the user does not agree. `--yes` agrees, and is not remembered. */
export async function approveCommand(
  entry: CommandEntry,
  file: string,
  { yes }: { yes?: boolean },
  output: Output,
): Promise<void> {
  const digest = digestOf(entry, file)
  const approved = readApprovals()
  if (yes === true || approved.includes(digest)) return
  const command = [entry.command, ...entry.args].map(showWord).join(' ')
  const prompter = createPrompter(process)
  if (prompter === undefined) {
    throw refusal(
      `${showLine(file)} starts a program, and nobody is there to agree: ${command}`,
      'Use --yes to start it.',
    )
  }
  output.note(`${showLine(file)} starts this program:`)
  output.note(`  ${command}`)
  output.note(`  in ${showLine(entry.cwd ?? process.cwd())}`)
  const names = Object.keys(entry.env)
  if (names.length > 0) output.note(`  with the variables ${names.map(showLine).join(', ')}`)
  const conversation = prompter()
  const answer = await conversation.ask('Start it? (y/n) ')
  conversation.close()
  if (!/^(?:y|yes)$/i.test(answer?.trim() ?? '')) throw refusal('The program was not started.', 'Answer y to start it.')
  writeUserFile(configFile('approved-commands.json'), [...approved, digest].slice(-MAX_APPROVALS))
}

function refusal(message: string, hint: string): Failure {
  return new Failure(message, { slug: 'not-approved', exitCode: EXIT.usage, hint })
}

function readApprovals(): string[] {
  const kept = readUserFile(configFile('approved-commands.json'))
  return Array.isArray(kept) ? kept.filter((digest) => typeof digest === 'string') : []
}

/** Everything that decides what is started. */
function digestOf({ command, args, env, cwd }: CommandEntry, file: string): string {
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([file, command, args, variables, cwd]))
    .digest('hex')
}

/** Each word as one word, whatever it holds. */
export function showWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${showLine(word).replaceAll("'", "'\\''")}'`
}
