// `completion/complete`: finds the completer of an argument and calls it.
import { rangeError, typeError } from '../../primitives/help.ts'
import { checkKeys } from '../../primitives/options.ts'
import { list, quote } from '../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type {
  CompleteRequestParams,
  CompleteResult,
  PromptReference,
  ResourceTemplateReference,
} from '../../types/features/completion.ts'
import type { Host } from '../handlers/host.ts'
import { type Handle, Registry } from '../lists/registry.ts'
import type { Resources } from '../resources/resources.ts'
import { nameOwner } from '../values/arguments.ts'
import { calling } from '../values/calling.ts'
import { type Completer, toCompleteResult } from './completion.ts'
import type { Prompts } from './prompts.ts'

/** What to complete: an argument of a prompt, or a variable of a resource template. */
export type CompletionReference = PromptReference | ResourceTemplateReference

/** Returned by `server.completion()`: changes, disables or removes the completion. */
export type CompletionHandle<Life = unknown> = Handle<{ complete?: Completer<Life> }>

/** The arguments of a prompt or template, and their completers. */
interface Completable {
  readonly names: { has(name: string): boolean }
  readonly completers: ReadonlyMap<string, Completer>
}

const NO_SUGGESTIONS: readonly string[] = []
const NO_ARGUMENTS = Object.freeze({})

export class Completions {
  readonly #host: Host
  readonly #prompts: Prompts
  readonly #resources: Resources
  /** Registered with `server.completion()`. These go before the completers of prompts and templates. */
  readonly #registry: Registry<Completer>

  constructor(host: Host, prompts: Prompts, resources: Resources) {
    this.#host = host
    this.#prompts = prompts
    this.#resources = resources
    this.#registry = new Registry({ kind: 'completion', onDuplicate: host.onDuplicate, onChange: () => {} })
  }

  add(ref: CompletionReference, argument: string, complete: Completer): CompletionHandle {
    this.#checkArgument(ref, argument)
    return this.#registry.register(
      completionKey(ref, argument),
      { complete },
      (definition) => {
        if (typeof definition.complete !== 'function')
          throw typeError('bad-definition', 'The completer of server.completion() must be a function.')
        return definition.complete
      },
      checkCompletionChanges,
    )
  }

  /** A prompt or template that is not registered yet may have any argument. */
  #checkArgument(ref: CompletionReference, argument: string): void {
    const names = ref.type === 'ref/prompt' ? this.#prompts.argumentsOf(ref.name) : this.#resources.variablesOf(ref.uri)
    if (names === undefined || names.includes(argument)) return
    const owner = ref.type === 'ref/prompt' ? nameOwner('prompt', ref.name) : nameOwner('resource', ref.uri)
    throw rangeError(
      'bad-definition',
      `The ${owner} has no argument ${quote(argument)} to complete. It has ${names.length === 0 ? 'none' : list(names)}.`,
    )
  }

  async complete(
    request: ServerRequestContext,
    { ref, argument, context }: CompleteRequestParams,
  ): Promise<CompleteResult> {
    const known = this.#find(request, ref)
    if (known === undefined) throw new MCPError(ErrorCode.InvalidParams, 'Unknown prompt or resource template')
    if (!known.names.has(argument.name)) throw new MCPError(ErrorCode.InvalidParams, 'Unknown argument')
    const completer = this.#registry.find(completionKey(ref, argument.name)) ?? known.completers.get(argument.name)
    if (completer === undefined) return toCompleteResult(NO_SUGGESTIONS)
    const ctx = calling.loaded.createHandlerContext(this.#host, request)
    const given = { arguments: context?.arguments ?? NO_ARGUMENTS, ctx }
    const { ambient } = this.#host
    const { value } = argument
    const suggested = ambient === undefined ? completer(value, given) : ambient.run(ctx, () => completer(value, given))
    return toCompleteResult(await suggested)
  }

  #find(request: ServerRequestContext, ref: CompletionReference): Completable | undefined {
    if (ref.type === 'ref/prompt') {
      const prompt = this.#prompts.find(request, ref.name)
      return prompt && { names: prompt.argumentNames, completers: prompt.completers }
    }
    const template = this.#resources.findTemplate(request, ref.uri)
    return template && { names: new Set(template.matcher.variableNames), completers: template.completers }
  }
}

function checkCompletionChanges(changes: { complete?: Completer }): { complete?: Completer } {
  checkKeys('completion().update()', changes, { complete: true })
  return changes
}

function completionKey(ref: CompletionReference, argument: string): string {
  return JSON.stringify([ref.type, ref.type === 'ref/prompt' ? ref.name : ref.uri, argument])
}
