// mcpwire prompt: gets a prompt, with arguments by name.
import type { Client, Prompt } from 'mcpwire'
import type { ConnectionOptions } from '../target/connection-options.ts'
import type { Target } from '../target/target.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import { createPrompter } from '../terminal/prompter.ts'
import { createQuestions } from '../terminal/questions.ts'
import { showPrompt } from '../terminal/show-result.ts'
import { showJSON, showLine } from '../terminal/terminal-text.ts'
import { readArguments } from '../values/arguments.ts'
import { askForMissing } from '../values/missing-arguments.ts'
import type { Schema } from '../values/schema-types.ts'
import { promptSignature } from '../values/signature.ts'
import { connected, expectWord, splitWords, withinTime } from './shared/connected.ts'
import type { Invocation } from './shared/invocation.ts'
import { expectSome } from './shared/no-such-list.ts'

export interface PromptOptions extends ConnectionOptions {
  args?: string
  /** The old way to give single arguments. */
  arg?: readonly string[]
}

export async function promptVerb(invocation: Invocation<PromptOptions>): Promise<number> {
  const { options, output } = invocation
  const { target: words, rest } = splitWords(invocation)
  const [typed, ...pairs] = rest
  const name = expectWord(typed, 'prompt', 'prompt <target> <name> [key=value ...]')
  const prompter = createPrompter(process)
  await connected(
    invocation,
    words,
    async (client, target) => {
      const prompt = await expectSome(findPrompt(client, name, target), client, target, 'prompts')
      const [schema, signature] = [schemaOf(prompt), promptSignature(prompt)]
      const written = { pairs: [...(options.arg ?? []), ...pairs], whole: options.args }
      const given = await readArguments(written, { schema, signature })
      const all =
        options.args === undefined ? await askForMissing(given, { schema, signature, prompter, output }) : given
      const result = await client.getPrompt(name, toTexts(all), withinTime(options))
      output.print(output.isJSON ? showJSON(result) : showPrompt(result))
    },
    (client) => createQuestions(prompter, output, () => client().serverInfo?.name ?? 'The server').clientOptions,
  )
  return EXIT.done
}

async function findPrompt(client: Client, name: string, { label }: Target): Promise<Prompt> {
  const names: string[] = []
  for await (const prompt of client.prompts()) {
    if (prompt.name === name) return prompt
    names.push(prompt.name)
  }
  throw new Failure(`The server has no prompt "${showLine(name)}".${suggest(name, names, showLine)}`, {
    slug: 'unknown-prompt',
    exitCode: EXIT.refused,
    hint: `Run \`mcpwire list ${label} --prompts\` to see all prompts.`,
  })
}

/** All arguments of a prompt are texts. */
function schemaOf({ arguments: list = [] }: Prompt): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(list.map(({ name, description }) => [name, { type: 'string', description }])),
    required: list.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: list.length === 0,
  }
}

function toTexts(values: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}
