// A server with realistic tool descriptions: a few sentences per tool and a description of each argument.
import { MCPServer } from '../src/mcpserver/mcpserver.ts'

const description = 'Searches the shelf for books. Use it whenever the user names a title, an author or a subject. '
const argument = { type: 'string', description: 'What to look for; several words are looked for together.' } as const
const input = { type: 'object', properties: { title: argument, author: argument }, required: ['title'] } as const

export function describedServer(toolCount: number): MCPServer {
  const server = new MCPServer('bench')
  for (let n = 0; n < toolCount; n++) {
    server.tool(`find-book-${n}`, { title: 'Find a book', description, input }, () => n)
  }
  return server
}
