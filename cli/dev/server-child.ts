// One process that runs one version of the server.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { watchGroup } from '../processes/group-watch.ts'
import { createDeferred } from '../terminal/primitives.ts'
import { type Command, type Control, openControl, type Report } from './child/control.ts'
import { type ChildSettings, SETTINGS_VARIABLE } from './child/settings.ts'
import { colorVariables, passOn } from './program-output.ts'

/** The child program, which the build puts there. */
const PROGRAM = fileURLToPath(new URL('dev/child.js', import.meta.url))

/** As the launcher of `mcpwire/node` names the pipe: its descriptor and the process that opened it. */
const PIPE_VARIABLE = { MCPWIRE_STDIO_PIPE: `3 ${process.pid}` }

const [GRACE_MS, TERMINATE_MS, INSPECTOR_MS] = [2_000, 2_000, 1_000]
const HAS_GROUPS = process.platform !== 'win32'

export interface ChildOptions {
  settings: ChildSettings
  nodeArgs: readonly string[]
  /** Of the program. */
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  onFiles(child: ServerChild, paths: readonly string[]): void
}

/** Why a version of the server is not running. */
export class ChildFailure extends Error {
  override readonly name = 'ChildFailure'
  /** As they are printed. */
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines[0] ?? 'The server does not start.')
    this.lines = lines
  }
}

export interface ChildAddress {
  /** Over HTTP: where it listens. */
  url?: string
  /** What its program wanted to listen on. */
  asked: { port?: number; host?: string }
}

const running = new Set<ServerChild>()
// The last resort: whatever ends this process, no server is left.
process.on('exit', () => {
  for (const child of running) child.kill()
})

export class ServerChild {
  readonly #options: ChildOptions
  readonly pipe: Duplex
  /** Resolves when it serves; rejects with `ChildFailure`. */
  readonly ready: Promise<ChildAddress>
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #control: Control<Command>
  readonly #ready = createDeferred<ChildAddress>()
  #generation = 0
  #startedAt = Infinity
  #asked: ChildAddress['asked'] = {}
  #isReady = false
  #isEnding = false
  #hasExited = false
  #inspector = createDeferred<void>()
  /** How it ended, in words. */
  #exit = ''

  constructor(options: ChildOptions) {
    this.#options = options
    this.ready = this.#ready.promise
    this.ready.then(
      () => {
        this.#isReady = true
      },
      () => {},
    )
    const { stderr } = process
    const [printed, colors] = stderr.isTTY ? (['pipe', colorVariables(process.env, stderr)] as const) : [2 as const, {}]
    this.#process = spawn(process.execPath, [...options.nodeArgs, PROGRAM, ...options.args], {
      // What the program prints is for the terminal, wherever the protocol is.
      stdio: ['ignore', printed, printed, 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...colors,
        ...options.env,
        ...PIPE_VARIABLE,
        [SETTINGS_VARIABLE]: JSON.stringify(options.settings),
      },
      detached: HAS_GROUPS,
      windowsHide: true,
    })
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream !== null) passOn(stream, (text) => void stderr.write(text))
    }
    const { pid } = this.#process
    if (pid !== undefined) watchGroup(pid, true)
    this.pipe = this.#process.stdio[3] as Duplex
    this.pipe.on('error', () => {})
    this.#control = openControl<Command, Report>(this.#process.stdio[4] as Duplex, (report) => this.#hear(report))
    this.exited = new Promise((resolve) => {
      const end = (words: string) => {
        this.#hasExited = true
        this.#exit ||= words
        running.delete(this)
        if (pid !== undefined) watchGroup(pid, false)
        resolve()
      }
      this.#process.once('error', (error) => end(`cannot be started: ${error.message}`))
      this.#process.once('exit', (code, signal) =>
        end(signal === null ? `exited with code ${code}` : `was ended by ${signal}`),
      )
    })
    running.add(this)
    // A report may still be in the pipe.
    void Promise.all([this.exited, this.#control.closed]).then(() => this.#fail([`mcpwire: The server ${this.#exit}.`]))
  }

  /** The versions count from 1. */
  get generation(): number {
    return this.#generation
  }

  /** When it was asked to load the program. */
  get startedAt(): number {
    return this.#startedAt
  }

  /** Loads the program as it is now, and serves it. */
  load(generation: number): void {
    this.#generation = generation
    this.#startedAt = Date.now()
    this.#control.send({ type: 'load' })
  }

  get hasExited(): boolean {
    return this.#hasExited
  }

  /** Whether it was asked to end. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  /** How it ended, such as `exited with code 1`. */
  get exit(): string {
    return this.#exit
  }

  /** Frees the port of the debugger for the next version, or takes it back. */
  async useInspector(isOpen: boolean): Promise<void> {
    if (this.#hasExited) return
    this.#inspector = createDeferred()
    this.#control.send({ type: 'inspector', isOpen })
    await Promise.race([this.#inspector.promise, this.exited, after(INSPECTOR_MS)])
  }

  /** Closes its input, then terminates it, then kills it. Idempotent. */
  async end(): Promise<void> {
    // One that waits for its version has nothing to finish.
    if (this.#generation === 0) this.kill()
    if (!this.#isEnding) {
      this.#isEnding = true
      this.pipe.end()
      // One that is still loading does not read its input.
      if (this.#options.settings.transport === 'http' || !this.#isReady) this.#signal('SIGTERM')
    }
    if (await this.#exitsWithin(GRACE_MS)) return
    this.#signal('SIGTERM')
    if (await this.#exitsWithin(TERMINATE_MS)) return
    this.kill()
    await this.#exitsWithin(TERMINATE_MS)
  }

  kill(): void {
    this.#isEnding = true
    this.#signal('SIGKILL')
  }

  #hear(report: Report): void {
    switch (report.type) {
      case 'files':
        this.#options.onFiles(this, report.paths)
        break
      case 'running':
        this.#asked = report.asked
        if (this.#options.settings.transport === 'stdio') this.#ready.resolve({ asked: report.asked })
        break
      case 'listening':
        this.#ready.resolve({ asked: this.#asked, url: report.url })
        break
      case 'failed':
        this.#fail(report.lines)
        break
      case 'inspector':
        this.#inspector.resolve()
        break
    }
  }

  #fail(lines: readonly string[]): void {
    this.#ready.reject(new ChildFailure(lines))
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    await Promise.race([this.exited, after(ms)])
    return this.#hasExited
  }

  /** To everything that it has started, too. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#process
    if (pid === undefined || this.#hasExited) return
    try {
      if (HAS_GROUPS) process.kill(-pid, signal)
      else this.#process.kill(signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Keeps no process alive. */
export function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
