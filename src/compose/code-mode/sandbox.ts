// What runs the scripts of `codeMode`: an interface, so that another sandbox can take the place of ours.
import type { JSONObject } from '../../types/protocol/json.ts'

/** What a script may use. */
export interface SandboxLimits {
  /** Milliseconds from start to end, calls of tools included (default: 30,000). */
  readonly timeMs: number
  /** Megabytes of memory (default: 64). */
  readonly memoryMB: number
  /** Calls of tools (default: 50). */
  readonly calls: number
  /** Calls of tools at the same time; more of them wait (default: 8). */
  readonly callsAtOnce: number
  /** Characters of the returned value and of the console together (default: 100,000). */
  readonly outputLength: number
}

/** How a script ended. */
export type SandboxOutcome =
  | {
      /** The script returned. */
      readonly ok: true
      /** What it returned, as JSON. */
      readonly value: unknown
      /** What it wrote to the console, line by line. */
      readonly logs: readonly string[]
    }
  | {
      /** The script failed or was ended. */
      readonly ok: false
      /** Which limit ended it; `undefined` for an error of the script itself. */
      readonly limit?: keyof SandboxLimits | undefined
      /** What the model reads. */
      readonly message: string
      /** The line of the script, counted from 1, where it is known. */
      readonly line?: number | undefined
      /** What it had written to the console. */
      readonly logs: readonly string[]
    }

/** What a script runs with. */
export interface SandboxRun {
  /** Calls a tool. Resolves with what the script gets; rejects with an error whose message the script may read. */
  readonly call: (name: string, args: JSONObject) => Promise<unknown>
  /** Ends the script at once. */
  readonly signal: AbortSignal
  /** What it may use. */
  readonly limits: SandboxLimits
}

/** Runs scripts that nobody has checked. It must end them at their limits, whatever they do. */
export interface Sandbox {
  /** Runs the body of an async function, with `tools.name(args)`, `callTool(name, args)`, `sleep(ms)` and `console.log`. */
  run(code: string, run: SandboxRun): Promise<SandboxOutcome>
}
