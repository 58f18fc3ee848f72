import { MCPServer } from 'mcpwire'
import { z } from 'zod'

export const server = new MCPServer('my-server', { version: '0.1.0' })

const input = z.object({ text: z.string() })
const output = z.object({ sha256: z.string() })
server.tool('hash', { description: 'SHA-256 of a text', input, output }, async ({ text }) => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return { sha256: [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('') }
})
