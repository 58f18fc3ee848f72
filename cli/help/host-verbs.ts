// The verbs that edit the config of hosts.
import { ENTRY_OPTIONS, OUTPUT } from './shared-options.ts'
import type { OptionHelp, VerbHelp } from './verb-help.ts'

const PLACE_OPTIONS: readonly OptionHelp[] = [
  { flags: '--host <host>', text: 'Host to configure: claude-desktop, claude-code, cursor, vscode, …', kind: 'host' },
  { flags: '--config <file>', text: 'Config file with mcpServers, instead of --host', kind: 'file' },
  { flags: '--project', text: "Use the config of the current folder instead of the user's" },
  { flags: '--dry-run', text: 'Print the change and write nothing' },
]

export const install: VerbHelp = {
  name: 'install',
  group: 'Connect hosts',
  summary: "Add a server to a host's config",
  description:
    'The entry runs a file with mcpwire run, so that stdout stays clean in every host. The server is started once, as the host would start it, before anything is written.',
  usage: ['install <target>', 'install -- <command> [args ...]'],
  arguments: [{ name: '[target]', text: 'URL or file with a server', kind: 'target' }],
  options: [
    {
      flags: '-n, --name <name>',
      text: 'Server name in the config (default: the name of the file, or the host of the URL)',
    },
    ...PLACE_OPTIONS,
    { flags: '-f, --force', text: 'Replace a server of that name; its environment variables are kept' },
    { flags: '--no-check', text: 'Add the server without starting it once to check it' },
    ...ENTRY_OPTIONS,
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire install server.js --host claude-desktop --dry-run' },
    { command: 'mcpwire install server.js --name prices --config mcp.json --env LOG_LEVEL=info' },
    { command: 'mcpwire install https://example.com/mcp --name search --config mcp.json' },
  ],
  seeAlso: ['uninstall'],
  exitCodes: { 0: 'added', 1: 'the config was not changed', 3: 'the server does not start' },
}

export const uninstall: VerbHelp = {
  name: 'uninstall',
  group: 'Connect hosts',
  summary: "Remove a server from a host's config",
  usage: ['uninstall <name>'],
  arguments: [{ name: '<name>', text: 'Server name in the config' }],
  options: PLACE_OPTIONS,
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire uninstall shop --config mcp.json' },
    { command: 'mcpwire uninstall shop --host cursor --project --dry-run', notRun: 'it needs the config of a host' },
  ],
  seeAlso: ['install'],
  exitCodes: { 0: 'removed', 1: 'the config lists no such server, or was not changed' },
}
