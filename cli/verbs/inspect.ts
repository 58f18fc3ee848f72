// mcpwire inspect: the web inspector on a terminal; what `list --all --json` prints otherwise. Its old options are other verbs now.
import { usageFailure } from '../terminal/failure.ts'
import { showText } from '../terminal/terminal-text.ts'
import type { InspectPageOptions } from './inspect-page.ts'
import type { Invocation } from './shared/invocation.ts'

export interface InspectOptions extends InspectPageOptions {
  /** Old options: `call`, `read` and `prompt` are verbs. */
  call?: string
  read?: string
  prompt?: string
  arg?: readonly string[]
  args?: string
}

const OLD_FORMS = ['call', 'read', 'prompt'] as const

export async function inspectVerb(invocation: Invocation<InspectOptions>): Promise<number> {
  const { options, output } = invocation
  const forms = OLD_FORMS.filter((name) => options[name] !== undefined)
  const [form, second] = forms
  if (second !== undefined) throw usageFailure('--call, --read and --prompt exclude each other.')
  if (form !== undefined) return runOldForm(form, invocation)
  if (options.arg !== undefined || options.args !== undefined) {
    throw usageFailure('--arg and --args need --call or --prompt.')
  }
  const isForPage =
    options.open === false || options.allowRemote === true || options.port !== undefined || options.host !== undefined
  if (!output.isJSON && (output.isTerminal || isForPage))
    return (await import('./inspect-page.ts')).inspectPage(invocation)
  const { listVerb } = await import('./list.ts')
  return listVerb({ ...invocation, options: { ...options, all: true }, output: { ...output, isJSON: true } })
}

async function runOldForm(form: (typeof OLD_FORMS)[number], invocation: Invocation<InspectOptions>): Promise<number> {
  const { words, afterDashes, options, output } = invocation
  const { [form]: name = '', arg = [] } = options
  if (form === 'read' && (arg.length > 0 || options.args !== undefined)) {
    throw usageFailure('--arg and --args need --call or --prompt.')
  }
  const typed = [name, ...arg]
  const isTargetTyped = afterDashes === undefined && options.config === undefined
  const [target, ...more] = words
  const moved = isTargetTyped && target !== undefined ? [target, ...typed, ...more] : [...typed, ...words]
  const shown = afterDashes === undefined ? moved : [...moved, '--', ...afterDashes]
  output.note(showText(`mcpwire: --${form} is now a command: mcpwire ${[form, ...shown].map(quoteWord).join(' ')}`))
  const { arg: _arg, call: _call, read: _read, prompt: _prompt, ...rest } = options
  const next = { ...invocation, words: moved, options: rest }
  if (form === 'call') return (await import('./call.ts')).callVerb(next)
  if (form === 'read') return (await import('./read.ts')).readVerb(next)
  return (await import('./prompt.ts')).promptVerb(next)
}

/** As a shell takes it for one word. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
