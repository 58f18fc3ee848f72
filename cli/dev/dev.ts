// `mcpwire dev`: a server that is replaced by its next version whenever its files change, while its clients stay connected.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readEnvFile } from '../install/env-file.ts'
import type { ServerFile } from '../serving/server-file.ts'
import type { Output } from '../terminal/output.ts'
import { createDeferred } from '../terminal/primitives.ts'
import { readVersion } from '../terminal/version.ts'
import { ChildSource } from './child-source.ts'
import type { Front } from './front.ts'
import { readKeys } from './keys.ts'
import { StdioFront } from './relay/stdio-front.ts'
import { Reloader } from './reloader.ts'
import { Screen } from './screen.ts'
import type { ChildAddress } from './server-child.ts'
import { WatchedFiles } from './watched-files.ts'

export interface DevOptions {
  stdio: boolean
  port?: number
  host?: string
  path?: string
  envFile?: string
  watch: readonly string[]
  poll: boolean
  clear: boolean
  drainMs: number
  /** Options of Node for the process of the server. */
  nodeArgs: readonly string[]
  args: readonly string[]
  debug: boolean
}

/** What shows a running server in a browser. */
export interface DevInspector {
  /** Opens the page once. */
  readonly link: string
  /** Opens a page. */
  show(): void
  /** Shows what became of a version of the server. */
  reloaded(text: string, level: 'info' | 'warning' | 'error'): void
  close(): Promise<void>
}

export interface DevParts {
  output: Output
  /** Aborted by a signal. */
  interruption: AbortSignal
  /** Over HTTP only. Gets the address that clients use. */
  startInspector?: (url: string) => Promise<DevInspector>
}

const LOAD_MS = 30_000
const SECRET_BYTES = 32

/** Resolves when the user or the client has ended it, and no version of the server runs any more. */
export async function runDev(file: ServerFile, options: DevOptions, parts: DevParts): Promise<void> {
  const { output, interruption } = parts
  const ended = createDeferred<void>()
  let inspector: DevInspector | undefined
  const screen = new Screen({
    output,
    version: readVersion(),
    file: file.path,
    clears: options.clear,
    report: (text, level) => inspector?.reloaded(text, level),
  })
  const secret = randomBytes(SECRET_BYTES).toString('base64')
  const usesInspector = options.nodeArgs.some((arg) => arg.startsWith('--inspect'))

  const files = new WatchedFiles({
    poll: options.poll,
    globs: options.watch,
    onChange: (paths) => void reloader.reload('change', paths),
  })
  files.add([file.path, ...projectFiles(file.path), ...(options.envFile === undefined ? [] : [options.envFile])])

  const { front, addresses } = await openFront(options, screen)
  const children = new ChildSource({
    settings: {
      ...file,
      transport: options.stdio ? 'stdio' : 'http',
      http: options.path === undefined ? {} : { path: options.path },
      secret,
      debug: options.debug,
    },
    nodeArgs: options.nodeArgs,
    args: options.args,
    readEnv: async () => (options.envFile === undefined ? {} : await readEnvFile(options.envFile)),
    // Two processes cannot have the port of a debugger.
    keepsSpare: !usesInspector,
    onFiles: (child, paths) => files.add(paths, child.startedAt),
  })
  let starting: Promise<void> | undefined
  let isEnding = false
  const startInspector = async (url: string) => {
    try {
      inspector = await parts.startInspector?.(url)
    } catch (error) {
      screen.warn(`The inspector does not start: ${(error as Error).message}`)
    }
  }
  let isFirst = true
  const reloader: Reloader = new Reloader({
    front,
    start: (generation) => children.start(generation),
    loadMs: options.nodeArgs.some((arg) => arg.startsWith('--inspect-brk')) ? Infinity : LOAD_MS,
    usesInspector,
    onServing(prepared, listed, reload, ms) {
      children.prepareNext()
      const wasFirst = isFirst
      isFirst = false
      const print = async () => {
        if (!wasFirst) return screen.reloaded(prepared, await listed, reload, ms)
        const shown = await addresses(await prepared.child.ready)
        const [, url] = shown[0] ?? []
        if (isEnding) return
        if (url !== undefined) starting = startInspector(url)
        await starting
        const all = inspector === undefined ? shown : [...shown, ['Inspector', inspector.link] as const]
        screen.ready((await listed).lists, ms, all, stopKeys === undefined ? '' : keyHelp(inspector))
      }
      print().catch(ended.reject)
    },
    onFailed: (failure) => screen.failed(failure, reloader.current !== undefined),
    onLost: (child, restartMs) => screen.lost(child, restartMs),
  })
  const stopKeys = options.stdio
    ? undefined
    : readKeys(process.stdin, {
        r: () => void reloader.reload('asked'),
        i: () => inspector?.show(),
        c: () => screen.clear(),
        q: () => ended.resolve(),
      })
  const onAbort = () => ended.resolve()
  interruption.addEventListener('abort', onAbort, { once: true })
  if (interruption.aborted) onAbort()
  try {
    void reloader.reload('start')
    await Promise.race([ended.promise, front.ended])
  } finally {
    isEnding = true
    stopKeys?.()
    await Promise.all([files.close(), starting])
    await Promise.all([reloader.close(), children.close(), front.close(), inspector?.close()])
  }
}

interface OpenedFront {
  front: Front
  /** How clients reach it, once the first version serves. */
  addresses(address: ChildAddress): Promise<readonly (readonly [string, string])[]>
}

const [DEFAULT_PORT, DEFAULT_HOST] = [3_000, '127.0.0.1']

async function openFront(options: DevOptions, screen: Screen): Promise<OpenedFront> {
  const shared = {
    drainMs: options.drainMs,
    onCall: screen.call.bind(screen),
    warn: screen.warn.bind(screen),
  }
  if (options.stdio) {
    const front = new StdioFront({ ...shared, input: process.stdin, output: process.stdout })
    return { front, addresses: async () => [] }
  }
  const { HttpFront } = await import('./http/http-front.ts')
  const front = new HttpFront(shared)
  return {
    front,
    async addresses({ asked }) {
      const url = await front.listen(
        options.port ?? asked.port ?? DEFAULT_PORT,
        options.host ?? asked.host ?? DEFAULT_HOST,
      )
      return [['HTTP', url]]
    },
  }
}

function keyHelp(inspector: DevInspector | undefined): string {
  return ['r reload', ...(inspector === undefined ? [] : ['i inspector']), 'c clear', 'q quit'].join('   ')
}

/** Files that say how a program is loaded: from its folder up to that of its package. */
function projectFiles(path: string): string[] {
  const found: string[] = []
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    found.push(join(folder, 'package.json'), join(folder, 'tsconfig.json'))
    if (existsSync(join(folder, 'package.json'))) return found
    if (folder === dirname(folder)) return found.slice(0, 2)
  }
}
