// mcpwire read: reads a resource, and prints or saves it.
import { resolve } from 'node:path'
import { type Client, MCPError, type ReadResourceResult } from 'mcpwire'
import { ErrorCode } from 'mcpwire/types'
import { codeOf, toFailure } from '../files/regular-file.ts'
import { replaceFile } from '../files/replace-file.ts'
import type { ConnectionOptions } from '../target/connection-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import type { Output } from '../terminal/output.ts'
import { createPrompter } from '../terminal/prompter.ts'
import { createQuestions } from '../terminal/questions.ts'
import { showContents } from '../terminal/show-result.ts'
import { showJSON, showLine } from '../terminal/terminal-text.ts'
import { connected, expectNoMore, expectWord, splitWords, withinTime } from './shared/connected.ts'
import type { Invocation } from './shared/invocation.ts'
import { expectSome } from './shared/no-such-list.ts'

export interface ReadOptions extends ConnectionOptions {
  save?: string
}

const USAGE = 'read <target> <uri>'

export async function readVerb(invocation: Invocation<ReadOptions>): Promise<number> {
  const { options, output } = invocation
  const { target: words, rest } = splitWords(invocation)
  const [typed, ...more] = rest
  const uri = expectWord(typed, 'URI', USAGE)
  expectNoMore(more, USAGE)
  const prompter = createPrompter(process)
  await connected(
    invocation,
    words,
    async (client, target) => {
      const { label } = target
      const asked = expectSome(client.readResource(uri, withinTime(options)), client, target, 'resources')
      const result = await asked.catch(async (error: unknown) => {
        throw (await explainMissing(error, client, uri, label)) ?? error
      })
      printContents(result, uri, options, output)
    },
    (client) => createQuestions(prompter, output, () => client().serverInfo?.name ?? 'The server').clientOptions,
  )
  return EXIT.done
}

const NOT_FOUND: readonly number[] = [ErrorCode.ResourceNotFound, ErrorCode.InvalidParams]

/** Since 2026-07-28 a resource that is not there is a wrong parameter, as other mistakes are: a URI that is listed is there. */
async function explainMissing(
  error: unknown,
  client: Client,
  uri: string,
  label: string,
): Promise<Failure | undefined> {
  if (!(error instanceof MCPError) || error.local || !NOT_FOUND.includes(error.code)) return undefined
  const uris = await listUris(client).catch((): string[] => [])
  if (uris.includes(uri)) return undefined
  return new Failure(`The server has no resource "${showLine(uri)}".${suggest(uri, uris, showLine)}`, {
    slug: 'resource-not-found',
    exitCode: EXIT.refused,
    hint: `Run \`mcpwire list ${label} --resources\` to see all resources.`,
    cause: error,
  })
}

async function listUris(client: Client): Promise<string[]> {
  const uris: string[] = []
  for await (const resource of client.resources()) uris.push(resource.uri)
  for await (const template of client.resourceTemplates()) uris.push(template.uriTemplate)
  return uris
}

function printContents(result: ReadResourceResult, uri: string, { save }: ReadOptions, output: Output): void {
  if (save !== undefined) saveContents(result, uri, save, output)
  if (output.isJSON) output.print(showJSON(result))
  else if (save === undefined) printPlain(result, output)
}

/** Bytes go into a pipe or a file as they are. A terminal cannot show them. */
function printPlain(result: ReadResourceResult, output: Output): void {
  const [first, ...more] = result.contents
  if (first !== undefined && 'blob' in first && more.length === 0 && !output.isTerminal) {
    output.printBytes(Buffer.from(first.blob, 'base64'))
    return
  }
  output.print(showContents(result))
  if (result.contents.some((item) => 'blob' in item)) output.note('Use --save <file> to get the bytes.')
}

function saveContents({ contents }: ReadResourceResult, uri: string, file: string, output: Output): void {
  const [first, ...more] = contents
  if (first === undefined) throw new Failure(`The resource ${showLine(uri)} is empty. Nothing was saved.`)
  if (more.length > 0) {
    throw new Failure(`The resource ${showLine(uri)} has ${contents.length} parts, which do not fit one file.`, {
      hint: 'Use --json to get all of them.',
    })
  }
  const bytes = 'text' in first ? Buffer.from(first.text) : Buffer.from(first.blob, 'base64')
  try {
    replaceFile(file, bytes)
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new Failure(`The folder of ${showLine(file)} does not exist.`, { hint: 'Create it.' })
    throw toFailure(error, `The file ${showLine(file)} cannot be written`)
  }
  output.note(`Saved ${bytes.length.toLocaleString('en')} bytes to ${showLine(resolve(file))}`)
}
