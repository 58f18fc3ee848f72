// A target that was typed into a field of the inspector, in one line.
import type { ServerEntry } from '../install/server-entry.ts'
import type { Output } from '../terminal/output.ts'
import { splitWords } from '../terminal/split-words.ts'
import { resolveTarget } from './target.ts'

/**
 * Several words are a command; one word is a target as on the command line. Starts nothing: the inspector asks for a confirmation
 * of every command.
 */
export async function parseTyped(
  line: string,
  headers: Readonly<Record<string, string>>,
  output: Output,
): Promise<ServerEntry> {
  const [first, ...rest] = splitWords(line)
  const header = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const options = { yes: true, ...(header.length > 0 && { header }) }
  const isCommand = first === '--' || rest.length > 0
  const command = first === '--' || first === undefined ? rest : [first, ...rest]
  const words = isCommand ? { word: undefined, command } : { word: first, command: undefined }
  return (await resolveTarget(words, options, output)).entry
}
