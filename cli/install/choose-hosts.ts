// A list of the hosts on this machine to choose from, on a terminal.
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../terminal/failure.ts'
import { displayNameOf, findHosts } from './hosts.ts'

export interface TerminalStreams {
  stdin: Readable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
}

/** `undefined` without a terminal, and where no host is found. Throws where the user leaves the list. */
export async function chooseHosts(
  question: string,
  { stdin, stderr }: TerminalStreams = process,
  find: () => Promise<string[]> = findHosts,
): Promise<string[] | undefined> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined
  const found = await find()
  if (found.length === 0) return undefined
  const { isCancel, multiselect } = await import('@clack/prompts')
  const chosen = await multiselect({
    message: question,
    options: found.map((name) => ({ value: name, label: displayNameOf(name) })),
    required: true,
    input: stdin,
    output: stderr,
  })
  if (isCancel(chosen))
    throw new Failure('No host was chosen. Nothing was changed.', { exitCode: 130, slug: 'cancelled' })
  return chosen
}
