// Tools and prompts: `registerTool`, `registerPrompt`, and the older `tool` and `prompt` with their many forms.
import type { CallExpression, NewExpression, Node, ObjectLiteralExpression } from 'ts-morph'
import type { Handlers } from '../source/handlers.ts'
import type { Migration } from '../source/migration.ts'
import { resolveFunction, resolveObject } from '../source/names.ts'
import {
  descendants,
  type FunctionNode,
  hasSpread,
  is,
  isFunction,
  membersOf,
  memberValue,
  unwrap,
} from '../source/nodes.ts'
import { rewriteSchema } from './schemas.ts'

type Feature = 'tool' | 'prompt'

const CONFIG_NAMES: Readonly<Record<string, string>> = {
  inputSchema: 'input',
  outputSchema: 'output',
  argsSchema: 'input',
  _meta: 'meta',
}

/** `execution` is for tasks: task-tools.ts replaces it. */
const KNOWN = new Set(['title', 'description', 'annotations', 'icons', 'input', 'output', 'meta', 'execution'])
const SCHEMAS = new Set(['inputSchema', 'outputSchema', 'argsSchema'])
const ANNOTATIONS = new Set(['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'])

export class Registrations {
  readonly #migration: Migration
  readonly #handlers: Handlers
  /** Objects that several calls share are changed once. */
  readonly #configs = new Set<ObjectLiteralExpression>()
  readonly #errors = new Set<NewExpression>()

  constructor(migration: Migration, handlers: Handlers) {
    this.#migration = migration
    this.#handlers = handlers
  }

  rewrite(call: CallExpression, method: 'tool' | 'prompt' | 'registerTool' | 'registerPrompt'): void {
    const feature: Feature = method === 'tool' || method === 'registerTool' ? 'tool' : 'prompt'
    const args = call.getArguments()
    this.#migration.site(call, `server.${method}`)
    const callee = call.getExpression()
    if (is(callee, 'PropertyAccessExpression') && method !== feature)
      this.#migration.replace(callee.getNameNode(), feature)
    const run = args.at(-1)
    if (run === undefined || args.length < 2) return
    const hasInput =
      method === feature
        ? this.#gatherOptions(feature, args.slice(1, -1))
        : this.#config(call, feature, args[1] as Node)
    this.#handler(call, feature, run, hasInput)
  }

  /** The second argument of `registerTool`. Returns whether it has a schema of arguments; `undefined` where that is not known. */
  #config(call: CallExpression, feature: Feature, config: Node): boolean | undefined {
    const object = resolveObject(config)
    if (object === undefined) {
      this.#migration.mark(
        call,
        `server.${feature}`,
        `the options are not written here. Their schemas must be whole (z.object), and _meta is meta${feature === 'prompt' ? ', argsSchema is input' : ''}.`,
      )
      return undefined
    }
    if (!this.#configs.has(object)) {
      this.#configs.add(object)
      this.rewriteConfig(object, call, feature)
    }
    const names = membersOf(object)
    if (names.has('inputSchema') || names.has('argsSchema')) return true
    return hasSpread(object) ? undefined : false
  }

  rewriteConfig(object: ObjectLiteralExpression, call: Node, feature: Feature): void {
    for (const [name, property] of membersOf(object)) {
      const renamed = CONFIG_NAMES[name] ?? name
      const value = memberValue(property)
      if (is(property, 'ShorthandPropertyAssignment')) {
        if (renamed !== name) this.#migration.insertBefore(property, `${renamed}: `)
      } else if (is(property, 'PropertyAssignment') && renamed !== name) {
        this.#migration.replace(property.getNameNode(), renamed)
      }
      if (SCHEMAS.has(name) && value !== undefined) rewriteSchema(this.#migration, value, `server.${feature}`)
      if (!KNOWN.has(renamed)) {
        this.#migration.mark(call, `server.${feature}`, `the option ${name} has no counterpart here. Remove it.`)
      }
    }
  }

  /** `tool(name, description?, schema?, annotations?, run)`: one object of what is between the name and the function. */
  #gatherOptions(feature: Feature, between: readonly Node[]): boolean | undefined {
    const [first] = between
    const last = between.at(-1)
    if (first === undefined || last === undefined) return false
    let hasInput = false
    between.forEach((arg, index) => {
      const isText = isString(arg)
      const isSchema = !isText && !hasInput && !(feature === 'tool' && looksLikeAnnotations(arg))
      const name = isText ? 'description' : isSchema ? 'input' : 'annotations'
      if (isSchema) hasInput = true
      this.#migration.insertBefore(arg, `${index === 0 ? '{ ' : ''}${name}: `)
      if (isSchema) rewriteSchema(this.#migration, arg, `server.${feature}`)
    })
    this.#migration.insertAfter(last, ' }')
    return hasInput
  }

  /** Without a schema the SDK calls the function with `extra` alone. */
  #handler(call: CallExpression, feature: Feature, run: Node, hasInput: boolean | undefined): void {
    const fn = resolveFunction(run)
    if (fn === undefined) {
      if (hasInput === false && !isFunction(unwrap(run))) {
        this.#migration.mark(
          call,
          `server.${feature}`,
          'the function gets (args, ctx) here, also without a schema. The SDK called it with extra alone.',
        )
      }
      return
    }
    const takesArguments =
      hasInput ?? (fn.getParameters().length > 1 || !is(fn.getParameters()[0]?.getNameNode(), 'Identifier'))
    this.#handlers.add(fn, 'high', takesArguments ? ['args', 'ctx'] : ['ctx'], ['args', 'ctx'])
    if (feature === 'tool') this.#throws(fn)
  }

  /** The model reads the message of a `ToolError` as it is. */
  #throws(fn: FunctionNode): void {
    for (const creation of descendants(fn, 'NewExpression')) {
      const isThrown = creation.getParent()?.getKindName() === 'ThrowStatement'
      const name = creation.getExpression()
      if (!isThrown || name.getText() !== 'Error' || this.#errors.has(creation)) continue
      this.#errors.add(creation)
      this.#migration.replace(name, this.#migration.use(fn.getSourceFile(), 'ToolError', 'mcpwire'))
    }
  }
}

function isString(node: Node): boolean {
  const inner = unwrap(node)
  return (
    /String|Template/.test(inner.getKindName()) || (!is(inner, 'ObjectLiteralExpression') && inner.getType().isString())
  )
}

function looksLikeAnnotations(node: Node): boolean {
  const object = resolveObject(node)
  if (object === undefined || object.getProperties().length === 0) return false
  return [...membersOf(object)].every(([name, property]) => {
    const kind = memberValue(property)?.getKindName() ?? ''
    return ANNOTATIONS.has(name) && /^(?:TrueKeyword|FalseKeyword|StringLiteral)$/.test(kind)
  })
}
