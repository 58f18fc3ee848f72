// The command line on a real terminal, which `script` provides.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { MAIN, MAX_MS } from '../../test/support/command-line.ts'

export function hasScript(): boolean {
  try {
    execFileSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

interface Session {
  readonly cwd?: string
  readonly env?: Record<string, string>
}

/** Calls `look` with the screen until it returns something to wait for, once. Resolves to the screen and the exit code. */
export async function watchScreen(
  words: readonly string[],
  session: Session,
  look: (screen: string) => Promise<unknown> | undefined,
): Promise<{ screen: string; code: number | null }> {
  const child = startOnTerminal(words, session)
  const closed = once(child, 'close')
  let screen = ''
  let work: Promise<unknown> | undefined
  for await (const text of child.stdout.setEncoding('utf8')) {
    screen += String(text)
    work ??= look(screen)
  }
  const [code] = (await closed) as [number | null]
  await work
  return { screen: screen.replaceAll('\r\n', '\n'), code }
}

function startOnTerminal(words: readonly string[], { cwd, env = {} }: Session) {
  const command = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(' ')
  return spawn('script', ['-qec', `stty cols 80 rows 24; ${command}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: MAX_MS,
    ...(cwd !== undefined && { cwd }),
  })
}

/** Types each answer once its question is on the screen. Resolves to the screen, the exit code and the questions that never came. */
export async function typeAnswers(
  words: readonly string[],
  answers: readonly (readonly [question: string, answer: string])[],
  cwd?: string,
): Promise<{ screen: string; code: number | null; unasked: number }> {
  const child = startOnTerminal(words, cwd === undefined ? {} : { cwd })
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
