import { createInterface } from 'node:readline/promises'
import type { ElicitRequestParams, ElicitResult } from 'mcpwire/types'

/** Resolves to what the user typed, or to nothing where there is nobody to ask. */
export type Ask = (question: string) => Promise<string | undefined>

/** Asks for each field of a form. Text of a server is shown to the user as a question of that server. */
export async function answerForm(params: ElicitRequestParams, ask: Ask): Promise<ElicitResult> {
  if (params.mode === 'url') return { action: 'decline' }
  const content: Record<string, string | number | boolean> = {}
  for (const [field, { type }] of Object.entries(params.requestedSchema.properties)) {
    const typed = await ask(`${params.message} ${field}: `)
    if (typed === undefined || typed === '') return { action: 'cancel' }
    if (type === 'boolean') content[field] = /^y(es)?$/i.test(typed)
    else content[field] = type === 'number' || type === 'integer' ? Number(typed) : typed
  }
  return { action: 'accept', content }
}

/** Asks on the terminal. */
export async function askOnTerminal(question: string): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
    return await Promise.race([terminal.question(question), ended])
  } finally {
    terminal.close()
  }
}
