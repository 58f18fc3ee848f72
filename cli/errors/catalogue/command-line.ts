// Failures that only the command line has.
import type { CatalogueEntry } from './entry.ts'

export const COMMAND_LINE = {
  usage: {
    class: 'Exit code 2',
    message: 'mcpwire: <problem>',
    since: '0.4.0',
    cause: 'The command line is wrong. Nothing was started.',
    fix: ['Run the command with --help.'],
  },
  'file-not-found': {
    class: 'Exit code 3',
    message: '<file> does not exist.',
    since: '0.4.0',
    cause: 'The path is wrong, or relative to another folder.',
    fix: ['Check the path.'],
  },
  'file-cannot-load': {
    class: 'Exit code 3',
    message: '<file>: <error>',
    since: '0.4.0',
    cause: 'The file has a syntax error, imports something that is not installed, or throws at its top level.',
    fix: [
      'Correct the file at the line that the message names.',
      'Run `npm install` for a missing package.',
      'Use --debug for the stack trace.',
    ],
  },
  'program-failed': {
    class: 'Exit code 1',
    message: '<file>: <error>',
    since: '0.4.0',
    cause: 'The program of the server threw an error while it ran.',
    fix: ['Correct the program at the line that the message names.', 'Use --debug for the stack trace.'],
  },
  'no-server-in-file': {
    class: 'Exit code 3',
    message: '<file> <problem>',
    since: '0.4.0',
    cause: 'The file neither exports a server nor runs one.',
    fix: [
      'Export the server: `export default server`.',
      'Or call `await server.run()` in the file.',
      'Name the export: `mcpwire run server.ts:myServer`.',
    ],
  },
  'typescript-not-supported': {
    class: 'Exit code 3',
    message: '<problem>',
    since: '0.4.0',
    cause: 'The file uses TypeScript that this version of Node and the built-in loader cannot run.',
    fix: ['Run `npm install --save-dev tsx`. mcpwire uses it where it is installed.', 'Or use Node 22.18 or later.'],
  },
  'no-backend': {
    class: 'Exit code 3',
    message: 'The server <problem>',
    since: '0.4.0',
    cause:
      '`mcpwire worker` works on tasks of other processes. It needs a server with `tasks()` and a `backend` that both can reach.',
    fix: ['Add `tasks()` to `extensions` and an engine to `backend`, as in `backend: redis(url)`.'],
  },
  'not-approved': {
    class: 'Exit code 2',
    message: '<problem>',
    since: '0.4.0',
    cause: 'The command comes from a file of the project, and nobody has confirmed that it may run.',
    fix: ['Run the command in a terminal and confirm it.', 'Or pass the command after --.'],
  },
  'node-too-old': {
    class: 'Exit code 3',
    message: 'The conformance suite needs Node <version>, and this is Node <version>.',
    since: '0.4.0',
    cause: 'The command starts a program that needs a newer Node than mcpwire itself.',
    fix: ['Run the command with the version of Node that the message names, or a newer one.'],
  },
  'npx-cache': {
    class: 'Exit code 1',
    message: 'This entry would use mcpwire from the npx cache, which npm can delete.',
    since: '0.4.0',
    cause: '`mcpwire install` was started by npx. The host would start a copy that may be gone later.',
    fix: ['Run `npm install mcpwire` in the project, then install again.', 'Or add --portable.'],
  },
  cancelled: {
    class: 'Exit code 130',
    message: 'No host was chosen. Nothing was changed.',
    since: '0.4.0',
    cause: 'The choice was ended with Ctrl-C or Escape.',
    fix: ['Run the command again, or name the hosts on the command line.'],
  },
  'server-error': {
    class: 'Exit code 1',
    message: '<message> (error <code>)',
    since: '0.4.0',
    cause: 'The server answered with a JSON-RPC error. The message is the text of the server.',
    fix: ['Check the arguments.', 'Read the logs of the server.'],
  },
  failed: {
    class: 'Exit code 1',
    message: '<problem>',
    since: '0.4.0',
    cause: 'The command could not do its work. The message says why.',
    fix: ['Do what the line after the message says.'],
  },
  bug: {
    class: 'Exit code 70',
    message: '<problem>',
    since: '0.4.0',
    cause: 'The program mcpwire failed in a way that it does not expect.',
    fix: ['Report it with the stack trace.'],
    onCommandLine: 'This is a bug in mcpwire. Report it with the stack trace above.',
  },
} as const satisfies Record<string, CatalogueEntry>
