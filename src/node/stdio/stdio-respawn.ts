// Starts this very program once more, behind a launcher's pipe.
import { findLauncher } from './stdio-launched.ts'
import { launchStdioServer } from './stdio-launcher.ts'

/** Resolves to the exit code of the other process. */
export async function respawnProgram(): Promise<number> {
  const { argv, execArgv } = process
  // A second process that does not find its pipe must not start a third.
  if (findLauncher() !== undefined) {
    throw new Error(
      `Cannot start ${argv[1] ?? 'this program'} behind a pipe: a pipe was made for its parent, not for it. ` +
        `Remove isolate: 'respawn', or start the file with npx mcpwire run.`,
    )
  }
  return launchStdioServer({ args: [...execArgv, ...argv.slice(1)] })
}
