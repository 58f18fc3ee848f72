// Answers what a server asks, with what the person at the terminal says.
import type { ClientOptions } from 'mcpwire'
import { openBrowser } from 'mcpwire/node'
import type { ElicitContent, ElicitRequestParams, ElicitResult } from 'mcpwire/types'
import { parseField, showField } from './form-field.ts'
import type { Output } from './output.ts'
import type { Prompter } from './prompter.ts'
import { showLine, showText } from './terminal-text.ts'

type OnElicitation = NonNullable<ClientOptions['onElicitation']>

/** `serverName`: whoever answers must know who asks. */
export function answerQuestions(prompt: Prompter, output: Output, serverName: () => string): OnElicitation {
  let last: Promise<unknown> = Promise.resolve()
  return (params, { signal }) => {
    // A server may ask several things at once; a person answers one after the other.
    const answer = last.then(() => answerOne(params, (question) => prompt(question, signal), output, serverName()))
    last = answer.catch(() => {})
    return answer
  }
}

async function answerOne(
  params: ElicitRequestParams,
  prompt: Prompter,
  output: Output,
  serverName: string,
): Promise<ElicitResult> {
  output.note(`${showLine(serverName)} asks: ${showText(params.message)}`)
  return params.mode === 'url' ? visit(params.url, prompt, output) : fillIn(params.requestedSchema, prompt, output)
}

async function visit(url: string, prompt: Prompter, output: Output): Promise<ElicitResult> {
  output.note(`It sends you to ${showLine(url)}`)
  const consent = await confirm('Open this page in the browser?', prompt)
  if (consent !== 'accept') return { action: consent }
  if (!(await openBrowser(url))) output.note('No browser could be started: open the address yourself.')
  return { action: 'accept' }
}

async function fillIn(
  { properties, required = [] }: Extract<ElicitRequestParams, { requestedSchema: unknown }>['requestedSchema'],
  prompt: Prompter,
  output: Output,
): Promise<ElicitResult> {
  const consent = await confirm('Answer?', prompt)
  if (consent !== 'accept') return { action: consent }
  const content: [string, ElicitContent[string]][] = []
  for (const [name, schema] of Object.entries(properties)) {
    for (;;) {
      const typed = await prompt(`  ${showField(name, schema, required.includes(name))}: `)
      if (typed === undefined) return { action: 'cancel' }
      const field = parseField(typed, schema, required.includes(name))
      if ('problem' in field) {
        output.note(`  ${showLine(field.problem)}`)
        continue
      }
      if (field.value !== undefined) content.push([name, field.value])
      break
    }
  }
  return { action: 'accept', content: Object.fromEntries(content) }
}

async function confirm(question: string, prompt: Prompter): Promise<'accept' | 'decline' | 'cancel'> {
  for (;;) {
    const typed = await prompt(`${question} [Y/n] `)
    if (typed === undefined) return 'cancel'
    if (/^(?:y|yes)?$/i.test(typed.trim())) return 'accept'
    if (/^(?:n|no)$/i.test(typed.trim())) return 'decline'
  }
}
