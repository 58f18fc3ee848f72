// Arguments that a call needs and that were not typed: asked for on a terminal, listed otherwise.
import type { Output } from '../terminal/output.ts'
import type { Prompter } from '../terminal/prompter.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { invalid } from './arguments.ts'
import { readValue } from './read-value.ts'
import { propertiesOf, requiredOf, resolveRef, type Schema } from './schema-types.ts'
import { showType } from './signature.ts'

export interface MissingOptions {
  readonly schema: Schema
  readonly signature: string
  readonly prompter: Prompter | undefined
  readonly output: Output
}

/** The arguments with those that the user has typed now. Throws where nobody can be asked. */
export async function askForMissing<T extends object>(given: T, options: MissingOptions): Promise<T> {
  const { schema, signature, prompter, output } = options
  const names = [...requiredOf(schema)].filter((name) => !Object.hasOwn(given, name))
  if (names.length === 0) return given
  if (prompter === undefined) {
    const [first] = names
    const what = names.length === 1 ? `argument "${showLine(first ?? '')}"` : `arguments ${names.map(quote).join(', ')}`
    throw invalid(`The ${what} ${names.length === 1 ? 'is' : 'are'} missing.`, `Its arguments are: ${signature}`)
  }
  const properties = propertiesOf(schema, schema)
  const conversation = prompter()
  const answers: [string, unknown][] = []
  try {
    for (const name of names) {
      const own = properties.get(name) ?? {}
      const description = resolveRef(own, schema)['description']
      if (typeof description === 'string') output.note(output.notePaint.dim(showLine(description)))
      for (;;) {
        const typed = await conversation.ask(`${showLine(name)} (${showType(own, schema, 1)}): `)
        if (typed === undefined)
          throw invalid(`The argument "${showLine(name)}" is missing.`, `Its arguments are: ${signature}`)
        const read = readValue(typed, own, schema)
        if ('value' in read) {
          answers.push([name, read.value])
          break
        }
        output.note(`It ${read.problem}.`)
      }
    }
  } finally {
    conversation.close()
  }
  return { ...given, ...Object.fromEntries(answers) }
}

function quote(name: string): string {
  return `"${showLine(name)}"`
}
