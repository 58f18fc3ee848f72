// Whatever a server says, wherever it says it: the command line prints letters.
import { describe, expect, it } from 'vitest'
import { mcpwire, program } from '../../test/support/command-line.ts'
import { actingIn } from '../../test/support/terminal.ts'

const SHOWN = '\\x1b]0;owned\\x07'

describe('a server that speaks to the terminal', () => {
  it.each([
    ['in its lists', []],
    ['in a result, a log message, progress and on stderr', ['--call', 'look']],
    ['in a failure', ['--call', 'fail']],
    ['in a resource', ['--read', 'note://hostile']],
    ['in a prompt', ['--prompt', 'hostile']],
    ['in its lists, as JSON', ['--json']],
    ['in a result, as JSON', ['--call', 'look', '--json']],
  ])('F203, F202 is shown %s and not obeyed', async (_where, args) => {
    for (const mode of ['legacy', 'auto']) {
      const { stdout, stderr } = await mcpwire(['inspect', program('hostile.js'), '--mode', mode, ...args])
      expect(actingIn(stdout)).toEqual([])
      expect(actingIn(stderr)).toEqual([])
      expect(stdout).toContain(args.includes('--json') ? '\\u001b]0;owned\\u0007' : SHOWN)
      if (args.includes('look')) expect(stderr.split(SHOWN).length).toBeGreaterThan(3)
    }
  })

  it('F203 is shown in an error and not obeyed', async () => {
    const { code, stdout, stderr } = await mcpwire(['inspect', program('hostile.js'), '--call', 'refuse'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(actingIn(stderr)).toEqual([])
    expect(stderr).toContain(SHOWN)
  })

  it('F204 cannot speak in our name', async () => {
    const { stderr } = await mcpwire(['inspect', program('hostile.js'), '--call', 'forge'])
    expect(stderr.match(/^mcpwire: /gm)).toHaveLength(1)
    expect(stderr.split('all is well').length).toBe(3)
  })
})
