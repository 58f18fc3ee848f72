// The verbs that use a server.
import { CONNECTED_CODES, CONNECTION, KEY_VALUE, OUTPUT, TARGET } from './shared-options.ts'
import type { OptionHelp, VerbDetails } from './verb-help.ts'

const sharedOptions = [CONNECTION, OUTPUT]

const KINDS: readonly OptionHelp[] = [
  { flags: '--tools', text: 'Tools only' },
  { flags: '--resources', text: 'Resources and resource templates only' },
  { flags: '--prompts', text: 'Prompts only' },
]

const NEEDS_NETWORK = 'it needs a server on the network'

export const list: VerbDetails = {
  description: 'Tools are printed as signatures, one line each.',
  usage: ['list <target>', 'list -- <command> [args ...]'],
  takesDashes: true,
  arguments: [TARGET],
  options: [
    ...KINDS,
    { flags: '--all', text: 'All of them (default)' },
    { flags: '--schema', text: 'Print the JSON Schemas of tools' },
    { flags: '--names', text: 'Print names only, one per line' },
  ],
  sharedOptions,
  examples: [
    { command: 'mcpwire list server.js' },
    { command: 'mcpwire list server.js --tools --schema' },
    { command: 'mcpwire list @shop --names' },
    { command: 'mcpwire list --json -- node stdio-server.js' },
    { command: 'mcpwire list https://example.com/mcp', notRun: NEEDS_NETWORK },
  ],
  seeAlso: ['call', 'read', 'prompt'],
  exitCodes: CONNECTED_CODES,
}

export const call: VerbDetails = {
  description:
    'Missing arguments are asked for on a terminal. Progress and questions of the tool appear on the terminal; stdout has the result only.',
  usage: ['call <target> <tool> [key=value ...]', 'call <tool> [key=value ...] -- <command> [args ...]'],
  takesDashes: true,
  arguments: [
    TARGET,
    { name: '[tool]', text: 'Name of the tool', kind: 'tool' },
    { ...KEY_VALUE, kind: 'tool-argument' },
  ],
  options: [
    { flags: '--args <json>', text: 'All arguments as JSON, @file, or - for stdin' },
    { flags: '--save <folder>', text: 'Save images, audio and files of the result', kind: 'folder' },
    { flags: '--raw', text: 'Print the text as the server sent it, for pipes and files' },
    { flags: '--task', text: 'Start the call as a task, print its id and exit' },
    { flags: '-a, --arg <key=value>', text: 'Argument of the call', repeats: true, isHidden: true },
  ],
  sharedOptions,
  examples: [
    { command: 'mcpwire call server.js add a=1 b=2' },
    { command: 'mcpwire call server.js order item=book address.city=Bern tags=a tags=b' },
    { command: 'mcpwire call server.js order --args @order.json --json' },
    { command: 'mcpwire call @shop picture --save pictures' },
    { command: 'mcpwire call add a=1 b=2 -- node stdio-server.js' },
    { command: 'mcpwire call https://example.com/mcp search query="open issues"', notRun: NEEDS_NETWORK },
  ],
  seeAlso: ['list', 'tasks'],
  exitCodes: { ...CONNECTED_CODES, 1: 'the tool or the server reported an error' },
}

export const read: VerbDetails = {
  usage: ['read <target> <uri>', 'read <uri> -- <command> [args ...]'],
  takesDashes: true,
  arguments: [TARGET, { name: '[uri]', text: 'URI of the resource', kind: 'uri' }],
  options: [{ flags: '--save <file>', text: 'Write the content to a file instead', kind: 'file' }],
  sharedOptions,
  examples: [
    { command: 'mcpwire read server.js greeting://Ada' },
    { command: 'mcpwire read server.js greeting://Ada --save greeting.txt' },
    { command: 'mcpwire read @shop greeting://Ada --json' },
  ],
  seeAlso: ['list'],
  exitCodes: CONNECTED_CODES,
}

export const prompt: VerbDetails = {
  usage: ['prompt <target> <name> [key=value ...]', 'prompt <name> [key=value ...] -- <command> [args ...]'],
  takesDashes: true,
  arguments: [
    TARGET,
    { name: '[name]', text: 'Name of the prompt', kind: 'prompt' },
    { ...KEY_VALUE, kind: 'prompt-argument' },
  ],
  options: [
    { flags: '--args <json>', text: 'All arguments as JSON, @file, or - for stdin' },
    { flags: '-a, --arg <key=value>', text: 'Argument of the prompt', repeats: true, isHidden: true },
  ],
  sharedOptions,
  examples: [
    { command: 'mcpwire prompt server.js poem about=rain' },
    { command: 'mcpwire prompt server.js poem about=rain --json' },
  ],
  seeAlso: ['list'],
  exitCodes: CONNECTED_CODES,
}

export const listen: VerbDetails = {
  description: 'Runs until Ctrl-C, or for the time of --for. Without a choice it listens to all lists.',
  usage: ['listen <target>', 'listen -- <command> [args ...]'],
  takesDashes: true,
  arguments: [TARGET],
  options: [
    ...KINDS,
    { flags: '--uri <uri>', text: 'Changes of a resource', repeats: true, kind: 'uri' },
    { flags: '--for <seconds>', text: 'Stop after this time', kind: 'seconds' },
  ],
  sharedOptions,
  examples: [
    { command: 'mcpwire listen server.js --for 1' },
    { command: 'mcpwire listen server.js --tools --for 1 --json' },
    { command: 'mcpwire listen server.js --uri note://today', notRun: 'it runs until Ctrl-C' },
  ],
  seeAlso: ['list'],
  exitCodes: CONNECTED_CODES,
}

export const tasks: VerbDetails = {
  description:
    'A task is a call that goes on after mcpwire call --task has exited. The ids are kept on this machine. Without a target it lists the tasks of all servers, and connects to none.',
  usage: ['tasks', 'tasks <target>', 'tasks <target> get|result|watch|cancel <id>'],
  takesDashes: true,
  arguments: [
    TARGET,
    {
      name: '[action]',
      text: 'Get its state, wait for its result, watch it, or cancel it',
      choices: ['get', 'result', 'watch', 'cancel'],
    },
    { name: '[id]', text: 'Id of the task', kind: 'task' },
  ],
  options: [],
  sharedOptions,
  examples: [
    { command: 'mcpwire tasks' },
    { command: 'mcpwire tasks server.js' },
    { command: 'mcpwire tasks http://localhost:3000/mcp result 7f3a', notRun: 'it needs a task' },
  ],
  seeAlso: ['call', 'worker'],
  exitCodes: { ...CONNECTED_CODES, 1: 'the task failed, was cancelled, or is gone' },
}
