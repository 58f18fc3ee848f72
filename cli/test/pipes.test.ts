// Where the output goes: pipes that close, full disks, terminals of every width, and settings for colors.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MAIN, MAX_MS, mcpwire, program, startCommand } from '../../test/support/command-line.ts'
import { actingIn } from '../../test/support/terminal.ts'

const exported = program('exported.js')
const POSIX = process.platform !== 'win32'

describe('cli C6: pipes', () => {
  it.skipIf(!existsSync('/dev/full'))('a result that cannot be written is an error', async () => {
    const child = spawn('/bin/sh', ['-c', 'exec "$0" "$@" >/dev/full', process.execPath, MAIN, 'list', exported], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    expect(await once(child, 'close')).toEqual([1, null])
    expect(stderr).toContain('The result could not be written to stdout')
  })

  it.skipIf(!POSIX)('F206 ends what would never end by itself, once nobody reads on', async () => {
    const words = [process.execPath, MAIN, 'call', program('reports.js'), 'for-ever']
    const child = spawn('/bin/sh', ['-c', '"$0" "$@" 2>&1 | head -n 1', ...words], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: MAX_MS,
    })
    child.stdout.resume()
    expect(await once(child, 'close')).toEqual([0, null])
  })

  it.each([['list'], ['listen']])('F206 %s leaves quietly where nobody reads on', async (verb) => {
    const child = startCommand([verb, exported, ...(verb === 'listen' ? ['--for', '0.2'] : [])])
    child.stdout.destroy()
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const [code, signal] = await once(child, 'close')
    expect({ code, signal }).toEqual({ code: 0, signal: null })
    expect(stderr).not.toMatch(/EPIPE|^\s+at /m)
  })

  it('F206 leaves quietly where nobody reads its errors either', async () => {
    // Its log messages and progress go there.
    const child = startCommand(['call', exported, 'add', 'a=1', 'b=2'])
    child.stdout.destroy()
    child.stderr.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('starts a file with the options that this Node was given', async () => {
    const env = { NODE_OPTIONS: `--import ${new URL('../../test/fixtures/cli/import-hook.js', import.meta.url).href}` }
    const { stderr } = await mcpwire(['list', exported], { env })
    expect(stderr.split('hook was loaded').length).toBeGreaterThan(2)
  })
})

/** Whether there is a program that makes a terminal. */
function hasScript(): boolean {
  try {
    execFileSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What a terminal of that width gets, stdout and stderr together. */
async function onTerminal(
  columns: number,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const command = [process.execPath, MAIN, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols ${columns}; ${command}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: MAX_MS,
  })
  let shown = ''
  for await (const text of child.stdout.setEncoding('utf8')) shown += String(text)
  return shown.replaceAll('\r\n', '\n')
}

const BOLD = '\u001b[1m'

describe.skipIf(!hasScript())('cli C6: terminals', () => {
  it('40 columns: nothing is wider, and descriptions go below their names', async () => {
    const shown = await onTerminal(40, ['list', exported, '--no-color', '--tools', '--quiet'])
    expect(shown).toBe(`calculator 1.2.3 · 2026-07-28 (modern)

  Adds.
  Does nothing else.

Tools
  add(a: number, b: number, unit?:
      "m" | "km")
    Adds two numbers
  echo(text?: string, list?: any)
  fail()
  environment()
  picture()
`)
  })

  it('200 columns: descriptions stand beside their names', async () => {
    const shown = await onTerminal(200, ['list', exported, '--no-color', '--tools', '--quiet'])
    expect(shown).toContain('  add(a: number, b: number, unit?: "m" | "km")   Adds two numbers\n')
  })

  it('help fits 40 columns, word by word', async () => {
    const shown = await onTerminal(40, ['call', '--help', '--no-color'])
    const wide = shown.split('\n').filter((line) => line.length > 40 && !line.startsWith('  mcpwire '))
    expect(wide).toEqual([])
  })

  it.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, true],
  ])('colors with %j: %s', async (env, hasColors) => {
    const shown = await onTerminal(80, ['list', exported, '--quiet'], env as Record<string, string>)
    expect(shown.includes(BOLD)).toBe(hasColors)
  })

  it('draws a progress bar that it removes again, and prints the result below', async () => {
    const shown = await onTerminal(80, ['call', exported, 'add', 'a=1', 'b=2'])
    expect(shown).toContain('━━━━━━━━━━━━━━━╸──────────────  1/2  half way')
    expect(shown.trimEnd().split('\n').at(-1)?.endsWith('3')).toBe(true)
  })

  it('C5: text of a hostile server stays text, in a progress bar too', async () => {
    const shown = await onTerminal(80, ['call', program('hostile.js'), 'look', '--no-color'])
    // What is ours: the cleared line, and the line ends of the terminal.
    const others = actingIn(shown.replaceAll('\r\u001b[2K', '').replaceAll('\r', ''))
    expect(others).toEqual([])
  })

  it('prints no raw bytes of a server', async () => {
    const shown = await onTerminal(80, ['call', program('hostile.js'), 'look', '--raw'])
    expect(shown).toContain('--raw prints what the server sent, which can control a terminal.')
    expect(actingIn(shown)).toEqual([])
  })
})
