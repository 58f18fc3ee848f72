// What a client touches, whichever version of the server runs behind it.
import type { ListChange, Lists } from './relay/lists.ts'
import type { ServerChild } from './server-child.ts'

/** A version of the server that has loaded and has everything that its clients had said to the one before. */
export interface Prepared {
  readonly child: ServerChild
  readonly warnings: readonly string[]
}

/** What differs between a version and the one before. */
export interface Listed {
  readonly lists: Lists | undefined
  /** `undefined` where one of them did not list anything. */
  readonly changes: readonly ListChange[] | undefined
}

export interface Swap {
  /** Resolves when clients have heard of lists that changed. */
  readonly listed: Promise<Listed>
  /** Resolves when the version before has nothing to do any more. */
  readonly handedOver: Promise<void>
}

export interface Front {
  /** Rejects where the new version does not answer. The present one goes on serving. */
  prepare(child: ServerChild): Promise<Prepared>
  /** From now on clients are served by it. */
  swap(prepared: Prepared): Swap
  /** The version that served has ended by itself. Requests wait for the next one. */
  lost(child: ServerChild): void
  /** Resolves when the client has gone. Never over HTTP. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** A call as it is printed. */
export interface FinishedCall {
  /** The tool, the prompt or the uri; the method of other requests. */
  name: string
  ms: number
  /** Why it failed; `undefined` where it did not. */
  error: string | undefined
}

export interface FrontOptions {
  drainMs: number
  onCall(call: FinishedCall): void
  warn(line: string): void
}
