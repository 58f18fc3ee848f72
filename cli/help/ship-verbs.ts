// The verbs for servers that others will use.
import { OUTPUT } from './shared-options.ts'
import type { VerbDetails } from './verb-help.ts'

export const conformance: VerbDetails = {
  description:
    'Uses the suite that is installed in the project, or downloads it with npx after you confirm. The suite needs Node 22. Its scenarios call tools, resources and prompts by names of its own, such as test_simple_text. A server without them fails those scenarios.',
  usage: ['conformance <url>'],
  arguments: [{ name: '<url>', text: 'URL of the server' }],
  options: [
    { flags: '--suite <name>', text: 'Part of the suite to run (default: the one that the suite chooses)' },
    { flags: '-y, --yes', text: 'Download the suite without a question' },
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire conformance http://localhost:3000/mcp', notRun: 'it needs a running server and Node 22' },
    { command: 'mcpwire conformance :3000/mcp --suite all --yes', notRun: 'the same' },
  ],
  seeAlso: ['run', 'inspect'],
  exitCodes: { 0: 'all scenarios pass', 1: 'a scenario fails', 3: 'the suite cannot be started' },
}
