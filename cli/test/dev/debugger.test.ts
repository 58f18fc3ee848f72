// V7: breakpoints in a TypeScript file, before and after a reload.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { describeInFull } from '../../../test/engines/full.ts'
import { MAX_MS } from '../../../test/support/command-line.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { StartedDev, serverText } from './started-dev.ts'

/** The debugger that comes with Node, attached to the process that listens now. */
function attach(port: number) {
  const child = spawn(process.execPath, ['inspect', `127.0.0.1:${port}`], { timeout: MAX_MS })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  return {
    prints: (pattern: RegExp) => vi.waitFor(() => expect(shown).toMatch(pattern)),
    type: (command: string) => void child.stdin.write(`${command}\n`),
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

describeInFull('V7 the debugger of Node', () => {
  it('stops at a breakpoint of the TypeScript file, in the first version and in the next', async () => {
    const port = await freePort()
    const tool = "server.tool('stop', () => {\n  const here: number = version\n  return here\n})\n"
    await using dev = await StartedDev.start({
      transport: 'stdio',
      mode: 'modern',
      text: serverText(1, tool),
      args: [`--inspect=127.0.0.1:${port}`],
    })
    for (const version of [1, 2]) {
      const text = serverText(version, tool)
      if (version > 1) await dev.save(text)
      const line = text.split('\n').findIndex((content) => content.includes('const here')) + 1
      const inspector = attach(port)
      await inspector.prints(/debug> /)
      inspector.type(`setBreakpoint('server.ts', ${line})`)
      await inspector.prints(/const here/)
      const call = dev.call('stop')
      await inspector.prints(new RegExp(`break in .*server\\.ts:${line}`))
      inspector.type('cont')
      expect(await call).toBe(version)
      await inspector.close()
    }
  })
})
