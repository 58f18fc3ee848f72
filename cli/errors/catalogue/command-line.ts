// Failures that only the command line has.
import type { CatalogueEntry } from './entry.ts'

export const COMMAND_LINE = {
  usage: {
    class: 'Exit code 2',
    message: 'mcpwire: <problem>',
    cause: 'The command line is wrong. Nothing was started.',
    fix: ['Run the command with --help.'],
    also: [
      "Option '--port <port>' argument '<value>' is invalid. Use a whole number from 0 to 65535.",
      "Unknown option '<option>'",
      "Missing required argument '<name>'",
    ],
  },
  'file-not-found': {
    class: 'Exit code 3',
    message: '<file> does not exist.',
    cause: 'The path is wrong, or relative to another folder.',
    fix: ['Check the path.'],
  },
  'file-cannot-load': {
    class: 'Exit code 3',
    message: '<file>: <error>',
    cause: 'The file has a syntax error, imports something that is not installed, or throws at its top level.',
    fix: [
      'Correct the file at the line that the message names.',
      'Run `npm install` for a missing package.',
      'Use --debug for the stack trace.',
    ],
    also: [
      '<file>:<line>: SyntaxError: Unexpected token <token>',
      '<file>:<line>: SyntaxError: Unexpected identifier <name>',
      "Cannot find package '<name>' imported from <file> (ERR_MODULE_NOT_FOUND)",
    ],
  },
  'no-server-in-file': {
    class: 'Exit code 3',
    message: '<file> neither runs nor exports a server.',
    cause: 'The file neither exports a server nor runs one.',
    fix: [
      'Export the server: `export default server`.',
      'Or call `await server.run()` in the file.',
      'Name the export: `mcpwire run server.ts:myServer`.',
      'Run a program that is no server by itself: `npx tsx program.ts`, or `node program.js`.',
    ],
  },
  'typescript-not-supported': {
    class: 'Exit code 3',
    message: '<file> has a <construct>, which Node <version> does not run.',
    cause: 'The file uses TypeScript that this version of Node and the built-in loader cannot run.',
    fix: ['Run `npm install --save-dev tsx`. mcpwire uses it where it is installed.', 'Or use Node 24 for `using`.'],
  },
  'no-backend': {
    class: 'Exit code 3',
    message: 'The server has no tasks to work on.',
    cause:
      '`mcpwire worker` works on tasks of other processes. It needs a server with `tasks()` and a `backend` that both can reach.',
    fix: ['Add `tasks()` to `extensions` and an engine to `backend`, as in `backend: redis(url)`.'],
  },
  'not-approved': {
    class: 'Exit code 2',
    message: '<file> starts a program, and nobody is there to agree: <command>',
    cause: 'The command comes from a file of the project, and you have not confirmed that it may run.',
    fix: ['Run the command in a terminal and confirm it.', 'Or pass the command after --.'],
  },
  'node-too-old': {
    class: 'Exit code 3',
    message: 'The conformance suite needs Node <version>, and this is Node <version>.',
    cause: 'The command starts a program that needs a newer version of Node than mcpwire does.',
    fix: ['Run the command with the version of Node that the message names, or a newer one.'],
  },
  'npx-cache': {
    class: 'Exit code 1',
    message: 'This entry would use mcpwire from the npx cache, which npm can delete.',
    cause:
      'The command `mcpwire install` runs from the cache of npx. The host would start a copy that npm may delete later.',
    fix: ['Run `npm install mcpwire` in the project, then install again.', 'Or add --portable.'],
  },
  'files-in-the-way': {
    class: 'Exit code 1',
    message: '<folder> already has <files>.',
    cause: '`mcpwire init` never overwrites a file, and the template has files of the same names. Nothing was created.',
    fix: ['Choose an empty folder.', 'Or move the files that the message names.'],
  },
  'project-not-written': {
    class: 'Exit code 1',
    message: 'The project cannot be written to <folder>: <error>',
    cause: 'A file could not be written. The files that were written before it have been removed.',
    fix: ['Choose a folder that you can write to.', 'Free some space on the disk.'],
  },
  'tool-not-found': {
    class: 'Exit code 3',
    message: 'The command <name> was not found.',
    cause: '`mcpwire init` runs the package manager, and git with --git. The program is not on the PATH.',
    fix: ['Install the program.', 'Or choose another package manager with --pm, or use --no-install.'],
  },
  'install-failed': {
    class: 'Exit code 1',
    message: '<command> failed with exit code <code>. The files of the project are in <folder>.',
    cause: 'The package manager or git reported an error. The files of the project are complete.',
    fix: ['Correct what the command reports, then run it in the folder of the project.'],
  },
  'ts-morph-missing': {
    class: 'Exit code 3',
    message: 'mcpwire migrate needs the package ts-morph, and it is not installed here.',
    cause:
      '`mcpwire migrate` reads your code with ts-morph. mcpwire does not include it, because it contains a compiler.',
    fix: [
      'Run `npm install --save-dev ts-morph@28`, then the command again.',
      'You can remove it after the migration.',
    ],
  },
  cancelled: {
    class: 'Exit code 130',
    message: '<problem> Nothing was changed.',
    cause: 'You left a question with Ctrl-C or Escape. Nothing was changed.',
    fix: ['Run the command again, or put the answers on the command line.'],
  },
  'server-error': {
    class: 'Exit code 1',
    message: '<message> (error <code>)',
    cause: 'The server answered with a JSON-RPC error. The message is the text of the server.',
    fix: ['Check the arguments.', 'Read the logs of the server.'],
  },
  failed: {
    class: 'Exit code 1',
    message: '<problem>',
    cause: 'The command failed. The message says why.',
    fix: ['Do what the line after the message says.'],
  },
  bug: {
    class: 'Exit code 70',
    message: '<problem>',
    cause: 'The failure is in mcpwire itself, and not in your server.',
    fix: ['Report it with the stack trace.'],
    onCommandLine: 'This is a bug in mcpwire. Report it with the stack trace above.',
  },
} as const satisfies Record<string, CatalogueEntry>
