// Starts the inspector: two listeners on this machine, and a link that works once.
import { networkInterfaces } from 'node:os'
import type { Target } from './connection/open-target.ts'
import { Guard } from './http/guard.ts'
import { Sessions } from './http/sessions.ts'
import { loadStaticFiles } from './http/static-files.ts'
import { Inspector, type InspectorOptions } from './inspector.ts'
import { createSandboxServer } from './sandbox-server.ts'
import { closeServer, listen, PageServer } from './serve.ts'

export type { Target } from './connection/open-target.ts'
export type { InspectorOptions } from './inspector.ts'

export interface StartInspectorOptions extends InspectorOptions {
  /** The folder with the built page. Ends with a slash. */
  readonly files: URL
  /** Default: 6288 or, where that is taken, any free port. */
  readonly port?: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** A target that the user named on the command line: it is connected at once, and needs no confirmation. */
  readonly target?: Target
  /** The word of the command line that named the target. */
  readonly typed?: string
  readonly mode?: string
  /** Called whenever a page has used the link. */
  readonly onOpened?: () => void
}

export interface RunningInspector extends AsyncDisposable {
  /** The link that opens the page now: a new one where the one before was used. Its key is in the fragment, which browsers send to nobody. */
  readonly link: string
  /** Says on the screen Logs that the server was reloaded, or why it was not. */
  reloaded(text: string, level?: 'info' | 'warning' | 'error'): void
  /** Idempotent. Ends the connections and the programs that were started. */
  close(): Promise<void>
}

const DEFAULT_PORT = 6288
const LOOPBACK = '127.0.0.1'

export async function startInspector(options: StartInspectorOptions): Promise<RunningInspector> {
  const { host = LOOPBACK } = options
  const sessions = new Sessions(() => options.onOpened?.())
  let pagePort = 0
  let sandboxPort = 0
  const shownHost = host === LOOPBACK ? LOOPBACK : isWildcard(host) ? (addressesOfThisMachine()[0] ?? LOOPBACK) : host
  const sandboxOrigin = () => `http://${shownHost}:${sandboxPort}`
  const inspector = new Inspector(options, sessions, sandboxOrigin)
  const page = new PageServer({
    inspector,
    sessions,
    guard: new Guard({
      sessions,
      port: () => pagePort,
      hosts: host === LOOPBACK ? [] : [host, ...addressesOfThisMachine()],
    }),
    files: loadStaticFiles(options.files),
    sandboxOrigin,
  })
  const sandbox = createSandboxServer({
    pageOrigin: () => `http://${shownHost}:${pagePort}`,
    ownOrigin: sandboxOrigin,
    onBlocked: (view, what) => inspector.views.block(view, what),
  })
  try {
    pagePort = await listenOnFree(page.http, options.port, host)
    sandboxPort = await listen(sandbox, 0, host)
  } catch (error) {
    await Promise.all([closeServer(page.http), closeServer(sandbox)])
    throw error
  }
  const { target, mode = 'auto' } = options
  if (target !== undefined) {
    if ('command' in target) inspector.confirmations.give(target)
    inspector.connect(target, mode, options.typed, false)
  }
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= (async () => {
      await Promise.all([page.close(), closeServer(sandbox), inspector.close()])
    })()
    return closing
  }
  const reloaded: RunningInspector['reloaded'] = (text, level = 'info') => inspector.reloaded(text, level)
  return {
    get link() {
      return `http://${shownHost}:${pagePort}/#t=${sessions.link}`
    },
    reloaded,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function listenOnFree(server: PageServer['http'], port: number | undefined, host: string): Promise<number> {
  try {
    return await listen(server, port ?? DEFAULT_PORT, host)
  } catch (error) {
    if (port !== undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return listen(server, 0, host)
  }
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function addressesOfThisMachine(): string[] {
  const all = Object.values(networkInterfaces()).flat()
  return all.flatMap((one) => (one === undefined || one.internal || one.family !== 'IPv4' ? [] : [one.address]))
}
