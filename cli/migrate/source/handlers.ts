// The functions that the SDK calls, and the parameters that they get here. Also gives a context to functions that need the client
// and are called by handlers.
import type { Node, ParameterDeclaration } from 'ts-morph'
import type { Kinds } from './kinds.ts'
import { type Migration, typed } from './migration.ts'
import { nameOfFunction, usesOf } from './names.ts'
import { descendants, type FunctionNode, is, isFunction } from './nodes.ts'

/** What a parameter of a handler is, in the SDK and here. */
export type Role = 'args' | 'uri' | 'variables' | 'request' | 'ctx' | 'params'

/** `high`: the `Context` of tools, resources and prompts. `low`: the `ServerRequestContext` of everything else. */
export type Level = 'high' | 'low'

export interface Handler {
  readonly fn: FunctionNode
  readonly level: Level
  /** The parameters as they are. */
  readonly from: readonly Role[]
  /** The parameters as they will be. */
  readonly to: readonly Role[]
  readonly contextName: string
  /** The name for `params`, where the handler had the whole request. */
  readonly paramsName: string
  readonly needed: Set<Role>
}

export interface FoundContext {
  readonly name: string
  readonly level: Level
}

interface Threaded {
  readonly name: string
  /** Where the context goes in the list of parameters. */
  readonly index: number
}

const PLACEHOLDERS: Readonly<Record<Role, string>> = {
  args: '_args',
  uri: '_uri',
  variables: '_variables',
  request: '_request',
  ctx: '_ctx',
  params: '_params',
}

export class Handlers {
  readonly #migration: Migration
  readonly #kinds: Kinds
  readonly #handlers = new Map<FunctionNode, Handler>()
  readonly #threaded = new Map<FunctionNode, Threaded | undefined>()

  constructor(migration: Migration, kinds: Kinds) {
    this.#migration = migration
    this.#kinds = kinds
  }

  get all(): Iterable<Handler> {
    return this.#handlers.values()
  }

  /** A function may be registered several times; the first registration decides. */
  add(fn: FunctionNode, level: Level, from: readonly Role[], to: readonly Role[]): Handler {
    const known = this.#handlers.get(fn)
    if (known !== undefined) return known
    const context = parameterOf(fn, from, 'ctx')
    const handler: Handler = {
      fn,
      level,
      from,
      to,
      contextName: is(context?.getNameNode(), 'Identifier') ? (context?.getName() ?? 'ctx') : freeName(fn, 'ctx'),
      paramsName: freeName(fn, 'params'),
      needed: new Set(),
    }
    this.#handlers.set(fn, handler)
    if (context !== undefined) this.#kinds.setParameter(context, level === 'high' ? 'extra' : 'low-extra')
    return handler
  }

  /** The context that code at this place has, or can be given. */
  contextAt(node: Node): FoundContext | undefined {
    const functions = node.getAncestors().filter(isFunction)
    for (const fn of functions) {
      const handler = this.#handlers.get(fn)
      if (handler !== undefined) {
        handler.needed.add('ctx')
        return { name: handler.contextName, level: handler.level }
      }
      const threaded = this.#threaded.get(fn)
      if (threaded !== undefined) return { name: threaded.name, level: 'low' }
    }
    const outermost = functions.at(-1)
    return outermost === undefined ? undefined : this.#thread(outermost)
  }

  /** Adds a parameter for the context to a function, and the argument to its calls. */
  #thread(fn: FunctionNode): FoundContext | undefined {
    const name = nameOfFunction(fn)
    if (name === undefined || this.#threaded.has(fn)) return undefined
    const calls = usesOf(name, this.#migration.files).map((use) => use.getParent())
    const threaded = { name: freeName(fn, 'ctx'), index: this.#indexAfterServer(fn) }
    // Known before its calls are looked at: they may be in the function itself.
    this.#threaded.set(fn, threaded)
    const found = calls.map((call) => ({ call, context: call === undefined ? undefined : this.contextAt(call) }))
    if (found.every(({ context }) => context === undefined)) {
      this.#threaded.set(fn, undefined)
      return undefined
    }
    for (const { call, context } of found) {
      if (!is(call, 'CallExpression')) continue
      if (context !== undefined) {
        this.#insertAt(
          call.getArguments(),
          threaded.index,
          call,
          context.level === 'high' ? `${context.name}.request` : context.name,
        )
      } else {
        this.#insertAt(call.getArguments(), threaded.index, call, 'undefined')
        this.#migration.mark(
          call,
          `${name.getText()}()`,
          `pass the context of a handler as ${threaded.name}: ${name.getText()} needs the client.`,
        )
      }
    }
    const file = fn.getSourceFile()
    const type = typed(file, 'ServerRequestContext')
    if (type !== '') this.#migration.use(file, 'ServerRequestContext', 'mcpwire/server', true)
    this.#insertAt(fn.getParameters(), threaded.index, fn, `${threaded.name}${type}`)
    return { name: threaded.name, level: 'low' }
  }

