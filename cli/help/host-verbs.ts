// The verbs that edit the config of hosts.
import { ENTRY_OPTIONS, OUTPUT } from './shared-options.ts'
import type { OptionHelp, VerbDetails } from './verb-help.ts'

const PLACE_OPTIONS: readonly OptionHelp[] = [
  {
    flags: '--to <host>',
    text: 'Host: claude-desktop, claude-code, cursor, vscode, codex, …',
    kind: 'host',
    repeats: true,
  },
  { flags: '--host <host>', text: 'Host to configure', kind: 'host', repeats: true, isHidden: true },
  { flags: '--config <file>', text: 'Config file with mcpServers, instead of --to', kind: 'file' },
  { flags: '--project', text: "Use the config of the current folder instead of the user's" },
  { flags: '--dry-run', text: 'Print the lines that would change and write nothing' },
]

export const install: VerbDetails = {
  description:
    'The server is started once, from another folder and with the environment of a host, before anything is written. A file is run by mcpwire run with absolute paths. The first change of a day keeps a copy of the config beside it. On a terminal without --to you choose from the hosts that were found.',
  usage: ['install <target> [-- args ...]', 'install --name <name> -- <command> [args ...]'],
  takesDashes: true,
  arguments: [{ name: '[target]', text: 'URL or file with a server', kind: 'target' }],
  options: [
    {
      flags: '-n, --name <name>',
      text: 'Server name in the config (default: that of the project or the file, or the host of the URL)',
    },
    ...PLACE_OPTIONS,
    { flags: '-f, --force', text: 'Replace a server of that name; its environment variables are kept' },
    { flags: '--dev', text: 'Run the file with mcpwire dev, which reloads it when it changes' },
    { flags: '--portable', text: 'Run the file with npx and this version of mcpwire instead of this copy' },
    { flags: '--no-check', text: 'Add the server without starting it once to check it' },
    ...ENTRY_OPTIONS,
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire install server.js --to claude-desktop --to codex --dry-run' },
    { command: 'mcpwire install server.js --name prices --config mcp.json --env LOG_LEVEL=info' },
    { command: 'mcpwire install server.js --name notes --to goose -- --verbose' },
    {
      command: 'mcpwire install https://example.com/mcp --name search --to vscode',
      notRun: 'it connects to a server on the internet',
    },
  ],
  seeAlso: ['uninstall', 'servers'],
  exitCodes: { 0: 'added', 1: 'the config was not changed', 3: 'the server does not start', 5: 'the server is silent' },
}

export const uninstall: VerbDetails = {
  usage: ['uninstall <name>'],
  arguments: [{ name: '<name>', text: 'Server name in the config' }],
  options: PLACE_OPTIONS,
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire uninstall shop --config mcp.json' },
    { command: 'mcpwire uninstall shop --to cursor --project --dry-run', notRun: 'it needs the config of a host' },
  ],
  seeAlso: ['install', 'servers'],
  exitCodes: { 0: 'removed', 1: 'the config lists no such server, or was not changed' },
}

export const servers: VerbDetails = {
  description:
    'Reads the config files of all hosts and of the project, and prints the state of each server. Servers of hosts are started once, as their host does. Commands in the files of a project are started only with --yes.',
  usage: ['servers [--of <host>] [--config <file>]'],
  arguments: [],
  options: [
    { flags: '--of <host>', text: 'Only the servers of this host', kind: 'host' },
    { flags: '--config <file>', text: 'Only the servers of this file', kind: 'file' },
    { flags: '--no-check', text: 'List the servers without starting them' },
    { flags: '-y, --yes', text: 'Start the servers of project files too' },
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire servers' },
    { command: 'mcpwire servers --of cursor --json' },
    { command: 'mcpwire servers --no-check' },
  ],
  seeAlso: ['install', 'uninstall'],
  exitCodes: { 0: 'done' },
}
