// The protected example, started as its reader would start it, with a real authorization server for its tokens.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import { obtainToken } from '../support/obtain-token.ts'

const root = new URL('../../', import.meta.url)
const pathTo = (path: string) => fileURLToPath(new URL(path, root))
const OUTFILE = pathTo('build/fixtures/protected-server/protected-server.js')
const RESOURCE = 'https://notes.example/mcp'

beforeAll(async () => {
  await build({
    absWorkingDir: pathTo(''),
    entryPoints: ['examples/protected-server.ts'],
    outfile: OUTFILE,
    alias: {
      'mcpwire/auth': pathTo('src/exports/auth.ts'),
      mcpwire: pathTo('src/exports/index.ts'),
      '#platform': pathTo('src/node/platform.ts'),
    },
    external: ['zod', 'cross-spawn', 'jose', 'oauth4webapi'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  })
})

let child: ChildProcess | undefined

afterEach(() => {
  child?.kill()
})

/** Resolves to where the example says that it listens. */
async function start(issuer: string): Promise<string> {
  const env = { ...process.env, PORT: '0', RESOURCE, ISSUER: issuer }
  const started = spawn(process.execPath, [OUTFILE], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  child = started
  for await (const line of createInterface({ input: started.stdout })) {
    const [, url] = /^Listening at (\S+) /.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('The example ended before it listened')
}

it('lets callers read with a token, and write with one scope more', async () => {
  const scopes = ['notes:read', 'notes:write']
  await using authorization = await startAuthorizationServer({ resources: { [RESOURCE]: { scopes } } })
  const tokenFor = async (scope: string) =>
    (await obtainToken(authorization, { resource: RESOURCE, scope })).access_token
  const url = await start(authorization.issuer)

  await expect(Client.connect(streamableHttp(url))).rejects.toMatchObject({ status: 401 })

  await using writer = await Client.connect(streamableHttp(url, { auth: await tokenFor('notes:read notes:write') }))
  await writer.callTool('write', { text: 'feed the cat' })

  await using reader = await Client.connect(streamableHttp(url, { auth: await tokenFor('notes:read') }))
  expect((await reader.callTool('read')).content).toEqual([{ type: 'text', text: 'ada: feed the cat' }])
  await expect(reader.callTool('write', { text: 'me too' })).rejects.toThrow()
})