  #indexAfterServer(fn: FunctionNode): number {
    const index = fn.getParameters().findIndex((parameter) => {
      const kind = this.#kinds.of(parameter.getNameNode())
      return kind === 'mcp-server' || kind === 'low-server'
    })
    return index + 1
  }

  #insertAt(list: readonly Node[], index: number, owner: Node, text: string): void {
    const next = list[index]
    const previous = list[index - 1]
    if (next !== undefined) this.#migration.insertBefore(next, `${text}, `)
    else if (previous !== undefined) this.#migration.insertAfter(previous, `, ${text}`)
    else this.#migration.editsOf(owner.getSourceFile()).insert(openingOf(owner), text)
  }

  /** Writes the new parameters. */
  finish(): void {
    for (const handler of this.#handlers.values()) this.#writeParameters(handler)
  }

  #writeParameters(handler: Handler): void {
    const { fn, from, to, needed } = handler
    const parameters = fn.getParameters()
    const isSame = from.length === to.length && from.every((role, index) => role === to[index])
    const context = parameterOf(fn, from, 'ctx')
    const hasPattern = context !== undefined && !is(context.getNameNode(), 'Identifier')
    if (isSame && !hasPattern && (!needed.has('ctx') || context !== undefined)) return
    const texts = to.map((role) => this.#parameterText(handler, role))
    const last = texts.findLastIndex((text) => text !== undefined)
    const list = () =>
      texts
        .slice(0, last + 1)
        .map((text, index) => text?.() ?? this.#placeholder(fn, to[index] as Role))
        .join(', ')
    const edits = this.#migration.editsOf(fn.getSourceFile())
    const [first] = parameters
    const final = parameters.at(-1)
    if (first === undefined || final === undefined) {
      if (last >= 0) edits.insert(openingOf(fn), list)
      return
    }
    const isBare =
      is(fn, 'ArrowFunction') && !/\($/.test(fn.getSourceFile().getFullText().slice(0, first.getStart()).trimEnd())
    edits.replace(first.getStart(), final.getEnd(), () => (isBare ? `(${list()})` : list()))
  }

  #placeholder(fn: FunctionNode, role: Role): string {
    const isInline = is(fn.getParent(), 'CallExpression')
    return PLACEHOLDERS[role] + (isInline ? '' : typed(fn.getSourceFile(), 'unknown'))
  }

  /** `undefined` where the handler does not use it. */
  #parameterText(handler: Handler, role: Role): (() => string) | undefined {
    const { fn, from, needed, contextName, paramsName } = handler
    const parameter = parameterOf(fn, from, role)
    if (role === 'ctx') {
      if (parameter === undefined && !needed.has('ctx')) return undefined
      const type = parameter?.getTypeNode()
      return () => contextName + (type === undefined ? '' : `: ${this.#migration.text(type)}`)
    }
    if (role === 'params') {
      const request = parameterOf(fn, from, 'request')
      if (request === undefined || !needed.has('params')) return undefined
      const type = request.getTypeNode()
      const isInline = is(fn.getParent(), 'CallExpression')
      return () =>
        paramsPattern(request, paramsName) +
        (type === undefined || isInline ? '' : `: ${this.#migration.text(type)}['params']`)
    }
    return parameter === undefined ? undefined : () => this.#migration.text(parameter)
  }
}

export function parameterOf(fn: FunctionNode, from: readonly Role[], role: Role): ParameterDeclaration | undefined {
  const index = from.indexOf(role)
  return index < 0 ? undefined : fn.getParameters()[index]
}

/** `{ name }` of `({ params: { name } })`, or a name for the whole. */
function paramsPattern(request: ParameterDeclaration, paramsName: string): string {
  const pattern = request.getNameNode()
  if (!is(pattern, 'ObjectBindingPattern')) return paramsName
  const element = pattern
    .getElements()
    .find((one) => (one.getPropertyNameNode()?.getText() ?? one.getName()) === 'params')
  return element?.getNameNode().getText() ?? paramsName
}

/** The name, or one that the function does not declare. */
export function freeName(fn: FunctionNode, name: string): string {
  const taken = new Set(descendants(fn, 'Identifier').map((node) => node.getText()))
  const isDeclared = (text: string) =>
    taken.has(text) &&
    descendants(fn, 'Identifier').some((node) => {
      if (node.getText() !== text) return false
      const parent = node.getParent()
      return (
        (is(parent, 'VariableDeclaration') || is(parent, 'Parameter') || is(parent, 'BindingElement')) &&
        parent.getNameNode() === node
      )
    })
  for (const candidate of [name, `request${name[0]?.toUpperCase()}${name.slice(1)}`, `mcp${name}`]) {
    if (!isDeclared(candidate)) return candidate
  }
  return `${name}2`
}

/** Where the list of parameters or arguments begins. */
function openingOf(owner: Node): number {
  const open = owner.getChildren().find((child) => child.getKindName() === 'OpenParenToken')
  return open?.getEnd() ?? owner.getEnd()
}
