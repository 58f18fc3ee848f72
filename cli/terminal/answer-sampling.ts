// Answers requests for a model with what the user types: the person is the model, or declines.
import type { ClientOptions } from 'mcpwire'
import { MCPError } from 'mcpwire'
import type { Output } from './output.ts'
import type { Prompter } from './prompter.ts'
import { quote, showJSON, showLine } from './terminal-text.ts'

type OnSampling = NonNullable<ClientOptions['onSampling']>

/** JSON-RPC codes from -1 on are the application's own; the specification uses this one for a user who declines. */
const USER_REJECTED = -1

/** `serverName` is printed with each request, so that the user knows who asks. */
export function answerSampling(prompter: Prompter, output: Output, serverName: () => string): OnSampling {
  return async ({ messages, systemPrompt, maxTokens }, { signal }) => {
    output.note(`${showLine(serverName())} asks for the answer of a model, of at most ${Number(maxTokens)} tokens:`)
    if (systemPrompt !== undefined) output.note(quote(`system: ${systemPrompt}`))
    for (const { role, content } of messages) {
      for (const block of [content].flat()) {
        output.note(quote(`${role}: ${block.type === 'text' ? block.text : showJSON(withoutData(block))}`))
      }
    }
    const conversation = prompter(signal)
    try {
      const typed = await conversation.ask('Your answer (an empty line declines): ')
      if (typed === undefined || typed.trim() === '')
        throw new MCPError(USER_REJECTED, 'User rejected sampling request')
      return { role: 'assistant', model: 'user', content: { type: 'text', text: typed }, stopReason: 'endTurn' }
    } finally {
      conversation.close()
    }
  }
}

/** Bytes are not for reading. */
function withoutData(block: object): object {
  return 'data' in block ? { ...block, data: '…' } : block
}
