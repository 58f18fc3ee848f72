// One process of an engine in a temporary folder. It never outlives the process that started it, however that one ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Only ends what hangs: a start takes well under a second on a quiet machine. */
const START_LIMIT_MS = 60_000
const LOOK_MS = 10

/**
 * Starts a program, prints its pid, and waits for it. Beside it, a reader of our pipe: the pipe ends when the test process does,
 * also by kill -9, and then the program is killed and its folder removed.
 */
const SUPERVISOR = `
exec 3<&0 </dev/null
folder=$1; log=$2; shift 2
"$@" >>"$log" 2>&1 3<&- &
engine=$!
echo $engine
( cat <&3 >/dev/null; trap '' TERM; kill -9 $engine 2>/dev/null; rm -rf "$folder" ) &
watch=$!
wait $engine
code=$?
kill $watch
exit $code
`

/** A user of the system, for programs that refuse to run as root. */
export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

export interface Program {
  readonly path: string
  readonly args: readonly string[]
  readonly user?: SystemUser
  /** Throws, or resolves to false, while the engine does not serve yet. */
  isReady(log: string): boolean | Promise<boolean>
  /** Whether it ended at its start only because processes of the one that was killed before have not ended yet. */
  isTooEarly?(log: string): boolean
}

export function makeFolder(user?: SystemUser): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'))
  chmodSync(folder, 0o755)
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  return folder
}

export class EngineProcess {
  readonly folder: string
  readonly #program: Program
  #child: ChildProcess | undefined
  #exited: Promise<void> = Promise.resolve()
  #pid: number | undefined

  constructor(folder: string, program: Program) {
    this.folder = folder
    this.#program = program
  }

  /** Of the engine itself, for signals. */
  get pid(): number {
    if (this.#pid === undefined) throw new Error('the engine does not run')
    return this.#pid
  }

  get log(): string {
    try {
      return readFileSync(this.#logFile, 'utf8')
    } catch {
      return ''
    }
  }

  get #logFile(): string {
    return join(this.folder, 'log')
  }

  async start(): Promise<void> {
    const giveUpAt = Date.now() + START_LIMIT_MS
    for (;;) {
      const before = this.log.length
      await this.#startOnce()
      const reason = await this.#untilReady(before)
      if (reason === undefined) return
      const isTooEarly = this.#pid === undefined && this.#program.isTooEarly?.(this.log.slice(before)) === true
      if (!isTooEarly || Date.now() > giveUpAt) throw reason
      await delay(LOOK_MS)
    }
  }

  async #startOnce(): Promise<void> {
    const { path, args, user } = this.#program
    const child = spawn('sh', ['-c', SUPERVISOR, 'supervisor', this.folder, this.#logFile, path, ...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
      // A group of its own, so that Ctrl-C ends it by way of us.
      detached: true,
      cwd: this.folder,
      env: { ...process.env, LC_ALL: 'C' },
      ...user,
    })
    this.#child = child
    child.stdin?.on('error', () => {})
    this.#exited = new Promise((resolve) => {
      child.on('error', () => resolve())
      child.on('exit', () => {
        this.#pid = undefined
        child.stdin?.destroy()
        child.stdout?.destroy()
        resolve()
      })
    })
    this.#pid = await firstNumber(child)
    // It must not keep the process of the tests alive.
    child.unref()
    for (const pipe of [child.stdin, child.stdout]) (pipe as unknown as { unref?(): void } | null)?.unref?.()
  }

  /** Ends it by a signal and waits for its end; the folder stays, for another start. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#pid !== undefined) process.kill(this.#pid, signal)
    this.#child?.ref()
    await this.#exited
  }

  async close(): Promise<void> {
    await this.stop('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Why it does not serve, if so. */
  async #untilReady(before: number): Promise<Error | undefined> {
    const giveUpAt = Date.now() + START_LIMIT_MS
    for (;;) {
      const log = this.log.slice(before)
      if (this.#pid === undefined) return new Error(`${this.#program.path} ended at its start:\n${log}`)
      const isReady = await (async () => this.#program.isReady(log))().catch(() => false)
      if (isReady) return undefined
      if (Date.now() > giveUpAt) {
        await this.stop('SIGKILL')
        return new Error(`${this.#program.path} did not serve within ${START_LIMIT_MS} ms:\n${log}`)
      }
      await delay(LOOK_MS)
    }
  }
}

function firstNumber(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error('the supervisor of an engine ended at once')))
    child.stdout?.once('data', (text: Buffer) => resolve(Number(text.toString())))
  })
}
