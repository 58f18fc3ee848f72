// Prompts the user at the terminal, line by line.
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { createDeferred, type Deferred } from './primitives.ts'
import { listenForSignals } from './signals.ts'

/** One form or one question, from its first line to its last. What is typed ahead counts for the lines that follow. */
export interface Conversation {
  /** Resolves to what was typed; `undefined` where nothing more will come. */
  ask(question: string): Promise<string | undefined>
  close(): void
}

/** The signal withdraws the question. */
export type Prompter = (signal?: AbortSignal) => Conversation

export interface PrompterStreams {
  stdin: Readable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
}

const SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/** `undefined` without a terminal. Questions go to stderr: stdout is for the result. */
export function createPrompter({ stdin, stderr }: PrompterStreams): Prompter | undefined {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined
  return (signal) => new TerminalConversation(stdin, stderr, signal)
}

export class TerminalConversation implements Conversation {
  readonly #output: Writable
  readonly #terminal: Interface
  readonly #typed: string[] = []
  #waiting: Deferred<string | undefined> | undefined
  readonly #stopListening: () => void
  #isOver = false

  constructor(input: Readable, output: Writable, signal?: AbortSignal) {
    this.#output = output
    this.#terminal = createInterface({ input, output, ...(signal !== undefined && { signal }) })
    this.#terminal.on('line', (line) => this.#take(line))
    this.#terminal.on('close', () => this.#end())
    // While it reads, Ctrl-C reaches it and not the process.
    this.#terminal.on('SIGINT', () => this.#leave('SIGINT'))
    this.#stopListening = listenForSignals(SIGNALS, (name) => this.#leave(name))
  }

  ask(question: string): Promise<string | undefined> {
    if (this.#isOver) return Promise.resolve(undefined)
    this.#terminal.setPrompt(question)
    this.#terminal.prompt()
    const next = this.#typed.shift()
    if (next !== undefined) return Promise.resolve(next)
    this.#waiting = createDeferred()
    return this.#waiting.promise
  }

  close(): void {
    this.#terminal.close()
  }

  #take(line: string): void {
    if (this.#waiting === undefined) this.#typed.push(line)
    else this.#waiting.resolve(line)
    this.#waiting = undefined
  }

  #end(): void {
    this.#isOver = true
    this.#stopListening()
    if (this.#waiting === undefined) return
    // The next output begins on a new line.
    this.#output.write('\n')
    this.#waiting.resolve(undefined)
  }

  /** Restores the terminal first: a process that dies of a signal cleans up nothing. */
  #leave(signal: NodeJS.Signals): void {
    this.close()
    process.kill(process.pid, signal)
  }
}
