import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { mcpwire, program, startCommand } from '../../test/support/command-line.ts'

it('opens the inspector for a command, serves its page, and ends it and its child at Ctrl-C', async () => {
  const child = startCommand([
    'inspect',
    '--no-open',
    '--port',
    '0',
    '--',
    process.execPath,
    program('stdio-server.js'),
  ])
  const ended = once(child, 'close')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const url = new URL(/^Inspector {2}(\S+)$/.exec(line)?.[1] ?? '')
  expect(url.hostname).toBe('127.0.0.1')
  const page = await fetch(url.origin)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<title>mcpwire inspector</title>')
  const abort = new AbortController()
  const events = await fetch(`${url.origin}/api/events`, {
    headers: { authorization: `Bearer ${url.hash.slice('#t='.length)}` },
    signal: abort.signal,
  })
  let text = ''
  for await (const chunk of events.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('"status":"ready"')) break
  }
  abort.abort()
  child.kill('SIGINT')
  expect(await ended).toEqual([130, null])
})

it('listens beyond this machine only with --allow-remote', async () => {
  const { code, stderr } = await mcpwire(['inspect', '--host', '0.0.0.0', '--no-open'])
  expect(code).toBe(2)
  expect(stderr).toContain('--host 0.0.0.0 lets other machines open the inspector.')
  expect(stderr).toContain('--allow-remote')
})
