// A command at a real terminal, made by `script`, with a browser that only notes what it was to open.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MAIN, MAX_MS } from '../../test/support/command-line.ts'

export function hasScript(): boolean {
  try {
    execFileSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A file that a browser was to open. */
export interface OpenedFile {
  readonly path: string
  /** Of the file and of its folder. */
  readonly modes: readonly string[]
  readonly text: string
}

export interface AtTerminal {
  readonly child: ChildProcess
  /** Waits for it on the screen; `from` is a place on it. */
  seen(pattern: RegExp, from?: number): Promise<string>
  /** How much was printed so far. */
  place(): number
  opened(): Promise<OpenedFile[]>
  type(key: string): void
}

export async function startAtTerminal(folder: string, words: readonly string[]): Promise<AtTerminal> {
  const bin = join(folder, 'bin')
  const notes = join(folder, 'opened')
  await mkdir(bin)
  const note = `{ echo "$1"; stat -c %a "$1" "$(dirname "$1")"; base64 -w0 "$1"; echo; } > '${notes}.new'`
  // At once, so that nobody reads half of it.
  await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\n${note}\ncat '${notes}.new' >> '${notes}'\n`)
  await chmod(join(bin, 'xdg-open'), 0o755)
  const command = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, TMPDIR: folder, TERM: 'xterm', NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: MAX_MS,
  })
  let screen = ''
  const changed = new EventEmitter()
  child.stdout.on('data', (text: Buffer) => {
    screen += text.toString()
    changed.emit('text')
  })
  return {
    child,
    async seen(pattern, from = 0) {
      for (;;) {
        const [found] = pattern.exec(screen.slice(from)) ?? []
        if (found !== undefined) return found
        await once(changed, 'text')
      }
    },
    place: () => screen.length,
    async opened() {
      const lines = (await readFile(notes, 'utf8').catch(() => '')).split('\n').slice(0, -1)
      const files: OpenedFile[] = []
      for (let at = 0; at + 3 < lines.length; at += 4) {
        const [path = '', file = '', parent = '', text = ''] = lines.slice(at, at + 4)
        files.push({ path, modes: [file, parent], text: Buffer.from(text, 'base64').toString() })
      }
      return files
    },
    type: (key) => void child.stdin.write(key),
  }
}
