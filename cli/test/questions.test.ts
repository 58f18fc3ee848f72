// Questions on a real terminal: of a tool, and of the command line for arguments that are missing.
import { describe, expect, it } from 'vitest'
import { mcpwire, program } from '../../test/support/command-line.ts'
import { hasScript, typeAnswers } from './terminal-session.ts'

const asks = program('asks.js')

describe.skipIf(!hasScript())('cli C1: questions on a terminal', () => {
  it.each(['legacy', 'modern'])('in mode %s a tool asks, and the user fills in the form', async (mode) => {
    const answers = [
      ['Answer this question? (y, or n to decline) ', 'y\n'],
      ['count (whole number): ', 'two\n'],
      ['count (whole number): ', '2\n'],
    ] as const
    const { screen, code, unasked } = await typeAnswers(['call', asks, 'order', '--mode', mode], answers)
    expect({ code, unasked }).toEqual({ code: 0, unasked: 0 })
    expect(screen).toContain('> How many?')
    expect(screen.trimEnd()).toMatch(/ordered 2$/)
  })

  it('shows the URL of a page before it asks to open it', async () => {
    const { screen } = await typeAnswers(['call', asks, 'visit'], [['Open this page in the browser? (y/n) ', 'n\n']])
    expect(screen).toContain('The server asks you to open a page of example.com:')
    expect(screen).toContain('https://example.com/sign')
    expect(screen.trimEnd()).toMatch(/decline$/)
  })

  it('the user types the answer of the model, or declines', async () => {
    const question = 'Your answer (an empty line declines): '
    const answered = await typeAnswers(['call', asks, 'sum-up'], [[question, 'All is well\n']])
    expect(answered.screen).toContain('> user: Sum it up')
    expect(answered.screen.trimEnd()).toMatch(/model: All is well$/)
    const declined = await typeAnswers(['call', asks, 'sum-up'], [[question, '\n']])
    // The call ends where the revision has no way to tell the tool.
    expect(declined.screen).toMatch(/User rejected sampling request/)
  })

  it('missing arguments are asked for, each until it fits', async () => {
    const answers = [
      ['a (number): ', 'one\n'],
      ['a (number): ', '1\n'],
      ['b (number): ', '2\n'],
    ] as const
    const { screen, code, unasked } = await typeAnswers(['call', program('exported.js'), 'add', '--quiet'], answers)
    expect({ code, unasked }).toEqual({ code: 0, unasked: 0 })
    expect(screen.trimEnd()).toMatch(/3$/)
  })

  it('cli C7: Ctrl-C at a question exits 130', async () => {
    const { code } = await typeAnswers(
      ['call', asks, 'order'],
      [['Answer this question? (y, or n to decline) ', '\u0003']],
    )
    expect(code).toBe(130)
  })
})

describe.skipIf(!hasScript())('mcpwire run at a terminal', () => {
  it('says that it waits for a client on stdio', async () => {
    const { code, unasked } = await typeAnswers(['run', program('exported.js')], [['Press Ctrl-C to stop.', '\u0003']])
    expect({ code, unasked }).toEqual({ code: 130, unasked: 0 })
    expect((await mcpwire(['run', program('exported.js')])).stderr).not.toContain('Ctrl-C')
  })
})

describe('without a terminal', () => {
  it.each(['modern', 'legacy'])(
    'a tool that asks learns that nobody can answer, and the user why, %s',
    async (mode) => {
      const { code, stderr, stdout } = await mcpwire(['call', asks, 'order', '--mode', mode])
      expect(code).toBe(1)
      expect(`${stdout}${stderr}`).toMatch(/elicitation/)
      expect(stderr).toMatch(/^Run the command in a terminal, where it can ask you\.$/m)
    },
  )
})
