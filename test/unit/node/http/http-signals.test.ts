import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleProgram } from '../../../support/bundle.ts'
import { type Child, startNode } from '../../../support/child.ts'
import { modernBody, modernHeaders } from '../../../support/modern-messages.ts'

/** Says where it listens, and when a call has begun. */
const PROGRAM = `
  import { MCPServer } from './src/mcpserver/mcpserver.ts'
  import { serveHttp } from './src/node/http/serve-http.ts'
  const server = new MCPServer('child')
  server.tool('slow', {}, async (_args, ctx) => {
    console.log('begun')
    await new Promise((resolve) => {
      setTimeout(resolve, Number(process.argv[2]))
      ctx.signal.addEventListener('abort', resolve)
    })
    return ctx.signal.aborted ? 'stopped' : 'finished'
  })
  const serving = await serveHttp(server, { port: 0, handleSignals: true, drainMs: 60_000 })
  console.log(serving.url)
`

let program = ''
beforeAll(async () => {
  program = await bundleProgram('http-signals', PROGRAM)
})

const children: Child[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.process.kill('SIGKILL')
})

/** A server in a process of its own, with one call under way. */
async function startCall(ms: number) {
  const child = startNode([program, String(ms)])
  children.push(child)
  await child.printed('\n')
  const [url = ''] = child.output.stdout.split('\n')
  const request = { params: { name: 'slow' } }
  const call = fetch(url, {
    method: 'POST',
    headers: modernHeaders(request),
    body: JSON.stringify(modernBody(request)),
  })
  const answer = call.then(async (response) => {
    const { result } = (await response.json()) as { result: { content: { text: string }[] } }
    return result.content[0]?.text
  })
  await child.printed('begun')
  return { child: child.process, answer, exited: child.ended, url }
}

describe('a process that gets a signal to end', () => {
  it('F132 lets calls finish, takes no new ones, and dies of the signal', async () => {
    const { child, answer, exited, url } = await startCall(300)
    child.kill('SIGTERM')
    expect(await answer).toBe('finished')
    expect(await exited).toEqual([null, 'SIGTERM'])
    await expect(fetch(url)).rejects.toThrow()
  })

  it('F133 at the second signal it stops its calls at once, and cleanly', async () => {
    const { child, answer, exited } = await startCall(60_000)
    child.kill('SIGTERM')
    child.kill('SIGINT')
    expect(await answer).toBe('stopped')
    // Of two that come together, the system says which one is first.
    expect(['SIGINT', 'SIGTERM']).toContain((await exited)[1])
  })
})
