// The verbs that keep and forget logins.
import { OUTPUT } from './shared-options.ts'
import type { OptionHelp, VerbDetails } from './verb-help.ts'

const URL_TARGET = {
  name: '[target]',
  text: 'URL, or @name of a configured server with a URL',
  kind: 'target',
} as const

const STATUS: OptionHelp = { flags: '--status', text: 'Print the kept login; exit code 4 if there is none' }
const CONFIG: OptionHelp = { flags: '--config <file>', text: 'Config file that lists the server', kind: 'file' }

export const login: VerbDetails = {
  description:
    'Opens the login page in the browser. The tokens are kept in a file that only you can read, one per server, and are refreshed when they expire.',
  usage: ['login <target>'],
  arguments: [URL_TARGET],
  options: [
    { flags: '--scope <scope>', text: 'Scope to request (default: those that the server names)', repeats: true },
    {
      flags: '--client-id <id>',
      text: 'Client that you registered; its secret, if any, in MCPWIRE_CLIENT_SECRET',
    },
    { flags: '--redirect-uri <uri>', text: 'Redirect URI that you registered for the client (default: any free port)' },
    { flags: '--assume-pkce', text: 'Use PKCE although the authorization server does not list it' },
    { flags: '--no-resource', text: 'Leave out the resource parameter, if the authorization server refuses it' },
    { flags: '--param <key=value>', text: 'Further parameter of the login page, such as audience', repeats: true },
    { flags: '--no-open', text: 'Print the URL of the login page and open no browser' },
    STATUS,
    CONFIG,
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire login https://example.com/mcp', notRun: 'it connects to a server on the internet' },
    {
      command: 'mcpwire login https://example.com/mcp --scope read --scope write',
      notRun: 'it connects to a server on the internet',
    },
    {
      command: 'mcpwire login https://example.com/mcp --client-id 1a2b --redirect-uri http://localhost:8976/callback',
      notRun: 'it connects to a server on the internet',
    },
    { command: 'mcpwire login https://example.com/mcp --status', notRun: 'it needs a login' },
  ],
  seeAlso: ['logout', 'doctor'],
  exitCodes: { 0: 'logged in', 3: 'no connection', 4: 'the login was refused, or there is none', 5: 'timed out' },
}

export const logout: VerbDetails = {
  usage: ['logout <target>'],
  arguments: [URL_TARGET],
  options: [STATUS, CONFIG],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire logout https://example.com/mcp' },
    { command: 'mcpwire logout https://example.com/mcp --json' },
  ],
  seeAlso: ['login'],
  exitCodes: { 0: 'forgotten' },
}
