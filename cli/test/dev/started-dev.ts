// `mcpwire dev` as its users have it: the built program, a client that stays connected, and an editor.
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'mcpwire'
import type { ClientOptions } from 'mcpwire/client'
import type { ConnectionEvent } from 'mcpwire/dispatcher'
import { stdio } from 'mcpwire/node'
import { MAIN, startCommand } from '../../../test/support/command-line.ts'
import { createProject } from '../typescript/projects.ts'

export type Transport = 'stdio' | 'http'
export type Mode = 'legacy' | 'modern'

export const COMBINATIONS: readonly (readonly [Transport, Mode])[] = [
  ['stdio', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'modern'],
  ['http', 'legacy'],
]

/** A server whose tool `version` says which version of it runs. */
export function serverText(version: number, more = ''): string {
  return `import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const version: number = ${version}
export const server = new MCPServer('shop')
server.tool('version', { annotations: { readOnlyHint: true } }, () => version)
server.tool('echo', { input: z.object({ id: z.number() }), annotations: { readOnlyHint: true } }, ({ id }) => ({ id, version }))
server.tool('order', { input: z.object({ id: z.number() }) }, ({ id }) => ({ id, version }))
server.prompt('help', () => 'Help')
${more}`
}

export interface DevOptions {
  transport: Transport
  mode: Mode
  text?: string
  files?: Record<string, string>
  args?: readonly string[]
  client?: ClientOptions
  /** Over HTTP only. */
  hasInspector?: boolean
}

/** A soak takes long. */
const MAX_DEV_MS = 3_600_000

export class StartedDev implements AsyncDisposable {
  readonly folder: string
  readonly lines: string[] = []
  /** What the client has noticed of its connection. */
  readonly connection: ConnectionEvent[] = []
  readonly #project: AsyncDisposable
  readonly #listeners = new Set<() => void>()
  #child?: ReturnType<typeof startCommand>
  #client: Client | undefined

  private constructor(folder: string, project: AsyncDisposable) {
    this.folder = folder
    this.#project = project
  }

  static async start(options: DevOptions): Promise<StartedDev> {
    const { text = serverText(1), files = {} } = options
    const project = await createProject({
      server: 'server.ts',
      packages: ['zod'],
      files: { 'package.json': '{"type":"module"}', ...files, 'server.ts': text },
    })
    const dev = new StartedDev(project.folder, project)
    try {
      await dev.#connect(options)
    } catch (error) {
      await dev[Symbol.asyncDispose]()
      throw error
    }
    return dev
  }

  async #connect({ transport, mode, args = [], client, hasInspector = false }: DevOptions): Promise<void> {
    const file = join(this.folder, 'server.ts')
    const options = { mode, onConnection: (event: ConnectionEvent) => void this.connection.push(event), ...client }
    const hear = (line: string) => {
      this.lines.push(line)
      for (const listener of this.#listeners) listener()
    }
    if (transport === 'stdio') {
      const program = [MAIN, 'dev', file, '--stdio', ...args, '--', this.folder]
      this.#client = await Client.connect(stdio({ command: process.execPath, args: program, stderr: hear }), options)
      return
    }
    const inspector = hasInspector ? '--no-open' : '--no-inspector'
    this.#child = startCommand(['dev', file, '--port', '0', inspector, ...args, '--', this.folder], {
      maxMs: MAX_DEV_MS,
    })
    createInterface(this.#child.stderr).on('line', hear)
    this.#child.once('exit', () => hear('(it has ended)'))
    this.#client = await Client.connect(await this.url(), options)
  }

  get client(): Client {
    if (this.#client === undefined) throw new Error('Not connected')
    return this.#client
  }

  async url(): Promise<string> {
    const line = await this.printed(/HTTP +http/)
    return /http\S+/.exec(line)?.[0] ?? ''
  }

  /** Of the inspector, with its token. */
  async inspectorUrl(): Promise<string> {
    const line = await this.printed(/Inspector +http/)
    return /http\S+/.exec(line)?.[0] ?? ''
  }

  /** Resolves to the first line from `from` on that matches. */
  async printed(pattern: RegExp, from = 0): Promise<string> {
    for (;;) {
      const found = this.lines.slice(from).find((line) => pattern.test(line))
      if (found !== undefined) return found
      if (this.lines.at(-1) === '(it has ended)') throw new Error(`It has ended: ${this.lines.join('\n')}`)
      await new Promise<void>((resolve) => {
        const listener = () => {
          this.#listeners.delete(listener)
          resolve()
        }
        this.#listeners.add(listener)
      })
    }
  }

  write(text: string, file = 'server.ts'): Promise<void> {
    return writeFile(join(this.folder, file), text)
  }

  /** As editors do that write another file first. */
  async writeByRename(text: string, file = 'server.ts'): Promise<void> {
    await this.write(text, `${file}.tmp`)
    await rename(join(this.folder, `${file}.tmp`), join(this.folder, file))
  }

  remove(file = 'server.ts'): Promise<void> {
    return rm(join(this.folder, file))
  }

  /** Saves and waits until that version serves. */
  async save(text: string, file?: string): Promise<string> {
    const from = this.lines.length
    await this.write(text, file)
    return await this.printed(/ reloaded /, from)
  }

  /** The processes of it: the command itself, and those that run versions of the server. Their last argument is the folder. */
  processes(): number[] {
    return processesWith(this.folder)
  }

  async call(tool: string, args: object = {}): Promise<unknown> {
    const { structuredContent } = await this.client.callTool(tool, args as Record<string, unknown>)
    return (structuredContent as { result?: unknown } | undefined)?.result ?? structuredContent
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.close().catch(() => {})
    const child = this.#child
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await this.#project[Symbol.asyncDispose]()
  }
}

/** Processes whose command line has this word. Only where there is `/proc`. */
export function processesWith(word: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(word) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

export const hasProc = existsSync('/proc/self/cmdline')
