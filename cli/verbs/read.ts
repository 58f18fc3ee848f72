// mcpwire read: reads a resource, and prints or saves it.
import { writeFile } from 'node:fs/promises'
import type { ReadResourceResult } from 'mcpwire'
import { toFailure } from '../files/regular-file.ts'
import type { ConnectionOptions } from '../target/connection-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { createPrompter } from '../terminal/prompter.ts'
import { createQuestions } from '../terminal/questions.ts'
import { showContents } from '../terminal/show-result.ts'
import { showJSON, showLine } from '../terminal/terminal-text.ts'
import { connected, expectNoMore, expectWord, splitWords, withinTime } from './connected.ts'
import type { Invocation } from './invocation.ts'

export interface ReadOptions extends ConnectionOptions {
  save?: string
}

const USAGE = 'read <target> <uri>'

export async function readVerb(invocation: Invocation<ReadOptions>): Promise<number> {
  const { options, output } = invocation
  const { target, rest } = splitWords(invocation)
  const [typed, ...more] = rest
  const uri = expectWord(typed, 'URI', USAGE)
  expectNoMore(more, USAGE)
  const prompter = createPrompter(process)
  await connected(
    invocation,
    target,
    async (client) => printContents(await client.readResource(uri, withinTime(options)), uri, options, output),
    (client) => createQuestions(prompter, output, () => client().serverInfo?.name ?? 'The server').clientOptions,
  )
  return EXIT.done
}

async function printContents(
  result: ReadResourceResult,
  uri: string,
  { save }: ReadOptions,
  output: Output,
): Promise<void> {
  if (save !== undefined) await saveContents(result, uri, save, output)
  if (output.isJSON) output.print(showJSON(result))
  else if (save === undefined) output.print(showContents(result))
}

async function saveContents(
  { contents }: ReadResourceResult,
  uri: string,
  file: string,
  output: Output,
): Promise<void> {
  const [first, ...more] = contents
  if (first === undefined) throw new Failure(`The resource ${showLine(uri)} is empty. Nothing was saved.`)
  if (more.length > 0) {
    throw new Failure(`The resource ${showLine(uri)} has ${contents.length} parts, which do not fit one file.`, {
      hint: 'Use --json to get all of them.',
    })
  }
  const bytes = 'text' in first ? Buffer.from(first.text) : Buffer.from(first.blob, 'base64')
  try {
    await writeFile(file, bytes)
  } catch (error) {
    throw toFailure(error, `The file ${file} cannot be written`)
  }
  output.note(`Saved ${bytes.length.toLocaleString('en')} bytes to ${showLine(file)}`)
}
