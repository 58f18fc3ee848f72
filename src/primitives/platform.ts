// What the neutral rooms may ask of the runtime they are in. They import it as `#platform`, never a side of it.

/** A value that follows the flow of asynchronous calls. */
export interface AmbientStorage<T> {
  /** The value of the innermost `run` around the caller. */
  get(): T | undefined
  run<R>(value: T, work: () => R): R
}

/** A program to be started without a shell. */
export interface CommandProgram {
  command: string
  args?: readonly string[]
  env?: Readonly<Record<string, string | undefined>>
  cwd?: string
}

export interface Platform {
  readonly runtime: 'node' | 'web'
  /** Starts a child process and gives the channel over its standard streams. */
  openCommand(program: CommandProgram, options: { signal?: AbortSignal }): Promise<unknown>
  /** Serves over the standard streams of this process, until the client has gone. */
  serveStdio(server: unknown, options: { drainMs?: number }): Promise<void>
  /** Throws where the runtime cannot follow asynchronous calls. */
  createAmbientStorage<T>(): AmbientStorage<T>
}

/** The one error of a runtime that lacks something: what, where, and what to do instead. */
export function notSupported(what: string, instead: string): Error {
  return new Error(`${what} is not supported by this runtime; ${instead}`)
}
