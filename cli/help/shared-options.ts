// Options that several verbs take, each written once.
import type { ArgumentHelp, OptionGroup } from './verb-help.ts'

/** Every verb takes these, and they may stand before the verb. */
export const OUTPUT: OptionGroup = {
  title: 'Output options',
  options: [
    { flags: '--json', text: 'Print JSON on stdout, and errors as one line of JSON on stderr' },
    { flags: '-q, --quiet', text: 'Print only the result and errors' },
    { flags: '-v, --verbose', text: 'Print what happens meanwhile' },
    { flags: '--no-color', text: 'Print without colors' },
    { flags: '--debug', text: 'Print stack traces' },
  ],
}

/** In brackets for commander: a command after `--` stands in for it. */
export const TARGET: ArgumentHelp = {
  name: '[target]',
  text: 'URL, file with a server, @name of a configured server, or . for the project of this folder',
  kind: 'target',
}

/** The environment and the headers that a server gets. */
export const ENTRY_OPTIONS: OptionGroup['options'] = [
  {
    flags: '-e, --env <KEY=VALUE>',
    text: 'Environment variable for the server; KEY alone takes its present value',
    repeats: true,
  },
  { flags: '--env-file <file>', text: 'Read environment variables from a file', kind: 'file' },
  { flags: '-H, --header <header>', text: "HTTP header for a URL, as 'Name: value'", repeats: true },
]

export const SERVER_FILE: ArgumentHelp = {
  name: '<file>',
  text: 'JavaScript or TypeScript file; file:name to choose an export',
  kind: 'server-file',
}

/** Every verb that connects takes these. */
export const CONNECTION: OptionGroup = {
  title: 'Connection options',
  options: [
    ...ENTRY_OPTIONS,
    { flags: '--cwd <folder>', text: 'Folder to start the server in', kind: 'folder' },
    { flags: '--token <token>', text: 'Bearer token for a URL; env:NAME for a variable, - for stdin' },
    { flags: '--login', text: 'Log in with the browser', isHidden: true },
    { flags: '--no-login', text: 'Send no kept token and open no login page' },
    { flags: '--mode <mode>', text: 'Era or protocol revision: auto, modern, legacy, 2025-11-25 … (default: auto)' },
    {
      flags: '--timeout <seconds>',
      text: 'Maximum time for a request, even while progress is reported (default: none)',
      kind: 'seconds',
    },
    {
      flags: '--connect-timeout <seconds>',
      text: 'Maximum time to connect (default: 10 for a URL, 30 for a file or command)',
      kind: 'seconds',
    },
    { flags: '--config <file>', text: 'Config file that lists the server', kind: 'file' },
    { flags: '--server <name>', text: 'Server name in the config file', isHidden: true },
    { flags: '-y, --yes', text: 'Start the command of a project file without a question' },
  ],
}

export const KEY_VALUE: ArgumentHelp = {
  name: '[key=value...]',
  text: 'Arguments, typed by the schema; key:=json, key=@file, key=@- for stdin, a.b=1 for members',
}

/** Exit codes of verbs that only connect and ask. */
export const CONNECTED_CODES = {
  0: 'done',
  1: 'the server reported an error',
  3: 'no connection',
  4: 'not authorized',
  5: 'timed out',
} as const
