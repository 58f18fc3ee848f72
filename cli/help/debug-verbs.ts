// The verbs that look into a server.
import { ENTRY_OPTIONS, OUTPUT } from './shared-options.ts'
import type { VerbHelp } from './verb-help.ts'

export const inspect: VerbHelp = {
  name: 'inspect',
  group: 'Debug',
  summary: 'Open the inspector for a server',
  description: 'Without a terminal, or with --json, prints what the server offers.',
  usage: ['inspect [target]', 'inspect -- <command> [args ...]'],
  arguments: [{ name: '[target...]', text: 'URL or file with a server', kind: 'target' }],
  options: [
    { flags: '-p, --port <port>', text: 'Port of the inspector (default: 6288 or any free port)', kind: 'port' },
    { flags: '--host <address>', text: 'Address to listen on (default: 127.0.0.1)' },
    { flags: '--allow-remote', text: 'Let other machines open the inspector, with its token' },
    { flags: '--no-open', text: 'Print the URL and open no browser' },
    { flags: '--call <tool>', text: 'Call a tool' },
    { flags: '--read <uri>', text: 'Read a resource' },
    { flags: '--prompt <name>', text: 'Get a prompt' },
    { flags: '-a, --arg <key=value>', text: 'Argument of the call', repeats: true },
    { flags: '--args <json>', text: 'All arguments as a JSON object' },
    { flags: '--mode <mode>', text: 'Era or protocol revision: auto, modern, legacy, 2025-11-25 … (default: auto)' },
    {
      flags: '--timeout <seconds>',
      text: 'Maximum time for a request in seconds, even while progress is reported',
      kind: 'seconds',
    },
    { flags: '--login', text: 'Log in with the browser if the server requires it' },
    ...ENTRY_OPTIONS,
    { flags: '--config <file>', text: 'Read the server from a config file with mcpServers', kind: 'file' },
    { flags: '--server <name>', text: 'Server name in the config file (default: the only one)' },
  ],
  sharedOptions: [OUTPUT],
  examples: [{ command: 'mcpwire inspect server.js' }, { command: 'mcpwire inspect --json -- node stdio-server.js' }],
  seeAlso: ['run'],
  exitCodes: {
    0: 'done',
    1: 'the tool or the server reported an error',
    3: 'no connection',
    4: 'not authorized',
    5: 'timed out',
  },
}
