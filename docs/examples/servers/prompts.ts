import { Client, completable, MCPServer } from 'mcpwire'
import { z } from 'zod'

const languages = ['german', 'greek', 'italian']

const server = new MCPServer('translator')
server.prompt(
  'translate',
  {
    description: 'Translate a text',
    input: z.object({
      text: z.string(),
      language: completable(z.string(), (typed) =>
        languages.filter((language) => language.startsWith(typed)),
      ),
    }),
  },
  ({ text, language }) => `Translate into ${language}: ${text}`,
)

const client = await Client.connect(server)
const prompt = { type: 'ref/prompt', name: 'translate' } as const
const { completion } = await client.complete(prompt, {
  name: 'language',
  value: 'g',
})
console.log(completion.values)
const { messages } = await client.getPrompt('translate', {
  text: 'Good morning',
  language: 'greek',
})
console.log(messages)
await client.close()
