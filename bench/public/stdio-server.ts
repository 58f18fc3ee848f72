// A server over stdio in a process of its own, driven by hand.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { stayAwake } from '../stay-awake.ts'
import { failed, programPath } from './processes.ts'

export interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: unknown
}

export class StdioServer {
  readonly #child: ChildProcess
  readonly #ready: Promise<unknown>
  readonly #waiting: ((message: Message) => void)[] = []
  readonly #arrived: Message[] = []

  constructor(kind: string, contender: string) {
    this.#child = fork(programPath('server.js'), [kind, contender], {
      stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
      execArgv: [],
    })
    this.#ready = Promise.race([once(this.#child, 'message'), failed(this.#child, `${kind}, ${contender}`)])
    let rest = ''
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#take(JSON.parse(line))
    })
  }

  /** Microseconds of CPU time so far. */
  async cpuMicros(): Promise<number> {
    await this.#ready
    const told = once(this.#child, 'message')
    this.#child.send('cpu')
    const [micros] = await told
    return micros as number
  }

  /** Microseconds of CPU time. */
  async spentBy(work: () => Promise<void>): Promise<number> {
    const before = await this.cpuMicros()
    const rest = stayAwake()
    await work()
    rest()
    return (await this.cpuMicros()) - before
  }

  send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  /** The next message of the server. */
  receive(): Promise<Message> {
    const message = this.#arrived.shift()
    if (message !== undefined) return Promise.resolve(message)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  close(): void {
    this.#child.kill()
  }

  #take(message: Message): void {
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#arrived.push(message)
    else waiting(message)
  }
}
