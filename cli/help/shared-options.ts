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

export const TARGET: ArgumentHelp = {
  name: '<target>',
  text: 'URL, file with a server, @name of a configured server, or . for the project of this folder',
  kind: 'target',
}

/** The environment and the headers that a server gets. */
export const ENTRY_OPTIONS: OptionGroup['options'] = [
  { flags: '-e, --env <KEY=VALUE>', text: 'Environment variable for the server', repeats: true },
  { flags: '--env-file <file>', text: 'Read environment variables from a file', kind: 'file' },
  { flags: '-H, --header <header>', text: "HTTP header for a URL, as 'Name: value'", repeats: true },
]

export const SERVER_FILE: ArgumentHelp = {
  name: '<file>',
  text: 'JavaScript or TypeScript file; file:name to choose an export',
  kind: 'server-file',
}
