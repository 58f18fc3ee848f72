// V6: whatever ends `mcpwire dev`, no process is left.
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, vi } from 'vitest'
import { startCommand } from '../../../test/support/command-line.ts'
import { createProject } from '../typescript/projects.ts'
import { hasProc, processesWith, serverText } from './started-dev.ts'

type Started = ReturnType<typeof startCommand>

const ENDINGS: readonly [what: string, end: (child: Started) => void, code: number | null][] = [
  ['SIGTERM', (child) => void child.kill('SIGTERM'), 143],
  ['SIGINT', (child) => void child.kill('SIGINT'), 130],
  ['SIGHUP', (child) => void child.kill('SIGHUP'), 129],
  ['SIGKILL', (child) => void child.kill('SIGKILL'), null],
  ['the end of its input', (child) => void child.stdin.end(), 0],
]

describe.runIf(hasProc)('V6 no server is left', () => {
  it.each(ENDINGS)('after %s', async (_what, end, code) => {
    await using project = await createProject({
      server: 'server.ts',
      packages: ['zod'],
      files: { 'package.json': '{"type":"module"}', 'server.ts': serverText(1) },
    })
    const { folder } = project
    const child = startCommand(['dev', join(folder, 'server.ts'), '--stdio', '--', folder])
    const ready = once(createInterface(child.stderr), 'line')
    await ready
    await vi.waitFor(() => expect(processesWith(folder).length).toBeGreaterThanOrEqual(2))
    const exited = once(child, 'exit')
    end(child)
    expect((await exited)[0]).toBe(code)
    await vi.waitFor(() => expect(processesWith(folder)).toEqual([]))
  })
})
