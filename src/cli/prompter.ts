// Asks the person at the terminal, one question at a time.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** Resolves to what was typed, without its line end; `undefined` where nothing more will come. */
export type Prompter = (question: string, signal?: AbortSignal) => Promise<string | undefined>

export interface PrompterStreams {
  stdin: Readable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
}

/** `undefined` where nobody could answer. Questions go to stderr: stdout is for the result. */
export function createPrompter({ stdin, stderr }: PrompterStreams): Prompter | undefined {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined
  return (question, signal) => ask(stdin, stderr, question, signal)
}

export async function ask(
  input: Readable,
  output: Writable,
  question: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const terminal = createInterface({ input, output, ...(signal !== undefined && { signal }) })
  // While it reads, Ctrl-C reaches it and not the process.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  terminal.setPrompt(question)
  terminal.prompt()
  try {
    const [line] = await Promise.race([once(terminal, 'line'), once(terminal, 'close').then(() => [undefined])])
    return line as string | undefined
  } finally {
    terminal.close()
  }
}
