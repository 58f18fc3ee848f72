// A server to try the client with.
import { MCPServer, ToolError } from 'mcpwire'
import { z } from 'zod'

export const server = new MCPServer('dictionary', { version: '0.1.0' })

const meanings = new Map([['client', 'A program that uses servers.']])

const input = z.object({ word: z.string() })
server.tool('define', { description: 'Say what a word means', input }, ({ word }) => {
  const meaning = meanings.get(word)
  if (meaning === undefined) throw new ToolError(`"${word}" is not in the dictionary.`)
  return meaning
})
