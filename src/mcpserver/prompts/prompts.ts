// The prompts of a server: registers and lists them, and gets their messages.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type {
  GetPromptRequestParams,
  GetPromptResult,
  ListPromptsResult,
  Prompt,
} from '../../types/features/prompts.ts'
import { readPromptOptions } from '../handlers/definition-options.ts'
import type { Host } from '../handlers/host.ts'
import { checkAccess } from '../lists/access.ts'
import { freezePage, Listing } from '../lists/listing.ts'
import { Registry } from '../lists/registry.ts'
import { explainIssues, nameOwner, validateArguments } from '../values/arguments.ts'
import { calling } from '../values/calling.ts'
import { isInputRequired } from '../values/input-required.ts'
import {
  type CompiledPrompt,
  compilePrompt,
  type PromptDefinition,
  type PromptHandle,
  type PromptParts,
} from './prompt.ts'

const NO_ARGUMENTS = Object.freeze({})

export class Prompts {
  readonly #host: Host
  readonly #onCompletable: () => void
  readonly #registry: Registry<CompiledPrompt>
  readonly #listing: Listing<CompiledPrompt, ListPromptsResult>

  /** `onCompletable` is called when a prompt has completers. */
  constructor(host: Host, onCompletable: () => void) {
    this.#host = host
    this.#onCompletable = onCompletable
    this.#registry = new Registry({
      kind: 'prompt',
      onDuplicate: host.onDuplicate,
      onChange: () => host.announce('promptsListChanged'),
    })
    this.#listing = new Listing(host, this.#registry, {
      list: 'prompts',
      toResult: (items, _structure, nextCursor) =>
        freezePage(
          'prompts',
          items.map(({ listed }) => listed),
          nextCursor,
        ),
    })
  }

  add({ name, options, run }: PromptDefinition): PromptHandle {
    const compile = (parts: PromptParts) => this.#compile(name, parts)
    const read = (changes: Partial<PromptParts>) => readPromptOptions(name, changes)
    return this.#registry.register(name, { ...read(options), run }, compile, read) as PromptHandle
  }

  list(request: ServerRequestContext, cursor: string | undefined): ListPromptsResult {
    return this.#listing.page(request, cursor)
  }

  /** A prompt as the caller's list shows it. */
  listed(name: string, request: ServerRequestContext): Prompt | undefined {
    return this.#listing.find(name, request)?.listed
  }

  /** As it is listed, whoever may see it. */
  known(name: string): Prompt | undefined {
    return this.#registry.find(name)?.listed
  }

  names(): readonly string[] {
    return this.#listing.keys()
  }

  /** The prompt of this name, if the caller can use it. */
  find(request: ServerRequestContext, name: string): CompiledPrompt | undefined {
    return checkAccess(this.#registry.find(name), request, this.#host)
  }

  /** The argument names of a prompt, for any caller; `undefined` if there is no prompt of this name. */
  argumentsOf(name: string): readonly string[] | undefined {
    const prompt = this.#registry.find(name)
    return prompt && [...prompt.argumentNames]
  }

  get(
    request: ServerRequestContext,
    { name, arguments: args = NO_ARGUMENTS }: GetPromptRequestParams,
  ): MaybePromise<GetPromptResult | InputRequiredResult> {
    const prompt = this.find(request, name)
    if (prompt === undefined) throw new MCPError(ErrorCode.InvalidParams, `Unknown ${nameOwner('prompt', name)}`)
    // Spec, Prompts: arguments are strings, so that other types have to be parsed from them. That is not worth a report.
    return whenDone(validateArguments(prompt.input, args, true), (validation) => {
      if (validation.ok) return this.#write(prompt, request, validation.value)
      throw new MCPError(ErrorCode.InvalidParams, explainIssues(prompt.owner, validation.issues))
    })
  }

  #compile(name: string, parts: PromptParts): CompiledPrompt {
    const compiled = compilePrompt(this.#host, name, parts)
    if (compiled.completers.size > 0) this.#onCompletable()
    return compiled
  }

  #write(
    prompt: CompiledPrompt,
    request: ServerRequestContext,
    args: unknown,
  ): MaybePromise<GetPromptResult | InputRequiredResult> {
    const { run, listed } = prompt
    const call = { host: this.#host, request, run, input: args, limit: undefined, collectsItems: false }
    return whenDone(calling.loaded.runHandler(call), (value) =>
      isInputRequired(value) ? value : calling.loaded.toPromptResult(value, listed.description),
    )
  }
}
