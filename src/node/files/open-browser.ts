// Opens a web page in the user's browser: starts one program with the URL as its argument, without a shell.

import { typeError } from '../../primitives/help.ts'
import { loadChildProcess } from '../runtime/builtins.ts'

/** A program that has not failed after this time counts as working: some run as long as the browser does. */
const FAILURE_WAIT_MS = 1_000

/**
 * Opens an http(s) URL in the default browser. Resolves to `false` if no browser could be started. Throws `TypeError` for every
 * other URL, because we don't know what the handler of another scheme does.
 */
export async function openBrowser(url: string | URL): Promise<boolean> {
  const { command, args } = openerOf(process.platform, toWebUrl(url))
  return startOpener(command, args)
}

/** The URL as the parser writes it: quotes, spaces, angle brackets and control characters are percent-encoded or gone. */
export function toWebUrl(url: string | URL): string {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : undefined
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    throw typeError('wrong-argument', 'openBrowser opens only http and https URLs')
  }
  return parsed.href
}

export interface Opener {
  readonly command: string
  readonly args: readonly string[]
}

export function openerOf(platform: NodeJS.Platform, url: string): Opener {
  if (platform === 'darwin') return { command: 'open', args: [url] }
  // `start` belongs to cmd.exe, which would interpret & and ^ in the URL; rundll32 takes the rest of its command line as it is.
  if (platform === 'win32') return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { command: 'xdg-open', args: [url] }
}

function startOpener(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = loadChildProcess().spawn(command, args, {
      stdio: 'ignore',
      detached: true,
      shell: false,
      windowsHide: true,
    })
    const timer = setTimeout(() => resolve(true), FAILURE_WAIT_MS)
    const settle = (isOpen: boolean) => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.on('error', () => settle(false))
    child.on('exit', (code) => settle(code === 0))
    child.unref()
  })
}
