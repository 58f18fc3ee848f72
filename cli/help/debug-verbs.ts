// The verbs that look into a server.
import { CONNECTED_CODES, CONNECTION, OUTPUT, TARGET } from './shared-options.ts'
import type { VerbHelp } from './verb-help.ts'

export const inspect: VerbHelp = {
  name: 'inspect',
  group: 'Debug',
  summary: 'Open the inspector for a server',
  description: 'Without a terminal, or with --json, it prints what mcpwire list --all --json prints.',
  usage: ['inspect [target]', 'inspect -- <command> [args ...]'],
  arguments: [TARGET],
  options: [
    { flags: '-p, --port <port>', text: 'Port of the inspector (default: 6288 or any free port)', kind: 'port' },
    { flags: '--host <address>', text: 'Address to listen on (default: 127.0.0.1)' },
    { flags: '--allow-remote', text: 'Let other machines open the inspector, with its token' },
    { flags: '--no-open', text: 'Print the URL and open no browser' },
    { flags: '--call <tool>', text: 'Call a tool', isHidden: true },
    { flags: '--read <uri>', text: 'Read a resource', isHidden: true },
    { flags: '--prompt <name>', text: 'Get a prompt', isHidden: true },
    { flags: '-a, --arg <key=value>', text: 'Argument of the call', repeats: true, isHidden: true },
    { flags: '--args <json>', text: 'All arguments as a JSON object', isHidden: true },
  ],
  sharedOptions: [CONNECTION, OUTPUT],
  examples: [{ command: 'mcpwire inspect server.js' }, { command: 'mcpwire inspect --json -- node stdio-server.js' }],
  seeAlso: ['list', 'call'],
  exitCodes: CONNECTED_CODES,
}
