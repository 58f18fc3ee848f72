// Tools that ask the client and its user while they run: the same code in both eras.
import type { MCPServer } from 'mcpwire'
import { z } from 'zod'

export function addQuestions(server: MCPServer): void {
  server.tool(
    'test_sampling',
    { description: "Asks the client's model.", input: z.object({ prompt: z.string() }) },
    async ({ prompt }, ctx) => {
      const answer = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      })
      const [content] = Array.isArray(answer.content) ? answer.content : [answer.content]
      return `LLM response: ${content?.type === 'text' ? content.text : JSON.stringify(content)}`
    },
  )

  server.tool(
    'test_elicitation',
    { description: 'Asks the user for a name and an address.', input: z.object({ message: z.string() }) },
    async ({ message }, ctx) => {
      const answer = await ctx.elicit(message, z.object({ username: z.string(), email: z.string() }))
      return `User response: ${JSON.stringify(answer)}`
    },
  )

  server.tool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks with a default for every kind of field.' },
    async (_args, ctx) => {
      const answer = await ctx.elicit('Please review these values', {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      })
      return `Elicitation completed: ${JSON.stringify(answer)}`
    },
  )

  server.tool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks with every way to write a choice.' },
    async (_args, ctx) => {
      const titled = [
        { const: 'value1', title: 'First Option' },
        { const: 'value2', title: 'Second Option' },
        { const: 'value3', title: 'Third Option' },
      ]
      const answer = await ctx.elicit('Please choose', {
        type: 'object',
        properties: {
          untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          titledSingle: { type: 'string', oneOf: titled },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
          titledMulti: { type: 'array', items: { anyOf: titled } },
        },
      })
      return `Elicitation completed: ${JSON.stringify(answer)}`
    },
  )

  server.tool(
    'test_missing_capability',
    { description: 'Needs a client with a model.', requires: { sampling: {} } },
    () => 'This client can sample.',
  )

  server.tool(
    'test_streaming_elicitation',
    { description: 'Could ask, but has no reason to.' },
    () => 'Nothing had to be asked.',
  )
}
