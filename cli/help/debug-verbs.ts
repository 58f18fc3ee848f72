// The verbs that look into a server.
import { CONNECTED_CODES, CONNECTION, OUTPUT, TARGET } from './shared-options.ts'
import type { VerbDetails } from './verb-help.ts'

export const inspect: VerbDetails = {
  description: 'Without a terminal, or with --json, it prints what mcpwire list --all --json prints.',
  usage: ['inspect [target]', 'inspect -- <command> [args ...]'],
  takesDashes: true,
  arguments: [TARGET],
  options: [
    { flags: '-p, --port <port>', text: 'Port of the inspector (default: 6288 or any free port)', kind: 'port' },
    { flags: '--host <address>', text: 'Address to listen on (default: 127.0.0.1)' },
    { flags: '--allow-remote', text: 'Let other machines open the inspector, with its link' },
    { flags: '--no-open', text: 'Print the link and open no browser' },
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

export const doctor: VerbDetails = {
  description:
    'With a target it takes ten steps, from the host name to a round trip, and explains the first one that fails. Without a target it checks Node, TypeScript, the project of this folder, and the servers of the hosts on this machine.',
  usage: ['doctor [target]', 'doctor -- <command> [args ...]'],
  takesDashes: true,
  arguments: [TARGET],
  options: [],
  sharedOptions: [CONNECTION, OUTPUT],
  examples: [
    { command: 'mcpwire doctor server.js' },
    { command: 'mcpwire doctor --json -- node stdio-server.js' },
    { command: 'mcpwire doctor https://example.com/mcp', notRun: 'it needs a server on the network' },
    { command: 'mcpwire doctor' },
  ],
  seeAlso: ['inspect', 'servers', 'login'],
  exitCodes: { 0: 'no fault found', 1: 'a fault was found', 4: 'no fault found, and a login is needed' },
}
