// The tools of `rounds.ts` once more, written straight down: each asks where it needs to know, in either era. So they work behind a
// proxy whose source speaks the legacy era, which no tool can that returns `input_required` itself.
import type { Context, MCPServer } from 'mcpwire'
import type { ElicitResult } from 'mcpwire/types'
import { z } from 'zod'

const Name = z.object({ name: z.string() })
const Confirmation = z.object({ ok: z.boolean() })

const askModel = (ctx: Context, text: string) =>
  ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 })

const nameIn = ({ action, content }: { action: ElicitResult['action']; content?: { name: string } }) =>
  action === 'accept' && content !== undefined ? content.name : 'nobody'

export function addStraightRounds(server: MCPServer): void {
  server.tool('test_input_required_result_elicitation', { description: 'Greets by name.' }, async (_args, ctx) => {
    return `Hello, ${nameIn(await ctx.elicit('What is your name?', Name))}!`
  })

  server.tool(
    'test_input_required_result_sampling',
    { description: "Asks the client's model." },
    async (_args, ctx) => {
      return `The model says: ${JSON.stringify(await askModel(ctx, 'What is the capital of France?'))}`
    },
  )

  server.tool('test_input_required_result_list_roots', { description: 'Asks for the roots.' }, async (_args, ctx) => {
    return `The roots: ${JSON.stringify(await ctx.listRoots())}`
  })

  server.tool(
    'test_input_required_result_request_state',
    { description: 'Remembers its question.' },
    async (_args, ctx) => {
      const answer = await ctx.elicit('Please confirm', Confirmation)
      return `state-ok: ${answer.action === 'accept' && answer.content.ok}`
    },
  )

  server.tool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks three ways at once.' },
    async (_args, ctx) => {
      const [name, greeting, { roots }] = await Promise.all([
        ctx.elicit('What is your name?', Name),
        askModel(ctx, 'Write a greeting.'),
        ctx.listRoots(),
      ])
      return `Received: ${nameIn(name)}, ${greeting.model}, ${roots.length} roots`
    },
  )

  server.tool('test_input_required_result_multi_round', { description: 'Asks two times.' }, async (_args, ctx) => {
    const name = nameIn(await ctx.elicit('Step 1: your name?', Name))
    await ctx.elicit('Step 2: your colour?', z.object({ color: z.string() }))
    return `Done, ${name}.`
  })

  server.tool(
    'test_input_required_result_tampered_state',
    { description: 'Trusts its own state only.' },
    async (_args, ctx) => {
      await ctx.elicit('Please confirm', Confirmation)
      return 'The state is untouched.'
    },
  )

  server.tool(
    'test_input_required_result_capabilities',
    { description: 'Asks what the client can answer.' },
    async (_args, ctx) => {
      const { elicitation, sampling, roots } = ctx.clientCapabilities
      const questions = [
        elicitation !== undefined && ctx.elicit('What is your name?', Name),
        sampling !== undefined && askModel(ctx, 'Write a greeting.'),
        roots !== undefined && ctx.listRoots(),
      ].filter((question) => question !== false)
      await Promise.all<unknown>(questions)
      return questions.length === 0 ? 'Nothing can be asked.' : 'Thank you.'
    },
  )

  server.prompt('test_input_required_result_prompt', { description: 'Asks for its context.' }, async (_args, ctx) => {
    const answer = await ctx.elicit('In what context?', z.object({ context: z.string() }))
    return `Please answer in this context: ${answer.action === 'accept' ? answer.content.context : 'none'}`
  })
}
