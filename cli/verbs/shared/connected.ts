// What verbs that connect have in common: which words are the target, and the connection for as long as the verb works.
import type { Client, ClientOptions } from 'mcpwire'
import { type ConnectRequest, withClient } from '../../target/connect.ts'
import type { ConnectionOptions } from '../../target/connection-options.ts'
import { resolveTarget, type Target, type TargetWords } from '../../target/target.ts'
import { usageFailure } from '../../terminal/failure.ts'
import type { Invocation } from './invocation.ts'

export interface SplitWords {
  readonly target: TargetWords
  /** The words after the target. */
  readonly rest: readonly string[]
}

/** The target is the first word, unless a command stands after `--` or a config file has only one server. */
export function splitWords({ words, afterDashes, options }: Invocation<ConnectionOptions>): SplitWords {
  if (afterDashes !== undefined) return { target: { word: undefined, command: afterDashes }, rest: words }
  const [first, ...rest] = words
  if (options.config !== undefined && !first?.startsWith('@')) {
    return { target: { word: undefined, command: undefined }, rest: words }
  }
  return { target: { word: first, command: undefined }, rest }
}

/** Fails where more was typed than the verb takes. */
export function expectNoMore(rest: readonly string[], usage: string): void {
  const [extra] = rest
  if (extra !== undefined) throw usageFailure(`Unexpected argument "${extra}".`, `Usage: mcpwire ${usage}`)
}

export function expectWord(word: string | undefined, what: string, usage: string): string {
  if (word === undefined || word === '') throw usageFailure(`The ${what} is missing.`, `Usage: mcpwire ${usage}`)
  return word
}

/** Connects and works. `undefined` where nobody reads the result any more. */
export async function connected<T>(
  invocation: Invocation<ConnectionOptions>,
  words: TargetWords,
  use: (client: Client, target: Target) => Promise<T>,
  clientOptions?: (client: () => Client) => ClientOptions,
): Promise<T | undefined> {
  const { options, output, interruption } = invocation
  const target = await resolveTarget(words, options, output)
  const request: ConnectRequest = {
    target,
    options,
    output,
    interruption,
    ...(clientOptions !== undefined && { clientOptions }),
  }
  return withClient(request, (client) => use(client, target))
}

/** `--timeout` is a limit in all: progress does not extend it. */
export function withinTime({ timeout }: ConnectionOptions): { timeoutMs?: number; maxTotalMs?: number } {
  return timeout === undefined ? {} : { timeoutMs: timeout * 1000, maxTotalMs: timeout * 1000 }
}
