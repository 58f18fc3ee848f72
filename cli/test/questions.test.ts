// Questions on a real terminal: of a tool, and of the command line for arguments that are missing.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { MAIN, MAX_MS, mcpwire, program } from '../../test/support/command-line.ts'

function hasScript(): boolean {
  try {
    execFileSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Types each answer once its question is on the screen. Resolves to the screen and the exit code. */
async function typed(words: readonly string[], answers: readonly (readonly [question: string, answer: string])[]) {
  const command = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: MAX_MS,
  })
  const closed = once(child, 'close')
  const waiting = [...answers]
  let screen = ''
  let from = 0
  for await (const text of child.stdout.setEncoding('utf8')) {
    screen += String(text)
    const [next] = waiting
    const at = next === undefined ? -1 : screen.indexOf(next[0], from)
    if (next === undefined || at === -1) continue
    from = at + next[0].length
    waiting.shift()
    child.stdin.write(next[1])
  }
  const [code] = (await closed) as [number | null]
  return { screen: screen.replaceAll('\r\n', '\n'), code, unasked: waiting.length }
}

const asks = program('asks.js')

describe.skipIf(!hasScript())('cli C1: questions on a terminal', () => {
  it.each(['legacy', 'modern'])('in mode %s a tool asks, and the user fills in the form', async (mode) => {
    const answers = [
      ['Answer? (y/n) ', 'y\n'],
      ['count (integer): ', 'two\n'],
      ['count (integer): ', '2\n'],
    ] as const
    const { screen, code, unasked } = await typed(['call', asks, 'order', '--mode', mode], answers)
    expect({ code, unasked }).toEqual({ code: 0, unasked: 0 })
    expect(screen).toContain('> How many?')
    expect(screen.trimEnd()).toMatch(/ordered 2$/)
  })

  it('shows the URL of a page before it asks to open it', async () => {
    const { screen } = await typed(['call', asks, 'visit'], [['Open this page in the browser? (y/n) ', 'n\n']])
    expect(screen).toContain('The server asks you to open https://example.com/sign')
    expect(screen.trimEnd()).toMatch(/decline$/)
  })

  it('the user types the answer of the model, or declines', async () => {
    const question = 'Your answer (an empty line declines): '
    const answered = await typed(['call', asks, 'sum-up'], [[question, 'All is well\n']])
    expect(answered.screen).toContain('> user: Sum it up')
    expect(answered.screen.trimEnd()).toMatch(/model: All is well$/)
    const declined = await typed(['call', asks, 'sum-up'], [[question, '\n']])
    // The call ends where the revision has no way to tell the tool.
    expect(declined.screen).toMatch(/User rejected sampling request/)
  })

  it('missing arguments are asked for, each until it fits', async () => {
    const answers = [
      ['a (number): ', 'one\n'],
      ['a (number): ', '1\n'],
      ['b (number): ', '2\n'],
    ] as const
    const { screen, code, unasked } = await typed(['call', program('exported.js'), 'add', '--quiet'], answers)
    expect({ code, unasked }).toEqual({ code: 0, unasked: 0 })
    expect(screen.trimEnd()).toMatch(/3$/)
  })

  it('cli C7: Ctrl-C at a question exits 130', async () => {
    const { code } = await typed(['call', asks, 'order'], [['Answer? (y/n) ', '\u0003']])
    expect(code).toBe(130)
  })
})

describe('without a terminal', () => {
  it('a tool that asks learns that nobody can answer', async () => {
    const { code, stderr, stdout } = await mcpwire(['call', asks, 'order'])
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toMatch(/elicitation/)
  })
})
