// Opens a URL in a browser without showing it to others on this machine: every user can read the arguments of a program, so
// that the browser gets a file that only this user can read, and the file leads to the URL.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface RedirectPage {
  readonly path: string
  /** Idempotent. */
  remove(): void
}

/** A browser that has not read it after this time will not. */
const MAX_AGE_MS = 5 * 60_000

/** `mkdtemp` makes a folder that only its owner can enter. The file is gone when the process ends, at the latest. */
export function writeRedirectPage(url: string): RedirectPage {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-'))
  const path = join(folder, 'open.html')
  const remove = () => {
    clearTimeout(timer)
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  const timer = setTimeout(remove, MAX_AGE_MS)
  timer.unref()
  process.on('exit', remove)
  try {
    writeFileSync(path, pageFor(new URL(url).href), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    remove()
    throw error
  }
  return { path, remove }
}

/** A parsed URL has no quotes and no angle brackets that are not encoded, but `&` and `'`. */
function pageFor(href: string): string {
  const url = href.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&quot;')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>mcpwire inspector</title>
</head>
<body><p>Opening <a href="${url}">the inspector</a>.</p></body>
</html>
`
}

/** Starts the program that opens a file as a double click would. Never fails: the user has the URL in the terminal too. */
export function openFile(path: string): void {
  const { command, args } = openerFor(process.platform, path)
  const child = spawn(command, args, { stdio: 'ignore', detached: true, shell: false, windowsHide: true })
  child.on('error', () => {})
  child.unref()
}

export function openerFor(platform: NodeJS.Platform, path: string): { command: string; args: readonly string[] } {
  if (platform === 'darwin') return { command: 'open', args: [path] }
  if (platform === 'win32') {
    return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', pathToFileURL(path).href] }
  }
  return { command: 'xdg-open', args: [path] }
}
