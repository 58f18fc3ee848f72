// What runs a server as a child process, loaded with the first one: most programs that import `mcpwire/node` start none.
import type { Channel } from '../../dispatcher/channel.ts'
import { CLIENT_LIMITS } from '../../dispatcher/decode.ts'
import { startChild } from '../process/child-process.ts'
import type { Program } from '../process/program.ts'
import { ChildChannel, type ChildChannelOptions } from './child-channel.ts'

export { startWith } from '../process/child-process.ts'
export { exitOrKill } from '../process/end-child.ts'

export interface OpeningOptions extends Omit<ChildChannelOptions, 'limits'> {
  /** `undefined` for the limit of every client. */
  readonly maxLineBytes: number | undefined
}

export async function openChild(
  program: Program,
  { maxLineBytes = CLIENT_LIMITS.maxBytes, ...options }: OpeningOptions,
  signal: AbortSignal | undefined,
): Promise<Channel> {
  signal?.throwIfAborted()
  const limits = { ...CLIENT_LIMITS, maxBytes: maxLineBytes }
  const channel = new ChildChannel(await startChild(program), { ...options, limits })
  if (!signal?.aborted) return channel
  await channel.close()
  throw signal.reason
}
