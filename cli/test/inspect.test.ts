// mcpwire inspect without a terminal, and its old options.
import { describe, expect, it } from 'vitest'
import { mcpwire, program } from '../../test/support/command-line.ts'

const exported = program('exported.js')

describe('mcpwire inspect', () => {
  it('cli C1: prints what list --all --json prints, where stdout is no terminal', async () => {
    const [inspected, listed] = await Promise.all([
      mcpwire(['inspect', exported]),
      mcpwire(['list', exported, '--all', '--json']),
    ])
    expect(inspected.stdout).toBe(listed.stdout)
    expect(JSON.parse(inspected.stdout)).toMatchObject({ server: { name: 'calculator' } })
  })

  it.each([
    [['--call', 'add', '-a', 'a=1', '--arg', 'b=2'], '3\n', `mcpwire call ${exported} add a=1 b=2`],
    [['--call', 'add', '--args', '{"a":1,"b":2}'], '3\n', `mcpwire call ${exported} add`],
    [['--read', 'greeting://Ada'], 'Hello, Ada!\n', `mcpwire read ${exported} greeting://Ada`],
    [
      ['--prompt', 'poem', '-a', 'about=wind and rain'],
      'user: Write a poem about wind and rain.\n',
      `mcpwire prompt ${exported} poem 'about=wind and rain'`,
    ],
  ])('still takes %j, and prints the new form on stderr', async (args, shown, form) => {
    const { code, stdout, stderr } = await mcpwire(['inspect', exported, ...args])
    expect({ code, stdout }).toEqual({ code: 0, stdout: shown })
    expect(stderr).toContain(`is now a command: ${form}\n`)
  })

  it('still takes the command of an old form from after --', async () => {
    const command = [process.execPath, program('stdio-server.js')]
    const { code, stdout } = await mcpwire(['inspect', '--call', 'environment', '--', ...command])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'not set\n' })
  })

  it.each([
    [['--call', 'a', '--read', 'b'], 'exclude each other'],
    [['--arg', 'x=1'], 'need --call or --prompt.'],
    [['more'], 'Unexpected argument "more".'],
    [['--cal', 'x'], 'Did you mean "--call"'],
    [['--header', 'A: b'], '--header needs a URL target.'],
    [['--login'], '--login needs a URL target.'],
    [['--mode', 'handshake'], 'Use --mode legacy.'],
  ])('explains what is wrong with %j', async (args, message) => {
    const { code, stderr } = await mcpwire(['inspect', exported, ...args])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  })
})
