// What listings say about tools: which arguments are mirrored in headers, and the schema against which structured output is
// checked.
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import type { SchemaValidator } from '../../schema/json-schema.ts'
import { isEqual } from '../../schema/json-schema.ts'
import type { LateEngine } from '../../schema/late-engine.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type {
  CallToolResult,
  ListToolsResult,
  Tool,
  ToolExecution,
  ToolOutputSchema,
} from '../../types/features/tools.ts'
import { type HeaderAnnotation, readHeaderAnnotations } from '../../wire/headers/header-annotations.ts'

/** Tools remembered at once. Beyond that the one listed longest ago is forgotten. */
const MAX_TOOLS = 10_000
const MAX_NAME_LENGTH = 128

const NO_ANNOTATIONS: readonly HeaderAnnotation[] = []
const NOT_MIRRORED = { ok: true, annotations: NO_ANNOTATIONS } as const

interface KnownTool {
  readonly annotations: readonly HeaderAnnotation[]
  readonly outputSchema: ToolOutputSchema | undefined
  /** Whether the listing says that calling it twice does no more than calling it once. */
  readonly isRepeatable: boolean
  readonly taskSupport: ToolExecution['taskSupport']
  /** Compiled for the first result. */
  validator: SchemaValidator | undefined
}

interface LearnOptions {
  /** The listing is complete: tools that it does not name are gone. */
  readonly isComplete: boolean
  /** Arguments are mirrored in headers: tools whose annotations are invalid are left out. */
  readonly mirrorsArguments: boolean
}

export class ToolCatalog {
  #tools = new Map<string, KnownTool>()
  readonly #engine: LateEngine
  readonly #faults: FaultReporter

  constructor(engine: LateEngine, faults: FaultReporter) {
    this.#engine = engine
    this.#faults = faults
  }

  knows(name: string): boolean {
    return this.#tools.has(name)
  }

  /** Returns the listing without the tools that cannot be called. The given listing is not changed. */
  learn(listing: ListToolsResult, { isComplete, mirrorsArguments }: LearnOptions): ListToolsResult {
    const before = this.#tools
    if (isComplete) this.#tools = new Map()
    const tools = listing.tools.filter((tool) => this.#learnTool(tool, mirrorsArguments, before))
    return tools.length === listing.tools.length ? listing : { ...listing, tools }
  }

  /** The arguments that are mirrored in headers; none for an unknown tool. */
  annotationsOf(name: unknown): readonly HeaderAnnotation[] {
    return this.#tools.get(name as string)?.annotations ?? NO_ANNOTATIONS
  }

  /** Whether the tool is known and listed as read-only or idempotent. */
  isRepeatable(name: string): boolean {
    return this.#tools.get(name)?.isRepeatable ?? false
  }

  /** What the listing says about calling the tool as a task (2025-11-25). */
  taskSupportOf(name: string): ToolExecution['taskSupport'] {
    return this.#tools.get(name)?.taskSupport
  }

  /** Throws or rejects with `InvalidResultError` when the tool has an output schema and the result does not fit it. */
  checkResult(name: string, result: CallToolResult): Promise<void> | undefined {
    const tool = this.#tools.get(name)
    if (tool?.outputSchema === undefined) return undefined
    if (!Object.hasOwn(result, 'structuredContent')) {
      throw invalidContent(name, 'is missing although the tool has an output schema')
    }
    const { structuredContent } = result
    if (this.#engine.tellsFit?.(tool.outputSchema, structuredContent)) return undefined
    const validator = this.#validatorOf(name, tool, tool.outputSchema)
    if (isThenable(validator)) return this.#checkLater(name, validator, structuredContent)
    requireFit(name, validator, structuredContent)
    return undefined
  }

  /** Whether the tool can be offered. */
  #learnTool(tool: Tool, mirrorsArguments: boolean, before: ReadonlyMap<string, KnownTool>): boolean {
    const reading = mirrorsArguments ? readHeaderAnnotations(tool.inputSchema) : NOT_MIRRORED
    if (!reading.ok) {
      this.#tools.delete(tool.name)
      const message = `The tool ${quoteName(tool.name)} was left out of the listing: ${reading.reason}`
      this.#faults.report({ kind: 'invalid-message', message, method: 'tools/list' })
      return false
    }
    this.#remember(tool, reading.annotations, before.get(tool.name))
    return true
  }

  #remember(tool: Tool, annotations: readonly HeaderAnnotation[], known: KnownTool | undefined): void {
    const { name, outputSchema } = tool
    const validator = known?.validator
    const facts: KnownTool = {
      annotations,
      outputSchema,
      isRepeatable: tool.annotations?.readOnlyHint === true || tool.annotations?.idempotentHint === true,
      taskSupport: tool.execution?.taskSupport,
      validator: validator !== undefined && isEqual(known?.outputSchema, outputSchema) ? validator : undefined,
    }
    // The last of the map is the one that was listed last.
    this.#tools.delete(name)
    this.#tools.set(name, facts)
    if (this.#tools.size <= MAX_TOOLS) return
    for (const oldest of this.#tools.keys()) {
      this.#tools.delete(oldest)
      break
    }
  }

  #validatorOf(name: string, tool: KnownTool, schema: ToolOutputSchema): MaybePromise<SchemaValidator> {
    if (tool.validator !== undefined) return tool.validator
    try {
      const validator = this.#engine.compile(schema)
      if (!isThenable(validator)) tool.validator = validator
      return validator
    } catch (cause) {
      throw uncheckable(name, cause)
    }
  }

  async #checkLater(name: string, loading: PromiseLike<SchemaValidator>, content: unknown): Promise<void> {
    const validator = await Promise.resolve(loading).catch((cause: unknown) => {
      throw uncheckable(name, cause)
    })
    requireFit(name, validator, content)
  }
}

function requireFit(name: string, validator: SchemaValidator, content: unknown): void {
  const problem = findProblem(name, validator, content)
  if (problem !== undefined) throw invalidContent(name, `does not fit its output schema: ${problem}`)
}

function findProblem(name: string, validator: SchemaValidator, content: unknown): string | undefined {
  try {
    return validator.validate(content)[0]?.message
  } catch (cause) {
    throw uncheckable(name, cause)
  }
}

/** Content that cannot be checked is not trusted. */
function uncheckable(name: string, cause: unknown): InvalidResultError {
  return invalidContent(name, 'cannot be checked: the output schema of the tool is unusable or too costly', cause)
}

function invalidContent(name: string, problem: string, cause?: unknown): InvalidResultError {
  const message = `The structuredContent of tool ${quoteName(name)} ${problem}`
  return new InvalidResultError(message, 'structuredContent', cause === undefined ? undefined : { cause })
}

function quoteName(name: string): string {
  return JSON.stringify(name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name)
}
