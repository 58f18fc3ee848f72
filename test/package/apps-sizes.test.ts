// What programs pay for apps: a host for the helpers that it uses, a server and a client for the extension.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { bundleSize } from './measure-sizes.ts'

const ENTRY = 'dist/lib/extensions/apps.js'

/** Bytes of the entry point's own code that a program keeps, not minified. */
async function keptBytes(names: string): Promise<number> {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    stdin: { contents: `import { ${names} } from 'mcpwire/extensions/apps'; console.log(${names})`, resolveDir: '.' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'error',
  })
  return Object.values(metafile.outputs)[0]?.inputs[ENTRY]?.bytesInOutput ?? 0
}

describe('the size of apps', () => {
  it.each([
    ['uiOf, modelTools, mayCall', 2_500],
    ['policyOf, allowOf', 5_000],
    ['readView', 9_000],
    ['sandboxPage', 9_500],
    ['windowChannel', 9_000],
    ['mountView', 40_000],
  ])('a program that uses %s keeps at most %i bytes of the entry point', async (names, most) => {
    const bytes = await keptBytes(names)
    expect(bytes).toBeGreaterThan(500)
    expect(bytes).toBeLessThanOrEqual(most)
  })

  it('the extension adds at most 4 KB gzip to a server, and 6 KB to a client', async () => {
    const add = async (program: (extensions: string) => string) => {
      const apps = "import { apps } from 'mcpwire/extensions/apps';"
      const { gzipped: without } = await bundleSize(program(''), 'browser')
      const { gzipped: with_ } = await bundleSize(`${apps} ${program('extensions: [apps()]')}`, 'browser')
      return with_ - without
    }
    const server = (extensions: string) =>
      `import { MCPServer, createHandler, toFetch } from 'mcpwire/server';
       export const fetch = toFetch(createHandler(new MCPServer('s', { ${extensions} })))`
    const client = (extensions: string) =>
      `import { Client } from 'mcpwire/client'; console.log(await Client.connect('http://localhost', { ${extensions} }))`
    expect(await add(server)).toBeLessThanOrEqual(4_000)
    expect(await add(client)).toBeLessThanOrEqual(6_000)
  })
})
