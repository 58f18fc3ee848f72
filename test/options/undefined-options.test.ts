// An option that is `undefined` is not given: programs pass on what a configuration may not have.
import { MCPServer } from 'mcpwire'
import { fileResource } from 'mcpwire/node'
import { describe, expect, it } from 'vitest'
import { OPTION_LISTS } from './option-lists.ts'
import { TAKES_OPTIONS } from './takers.ts'

/** They open something at once, and take their options as those do that are called here. */
const OPENING = [
  'server.run()',
  "server.run({ transport: 'http' })",
  'serveTasks()',
  'serveHttp()',
  'serveStdio()',
  'launchStdioServer()',
  'Client.connect()',
  'Client.connect({ command })',
  'connectToServer()',
  'devAuthorizationServer()',
  'sqlite()',
]

/** What the callers of these give in any case. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'fetchTools()': ['baseUrl'],
  'server.app()': ['html'],
  'mountView()': ['view', 'sandboxUrl'],
  'sandboxPage()': ['hostOrigin'],
  'windowChannel()': ['origin'],
  'new MCPServer(): cacheHints': ['ttlMs'],
  'server.skill() with a name': ['description', 'body'],
  'createRequestStateSeal()': ['audience'],
  'limitConcurrency()': ['max'],
  'limitRate()': ['perSecond'],
  'limitResponseSize()': ['maxBytes'],
  'sharedKeys()': ['master'],
  'stdio()': ['command'],
  'clientCredentials()': ['clientSecret', 'issuer'],
  'enterpriseManaged()': ['issuer', 'assertion'],
  'workloadIdentity()': ['issuer'],
  'perUser()': ['store', 'callbackUrl'],
  'tokenExchange()': ['tokenEndpoint', 'client'],
  'tokenExchange(): client': ['id'],
  'requireBearer()': ['resource', 'issuer', 'verifier'],
  'jwtVerifier()': ['issuer'],
  'introspectionVerifier()': ['issuer', 'endpoint', 'clientId', 'clientSecret'],
  'resolveSchema()': ['engine'],
}

describe('an option that is undefined', () => {
  for (const [title, { lists, call }] of Object.entries(TAKES_OPTIONS)) {
    if (OPENING.includes(title)) continue
    it(`of ${title} is not given`, async () => {
      const without = await attempt(call, {})
      const needed: string[] = []
      for (const key of Object.keys(OPTION_LISTS[lists[0]])) {
        const failure = await attempt(call, { [key]: undefined })
        if (String(failure) !== String(without)) needed.push(key)
      }
      expect(needed).toEqual(NEEDED[title] ?? [])
    })
  }
})

describe('a server', () => {
  it('is told no option of HTTP that is undefined', async () => {
    const options = { transport: 'neither' as 'stdio', port: undefined, host: undefined }
    await expect(new MCPServer('s').run(options)).rejects.toThrow("must be 'stdio' or 'http'")
  })

  it('lists a resource by its uri where its name is undefined', async () => {
    const server = new MCPServer('s')
    const list = () => [{ uri: 'note://1', name: undefined, title: undefined }]
    server.resource('note://{id}', { list, mimeType: 'text/plain' }, () => 'text')
    const { resources } = await server.listResources()
    expect(resources).toEqual([{ uri: 'note://1', name: 'note://1', mimeType: 'text/plain' }])
  })

  it('reads a file by its own name where the option is undefined', () => {
    expect(fileResource('/notes/today.md', { name: undefined, title: undefined }).meta).toEqual({
      name: 'today.md',
      mimeType: 'text/markdown',
    })
  })
})

async function attempt(call: (options: object) => unknown, options: object): Promise<unknown> {
  try {
    await call(options)
    return undefined
  } catch (error) {
    return error
  }
}
