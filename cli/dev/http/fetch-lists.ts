// The lists of a version of the server, as a client with the credentials of the last one sees them.
import type { Lists } from '../relay/lists.ts'
import type { Params } from '../relay/messages.ts'

/** `undefined` where the server does not answer, or not to us. */
export async function fetchListsFrom(
  url: string,
  authorization: string | undefined,
  ms: number,
): Promise<Lists | undefined> {
  const { Client, streamableHttp } = await import('mcpwire/client')
  const headers = authorization === undefined ? {} : { authorization }
  const client = new Client(streamableHttp(url, { headers }), { connectTimeoutMs: ms, onFault: () => {} })
  const limit = { signal: AbortSignal.timeout(ms) }
  const collect = async (items: AsyncIterable<object>) => {
    const found: Params[] = []
    for await (const item of items) found.push(item as Params)
    return found
  }
  try {
    await client.open()
    const { tools, resources, prompts } = client.serverCapabilities ?? {}
    const nothing = Promise.resolve<Params[]>([])
    const [listedTools, listedResources, templates, listedPrompts] = await Promise.all([
      tools === undefined ? nothing : collect(client.tools(limit)),
      resources === undefined ? nothing : collect(client.resources(limit)),
      resources === undefined ? nothing : collect(client.resourceTemplates(limit)),
      prompts === undefined ? nothing : collect(client.prompts(limit)),
    ])
    return { tools: listedTools, resources: listedResources, templates, prompts: listedPrompts }
  } catch {
    return undefined
  } finally {
    await client.close().catch(() => {})
  }
}
