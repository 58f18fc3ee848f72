// Whatever a server says, wherever it says it: the command line prints letters.
import { describe, expect, it } from 'vitest'
import { mcpwire, program } from '../../test/support/command-line.ts'
import { actingIn } from '../../test/support/terminal.ts'

const SHOWN = '\\x1b]0;owned\\x07'

describe('a server that speaks to the terminal', () => {
  it.each([
    ['in its lists', 'list', []],
    ['in its schemas', 'list', ['--schema']],
    ['in a result, a log message, progress and on stderr', 'call', ['look']],
    ['in a failure', 'call', ['fail']],
    ['in a resource', 'read', ['note://hostile']],
    ['in a prompt', 'prompt', ['hostile']],
    ['in its lists, as JSON', 'inspect', ['--json']],
    ['in a result, as JSON', 'call', ['look', '--json']],
  ])('cli C5: F203, F202 is shown %s and not obeyed', async (_where, verb, args) => {
    for (const mode of ['legacy', 'auto']) {
      const { stdout, stderr } = await mcpwire([verb, program('hostile.js'), ...args, '--mode', mode])
      expect(actingIn(stdout)).toEqual([])
      expect(actingIn(stderr)).toEqual([])
      expect(stdout).toContain(args.includes('--json') ? '\\u001b]0;owned\\u0007' : SHOWN)
      if (args.includes('look')) expect(stderr.split(SHOWN).length).toBeGreaterThan(3)
    }
  })

  it('cli C5: F203 is shown in an error and not obeyed', async () => {
    const { code, stdout, stderr } = await mcpwire(['call', program('hostile.js'), 'refuse'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(actingIn(stderr)).toEqual([])
    expect(stderr).toContain(SHOWN)
  })

  it('F204 cannot speak in our name', async () => {
    const { stderr } = await mcpwire(['call', program('hostile.js'), 'forge'])
    expect(stderr.match(/^mcpwire: /gm)).toHaveLength(1)
    expect(stderr.split('all is well').length).toBe(3)
  })
})
