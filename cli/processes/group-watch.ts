// Ends the servers that this process has started where it can't: nobody else ends one that ignores the end of its input after
// `kill -9`. A shell of a few hundred kilobytes waits for that; it ends with this process.
import type { ChildProcess } from 'node:child_process'

/** Reads `+7` and `-7`. At the end of its input, groups that are left get three seconds, a request to end, and two more. */
const SCRIPT = `
groups=
without() { kept=; for group in $groups; do [ "$group" = "$1" ] || kept="$kept $group"; done; groups=$kept; }
running() { for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null || without "$group"; done; [ -n "$groups" ]; }
pause() { steps=$1; while running && [ "$steps" -gt 0 ]; do sleep 0.1 2>/dev/null || sleep 1; steps=$((steps - 1)); done; }
end() { for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done; }
trap '' HUP INT TERM
while IFS= read -r line; do
  case $line in +*) groups="$groups \${line#+}" ;; *) without "\${line#-}" ;; esac
done
pause 30; end TERM; pause 20; end KILL
`

let watcher: ChildProcess | undefined

/** From now on, and until it is called with `false`, the group does not outlive this process. Windows has no groups. */
export function watchGroup(pid: number, isRunning: boolean): void {
  if (process.platform === 'win32') return
  watcher ??= startWatcher()
  watcher.stdin?.write(`${isRunning ? '+' : '-'}${pid}\n`)
}

function startWatcher(): ChildProcess {
  // This file is loaded by every command, most of which start nothing.
  const { spawn } = process.getBuiltinModule('node:child_process')
  // In a group of its own, so that Ctrl-C and a kill of ours does not reach it; in no folder that somebody may want to remove.
  const started = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  started.on('error', () => {})
  started.stdin.on('error', () => {})
  started.unref()
  ;(started.stdin as unknown as { unref(): void }).unref()
  return started
}
