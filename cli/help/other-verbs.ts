// The verbs about mcpwire itself.
import { OUTPUT } from './shared-options.ts'
import type { VerbDetails } from './verb-help.ts'

export const completion: VerbDetails = {
  description:
    'Load it in the startup file of the shell. Names of tools, arguments and resources come from the last mcpwire list of a target; completing a word connects to nothing.',
  usage: ['completion bash|zsh|fish|powershell'],
  takesDashes: true,
  arguments: [{ name: '<shell>', text: 'Shell to complete in', choices: ['bash', 'zsh', 'fish', 'powershell'] }],
  options: [{ flags: '--current <word>', text: 'Word at the cursor, given by the scripts', isHidden: true }],
  sharedOptions: [OUTPUT],
  examples: [{ command: 'mcpwire completion bash' }, { command: 'mcpwire completion fish' }],
  seeAlso: [],
  exitCodes: { 0: 'done' },
}

export const version: VerbDetails = {
  usage: ['version'],
  arguments: [],
  options: [],
  sharedOptions: [OUTPUT],
  examples: [{ command: 'mcpwire version' }, { command: 'mcpwire version --json' }],
  seeAlso: [],
  exitCodes: { 0: 'done' },
}
