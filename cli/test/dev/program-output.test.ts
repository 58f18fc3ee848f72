// What a program prints under `mcpwire dev`: its colors reach the terminal, and nothing else that a terminal acts on.
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { colorVariables, passOn, showProgramText } from '../../dev/program-output.ts'
import { hasScript, watchScreen } from '../terminal-session.ts'
import { createProject } from '../typescript/projects.ts'

const ESCAPE = '\u001b'
const RED = `${ESCAPE}[31m`

describe('the output of a program', () => {
  it.each([
    [`${RED}red\u001b[0m`, `${RED}red\u001b[0m`],
    ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
    ['\u001b[2J\u001b[H', '\\x1b[2J\\x1b[H'],
    ['10 %\r20 %\r\n', '10 %\n20 %\n'],
  ])('%j becomes %j', (text, shown) => {
    expect(showProgramText(text)).toBe(shown)
  })

  it('is the same in whatever pieces it comes', async () => {
    const text = fc.array(
      fc.constantFrom('a', 'é', '\n', '\r', '\u001b', '[', '3', '1', 'm', RED, '\u001b[2J', '\u0007'),
    )
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 5 })), async (parts, sizes) => {
        const bytes = Buffer.from(parts.join(''))
        const stream = new PassThrough()
        let shown = ''
        passOn(stream, (piece) => {
          shown += piece
        })
        let at = 0
        for (const size of sizes) {
          if (at < bytes.length) stream.write(bytes.subarray(at, at + size))
          at += size
        }
        stream.end(bytes.subarray(Math.min(at, bytes.length)))
        await finished(stream, { writable: false })
        const whole = showProgramText(parts.join(''))
        expect([whole, `${whole}${ESCAPE}[0m`]).toContain(shown)
        const withoutColors = shown.replace(new RegExp(`${ESCAPE}\\[[0-9;:]*m`, 'g'), '')
        expect(withoutColors.includes(ESCAPE) || withoutColors.includes('\u0007')).toBe(false)
      }),
    )
  })

  it('has colors where the terminal has, and the user has not decided otherwise', () => {
    expect(colorVariables({}, { getColorDepth: () => 24 })).toEqual({ FORCE_COLOR: '3' })
    expect(colorVariables({}, { getColorDepth: () => 1 })).toEqual({})
    expect(colorVariables({ NO_COLOR: '1' }, { getColorDepth: () => 8 })).toEqual({})
    expect(colorVariables({ FORCE_COLOR: '0' }, { getColorDepth: () => 8 })).toEqual({})
  })

  it.skipIf(!hasScript())('on a terminal, what it prints cannot change the title', async () => {
    await using project = await createProject({
      server: 'server.js',
      files: {
        'package.json': '{"type":"module"}',
        'server.js': `import { MCPServer } from 'mcpwire'
export const server = new MCPServer('shop')
console.log('\\u001b]0;title\\u0007 \\u001b[31mred\\u001b[39m')
setTimeout(() => process.kill(process.ppid, 'SIGINT'), 300)
`,
      },
    })
    const args = ['dev', 'server.js', '--port', '0', '--no-inspector']
    const { screen } = await watchScreen(args, { cwd: project.folder }, () => undefined)
    expect(screen).toContain('\\x1b]0;title\\x07 \u001b[31mred\u001b[39m')
    expect(screen).not.toContain('\u001b]0;title')
  })
})
