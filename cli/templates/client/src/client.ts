import { Client } from 'mcpwire'
import type { ClientOptions, ClientTarget } from 'mcpwire/client'

/** What a server offers, and what it answers to one call. */
export async function lookUp(target: ClientTarget, word: string, options: ClientOptions = {}): Promise<string[]> {
  const client = await Client.connect(target, options)
  try {
    const lines = [`protocol revision ${client.protocolVersion}`]
    for await (const { name, description } of client.tools()) lines.push(`tool ${name}: ${description}`)
    const { isError, content } = await client.callTool('define', { word })
    const [first] = content
    lines.push(`${isError ? 'error' : word}: ${first?.type === 'text' ? first.text : 'no text'}`)
    return lines
  } finally {
    await client.close()
  }
}
