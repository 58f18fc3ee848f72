import { Client, completable, MCPServer } from 'mcpwire'
import { z } from 'zod'

const languages = ['german', 'greek', 'italian']
const server = new MCPServer('translator')
server.prompt(
  'translate',
  {
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
const argument = { name: 'language', value: 'g' }
const { completion } = await client.complete(prompt, argument)
console.log(completion.values)
await client.close()
