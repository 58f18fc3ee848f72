// What the modules that run anywhere may ask of the runtime. They import it as `#platform`, never one implementation of it.
import type { MakeSealingKey } from './sealing/sealing-key.ts'
import type { StateCrypto } from './sealing/state-crypto.ts'

/** A value that follows the flow of asynchronous calls. */
export interface AmbientStorage<T> {
  /** The value of the innermost `run` around the caller. */
  get(): T | undefined
  run<R>(value: T, work: () => R): R
}

/** A program to be started without a shell. */
interface CommandProgram {
  command: string
  args?: readonly string[] | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
  cwd?: string | undefined
}

/** A page on this machine that a browser is sent to once. */
export interface RedirectListener {
  /** The URL of the page. */
  readonly uri: string
  /**
   * The query of the one visit that bears the expected `state`; every other visit is answered and forgotten. Rejects with the
   * signal's reason.
   */
  visit(state: string, signal: AbortSignal): Promise<URLSearchParams>
  /** Stops listening. Idempotent. */
  close(): Promise<void>
}

export interface RedirectListenerOptions {
  /** Tried first, any other where it is taken. */
  preferredPort?: number
  /** The exact page to serve; rejects where its port is taken. */
  uri?: string
}

/** A text file and the folder that it is in. */
export interface TextFile {
  readonly text: string
  /** The text of a file in or below that folder, by its path with `/`. Rejects for a path or a link that leads out of it. */
  readBelow(path: string, maxBytes: number): Promise<string>
}

export interface Platform {
  readonly runtime: 'node' | 'web'
  /** Starts a child process and gives the channel over its standard streams. */
  openCommand(program: CommandProgram, options: { signal?: AbortSignal }): Promise<unknown>
  /** Serves over the standard streams of this process, until the client has gone. */
  serveStdio(server: unknown, options: object): Promise<void>
  /** Serves over HTTP on a port of this machine; resolves to what closes it. */
  serveHttp(server: unknown, options: object): Promise<unknown>
  /** A poster of the runtime's own, where that is cheaper than `fetch`; `undefined` elsewhere. */
  createPoster(options?: { maxSockets?: number }): Promise<unknown>
  /** Listens on a loopback address for a browser to come back. */
  listenForRedirect(options: RedirectListenerOptions): Promise<RedirectListener>
  /** The text of a file of the user's, at most so many bytes of it; rejects where it is none, or larger. */
  readTextFile(path: string, maxBytes: number): Promise<string>
  /** A text file of the user's together with the files beside it. */
  openTextFile(path: string, maxBytes: number): Promise<TextFile>
  /** Shows a web page to the user; `false` where that is known to have failed. */
  openBrowser(url: string): Promise<boolean>
  /** A way to seal that is cheaper than WebCrypto; `undefined` where there is none. */
  loadSealing(): Promise<MakeSealingKey | undefined>
  /** Cryptography for the state of a call that is cheaper than WebCrypto; `undefined` where there is none. */
  loadStateCrypto(): Promise<StateCrypto | undefined>
  /** Runs scripts that nobody has checked. Rejects where its packages are missing. */
  createSandbox(): Promise<unknown>
  /** Throws where the runtime cannot follow asynchronous calls. */
  createAmbientStorage<T>(): AmbientStorage<T>
}

/** The one error of a runtime that lacks something: what, where, and what to do instead. */
export function notSupported(what: string, instead: string): Error {
  return new Error(`${what} is not supported by this runtime; ${instead}`)
}
