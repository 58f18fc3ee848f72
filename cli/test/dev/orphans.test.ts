// V6: whatever ends `mcpwire dev`, and whatever it does at that moment, no process is left.
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, vi } from 'vitest'
import { isFull } from '../../../test/engines/full.ts'
import { startCommand } from '../../../test/support/command-line.ts'
import { createProject } from '../typescript/projects.ts'
import { hasProc, processesWith, serverText, type Transport } from './started-dev.ts'

type Started = ReturnType<typeof startCommand>

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})

interface Ending {
  what: string
  end(child: Started): void
  code: number | null
}

const SIGNALS: readonly Ending[] = [
  { what: 'SIGTERM', end: (child) => void child.kill('SIGTERM'), code: 143 },
  { what: 'SIGINT', end: (child) => void child.kill('SIGINT'), code: 130 },
  { what: 'SIGHUP', end: (child) => void child.kill('SIGHUP'), code: 129 },
  { what: 'SIGKILL', end: (child) => void child.kill('SIGKILL'), code: null },
]
const END_OF_INPUT: Ending = { what: 'the end of its input', end: (child) => void child.stdin.end(), code: 0 }
const CLOSED_OUTPUT: Ending = {
  what: 'an answer that nobody reads',
  end(child) {
    child.stdout.destroy()
    child.stdin.write(`${INITIALIZE}\n`)
  },
  code: 0,
}

interface State {
  what: string
  text: string
  /** What is printed once it is there. */
  printed: RegExp
}

const SERVES: State = { what: 'while it serves', text: serverText(1), printed: /ready in/ }
const OTHERS: readonly State[] = [
  {
    what: 'while a version loads',
    text: "console.error('loading')\nsetInterval(() => {}, 1000)\nawait new Promise(() => {})\n",
    printed: /^loading/,
  },
  { what: 'after a version that ends', text: 'process.exit(3)\n', printed: /No version serves/ },
  {
    what: 'while it restarts a version that ended later',
    text: serverText(1, 'setTimeout(() => process.exit(3), 50)\n'),
    // It may end before it has served.
    printed: /Restarting|No version serves/,
  },
]

const stdioCases = [...SIGNALS, END_OF_INPUT].map((ending) => ['stdio', ending, SERVES] as const)
const otherCases = OTHERS.flatMap((state) => [
  ...[...SIGNALS, END_OF_INPUT].map((ending) => ['stdio', ending, state] as const),
  ...SIGNALS.map((ending) => ['http', ending, state] as const),
])
const cases: readonly (readonly [Transport, Ending, State])[] = [
  ...stdioCases,
  ['stdio', CLOSED_OUTPUT, SERVES],
  ...(isFull ? [...SIGNALS.map((ending) => ['http', ending, SERVES] as const), ...otherCases] : []),
]

function startProject(text: string) {
  const files = { 'package.json': '{"type":"module"}', 'server.ts': text }
  return createProject({ server: 'server.ts', packages: ['zod'], files })
}

function startDev(folder: string, transport: Transport): Started {
  const how = transport === 'stdio' ? ['--stdio'] : ['--port', '0', '--no-inspector']
  return startCommand(['dev', join(folder, 'server.ts'), ...how, '--', folder])
}

describe.runIf(hasProc)('V6 no server is left', () => {
  it.each(
    cases.map(([transport, ending, state]) => ({ transport, ending, state, after: ending.what, at: state.what })),
  )('over $transport after $after $at', async ({ transport, ending, state }) => {
    await using project = await startProject(state.text)
    const { folder } = project
    const child = startDev(folder, transport)
    const lines: string[] = []
    const reading = createInterface(child.stderr).on('line', (line) => lines.push(line))
    while (!lines.some((line) => state.printed.test(line))) await once(reading, 'line')
    const exited = once(child, 'exit')
    ending.end(child)
    expect((await exited)[0]).toBe(ending.code)
    await vi.waitFor(() => expect(processesWith(folder)).toEqual([]))
  })

  it('over stdio where the input has ended before the server is loaded', async () => {
    await using project = await startProject(serverText(1))
    const child = startDev(project.folder, 'stdio')
    child.stdin.end()
    child.stderr.resume()
    expect(await once(child, 'exit')).toEqual([0, null])
    await vi.waitFor(() => expect(processesWith(project.folder)).toEqual([]))
  })

  it('and what a client asked for before it closed its end is answered', async () => {
    await using project = await startProject(serverText(1))
    const child = startDev(project.folder, 'stdio')
    child.stderr.resume()
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'order', arguments: { id: 7 } } }
    child.stdin.end(`${INITIALIZE}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n${JSON.stringify(call)}\n`)
    let text = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) text += String(chunk)
    const answers = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result?: object })
    expect(answers.map(({ id }) => id)).toEqual([1, 2])
    expect(answers[1]?.result).toMatchObject({ structuredContent: { id: 7, version: 1 } })
  })
})
