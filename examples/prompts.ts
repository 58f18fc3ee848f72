// Prompts with completions for their arguments. The suggestions for one argument may depend on another.
import { completable, MCPServer } from 'mcpwire'
import { z } from 'zod'

const frameworks: Record<string, string[]> = {
  python: ['django', 'fastapi', 'flask'],
  ruby: ['rails', 'sinatra'],
  typescript: ['fastify', 'hono', 'nest'],
}

const startingWith = (prefix: string, words: string[]) => words.filter((word) => word.startsWith(prefix))

const server = new MCPServer('prompts', { version: '1.0.0' })

server.prompt(
  'review',
  {
    title: 'Code review',
    description: 'Reviews code as someone who knows the framework.',
    input: z.object({
      language: completable(z.string().describe('What the code is written in.'), (value) =>
        startingWith(value, Object.keys(frameworks)),
      ),
      framework: completable(z.string().optional(), (value, { arguments: { language = '' } }) =>
        startingWith(value, frameworks[language] ?? []),
      ),
      code: z.string(),
    }),
  },
  ({ language, framework, code }) => [
    `You know ${framework ?? language} by heart. Review this code:\n\n\`\`\`${language}\n${code}\n\`\`\``,
    { role: 'assistant', content: 'I look for mistakes first, then for style.' },
  ],
)

server.prompt(
  'explain',
  { description: 'Explains a mistake.', input: z.object({ error: z.string() }) },
  ({ error }) => {
    return `Explain this error to a beginner: ${error}`
  },
)

await server.run()
