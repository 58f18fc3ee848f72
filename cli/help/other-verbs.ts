// The verbs about mcpwire itself.
import { OUTPUT } from './shared-options.ts'
import type { VerbHelp } from './verb-help.ts'

export const version: VerbHelp = {
  name: 'version',
  group: 'Other',
  summary: 'Print the versions of mcpwire, Node and the protocol',
  usage: ['version'],
  arguments: [],
  options: [],
  sharedOptions: [OUTPUT],
  examples: [{ command: 'mcpwire version' }, { command: 'mcpwire version --json' }],
  seeAlso: [],
  exitCodes: { 0: 'done' },
}
