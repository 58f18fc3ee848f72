// Answers what a server asks, with what the person at the terminal says.
import type { ClientOptions } from 'mcpwire'
import { openBrowser } from 'mcpwire/node'
import type { ElicitContent, ElicitRequestParams, ElicitResult } from 'mcpwire/types'
import { type FormField, readForm } from './form-field.ts'
import type { Output } from './output.ts'
import type { Conversation, Prompter } from './prompter.ts'
import { quote, showLine } from './terminal-text.ts'

type OnElicitation = NonNullable<ClientOptions['onElicitation']>

/** `serverName`: whoever answers must know who asks. */
export function answerQuestions(prompter: Prompter, output: Output, serverName: () => string): OnElicitation {
  let last: Promise<unknown> = Promise.resolve()
  return (params, { signal }) => {
    // A server may ask several things at once; a person answers one after the other.
    const answer = last.then(() => answerOne(params, () => prompter(signal), output, serverName()))
    last = answer.catch(() => {})
    return answer
  }
}

async function answerOne(
  params: ElicitRequestParams,
  begin: () => Conversation,
  output: Output,
  serverName: string,
): Promise<ElicitResult> {
  output.note(`${showLine(serverName)} asks:`)
  output.note(quote(params.message))
  const problem = params.mode === 'url' ? problemOfUrl(params.url) : undefined
  const form = params.mode === 'url' ? [] : readForm(params.requestedSchema)
  if (problem !== undefined || !Array.isArray(form)) {
    output.note(`Declined: ${showLine(problem ?? String(form))}`)
    return { action: 'decline' }
  }
  const conversation = begin()
  try {
    return params.mode === 'url'
      ? await visit(params.url, conversation, output)
      : await fillIn(form, conversation, output)
  } finally {
    conversation.close()
  }
}

function problemOfUrl(url: string): string | undefined {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? undefined : `it leads to ${url}, which is no web page.`
}

async function visit(url: string, conversation: Conversation, output: Output): Promise<ElicitResult> {
  output.note(`It sends you to ${showLine(new URL(url).href)}`)
  const consent = await confirm('Open this page in the browser?', conversation)
  if (consent !== 'accept') return { action: consent }
  if (!(await openBrowser(url))) output.note('No browser could be started: open the address yourself.')
  return { action: 'accept' }
}

async function fillIn(form: readonly FormField[], conversation: Conversation, output: Output): Promise<ElicitResult> {
  const consent = await confirm('Answer?', conversation)
  if (consent !== 'accept') return { action: consent }
  const content: [string, ElicitContent[string]][] = []
  for (const field of form) {
    for (;;) {
      const typed = await conversation.ask(`  ${field.label}: `)
      if (typed === undefined) return { action: 'cancel' }
      const { value, problem } = field.read(typed)
      if (problem === undefined) {
        if (value !== undefined) content.push([field.name, value])
        break
      }
      output.note(`  ${showLine(problem)}`)
    }
  }
  return { action: 'accept', content: Object.fromEntries(content) }
}

/** No key stands for yes by itself: it might have been pressed before the question was there. */
async function confirm(question: string, conversation: Conversation): Promise<'accept' | 'decline' | 'cancel'> {
  for (;;) {
    const typed = await conversation.ask(`${question} (y/n) `)
    if (typed === undefined) return 'cancel'
    if (/^(?:y|yes)$/i.test(typed.trim())) return 'accept'
    if (/^(?:n|no)$/i.test(typed.trim())) return 'decline'
  }
}
