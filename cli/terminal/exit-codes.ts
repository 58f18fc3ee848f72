// The exit codes of every command, and what they mean.

export const EXIT = {
  done: 0,
  /** The answer is no: the tool or the server reported an error. */
  refused: 1,
  usage: 2,
  noConnection: 3,
  notAuthorized: 4,
  timedOut: 5,
  bug: 70,
  interrupted: 130,
} as const

export const EXIT_MEANINGS: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'Done'],
  ['1', 'The tool or the server reported an error, or doctor found a fault'],
  ['2', 'The command line is wrong; nothing was called or changed'],
  ['3', 'No connection: not found, refused, exited, not an MCP server, or a file that cannot be loaded'],
  ['4', 'Not authorized: a login is needed or was refused'],
  ['5', 'Timed out'],
  ['70', 'A bug in mcpwire'],
  ['130, 143', 'Interrupted by Ctrl-C or a signal; child processes have ended'],
]
