// Tools that return `input_required` themselves, and read the input at the next call.

import type { Context } from 'mcpwire'
import { ErrorCode, MCPError, type MCPServer } from 'mcpwire'
import type { InputRequest, InputRequiredResult } from 'mcpwire/types'
import { z } from 'zod'

const ask = {
  form: (message: string, properties: Record<string, { type: 'string' } | { type: 'boolean' }>): InputRequest => ({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
    },
  }),
  model: (text: string): InputRequest => ({
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 },
  }),
  roots: (): InputRequest => ({ method: 'roots/list' }),
}

function needs(inputRequests: Record<string, InputRequest>, requestState?: string): InputRequiredResult {
  return { resultType: 'input_required', inputRequests, ...(requestState !== undefined && { requestState }) }
}

/** The content of an accepted form, if there is one with that key and those fields. */
function accepted<T>(ctx: Context, key: string, schema: z.ZodType<T>): T | undefined {
  const answer = z.object({ action: z.literal('accept'), content: schema }).safeParse(ctx.inputResponses?.[key])
  return answer.success ? answer.data.content : undefined
}

const Name = z.object({ name: z.string() })

export function addRounds(server: MCPServer): void {
  server.tool('test_input_required_result_elicitation', { description: 'Greets by name.' }, (_args, ctx) => {
    const answer = accepted(ctx, 'user_name', Name)
    if (answer === undefined) return needs({ user_name: ask.form('What is your name?', { name: { type: 'string' } }) })
    return `Hello, ${answer.name}!`
  })

  server.tool('test_input_required_result_sampling', { description: "Asks the client's model." }, (_args, ctx) => {
    const answer = ctx.inputResponses?.['capital_question']
    if (answer === undefined) return needs({ capital_question: ask.model('What is the capital of France?') })
    return `The model says: ${JSON.stringify(answer)}`
  })

  server.tool('test_input_required_result_list_roots', { description: 'Asks for the roots.' }, (_args, ctx) => {
    const answer = ctx.inputResponses?.['client_roots']
    if (answer === undefined) return needs({ client_roots: ask.roots() })
    return `The roots: ${JSON.stringify(answer)}`
  })

  server.tool('test_input_required_result_request_state', { description: 'Remembers its question.' }, (_args, ctx) => {
    const answer = accepted(ctx, 'confirm', z.object({ ok: z.boolean() }))
    if (answer === undefined || ctx.requestState !== 'asked') {
      return needs({ confirm: ask.form('Please confirm', { ok: { type: 'boolean' } }) }, 'asked')
    }
    return `state-ok: ${answer.ok}`
  })

  server.tool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks three ways at once.' },
    (_args, ctx) => {
      if (ctx.inputResponses === undefined) {
        return needs(
          {
            user_name: ask.form('What is your name?', { name: { type: 'string' } }),
            greeting: ask.model('Write a greeting.'),
            client_roots: ask.roots(),
          },
          'asked',
        )
      }
      return `Received: ${Object.keys(ctx.inputResponses).join(', ')}`
    },
  )

  server.tool('test_input_required_result_multi_round', { description: 'Asks two times.' }, (_args, ctx) => {
    const step1 = accepted(ctx, 'step1', Name)
    if (ctx.requestState === undefined || (step1 === undefined && ctx.requestState === 'step 1')) {
      return needs({ step1: ask.form('Step 1: your name?', { name: { type: 'string' } }) }, 'step 1')
    }
    if (ctx.requestState === 'step 1') {
      return needs(
        { step2: ask.form('Step 2: your colour?', { color: { type: 'string' } }) },
        `step 2 of ${step1?.name}`,
      )
    }
    return `Done, ${ctx.requestState.slice('step 2 of '.length)}.`
  })

  server.tool(
    'test_input_required_result_tampered_state',
    { description: 'Trusts its own state only.' },
    (_args, ctx) => {
      if (ctx.requestState === undefined) {
        return needs({ confirm: ask.form('Please confirm', { ok: { type: 'boolean' } }) }, 'asked')
      }
      if (ctx.requestState !== 'asked') throw new MCPError(ErrorCode.InvalidParams, 'The request state is not ours')
      return 'The state is untouched.'
    },
  )

  server.tool(
    'test_input_required_result_capabilities',
    { description: 'Asks what the client can answer.' },
    (_args, ctx) => {
      if (ctx.inputResponses !== undefined) return 'Thank you.'
      const { elicitation, sampling, roots } = ctx.clientCapabilities
      const questions: Record<string, InputRequest> = {
        ...(elicitation !== undefined && { user_name: ask.form('What is your name?', { name: { type: 'string' } }) }),
        ...(sampling !== undefined && { greeting: ask.model('Write a greeting.') }),
        ...(roots !== undefined && { client_roots: ask.roots() }),
      }
      return Object.keys(questions).length === 0 ? 'Nothing can be asked.' : needs(questions)
    },
  )

  server.prompt('test_input_required_result_prompt', { description: 'Asks for its context.' }, (_args, ctx) => {
    const answer = accepted(ctx, 'user_context', z.object({ context: z.string() }))
    if (answer === undefined) {
      return needs({ user_context: ask.form('In what context?', { context: { type: 'string' } }) })
    }
    return `Please answer in this context: ${answer.context}`
  })
}
