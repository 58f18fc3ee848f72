// What a client answers and hears: handlers by method in the SDK, options of the client here.
import type { CallExpression, Node } from 'ts-morph'
import type { Migration } from '../source/migration.ts'
import { usesOf } from '../source/names.ts'
import { type FunctionNode, is, isFunction, memberName, statementOf, unwrap } from '../source/nodes.ts'
import { methodOf } from './requests.ts'

export interface Callback {
  /** The option, the method of a notification for `onMessage`, or `onerror` and `onclose`. */
  readonly kind: string
  readonly handler: Node
  readonly statement: Node
}

const OPTIONS: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'onSampling',
  'elicitation/create': 'onElicitation',
  'roots/list': 'onListRoots',
  'notifications/message': 'onLog',
}

export function rewriteCallback(migration: Migration, call: CallExpression, what: string): Callback | undefined {
  const [schema, handler] = call.getArguments()
  const method = methodOf(migration, schema)
  migration.site(call, `client.${what}`)
  const isStatement = is(statementOf(call), 'ExpressionStatement')
  if (
    method === undefined ||
    handler === undefined ||
    !isStatement ||
    (OPTIONS[method] === undefined && !method.startsWith('notifications/'))
  ) {
    migration.mark(
      call,
      `client.${what}`,
      'callbacks are options of the client: onSampling, onElicitation, onListRoots, onLog, onMessage.',
    )
    return undefined
  }
  const option = OPTIONS[method]
  const fn = unwrap(handler)
  if (option !== undefined && isFunction(fn)) takeParams(migration, fn, method)
  return { kind: option ?? method, handler, statement: statementOf(call) }
}

/** `(request) => request.params.message` becomes `(params) => params.message`. */
function takeParams(migration: Migration, fn: FunctionNode, method: string): void {
  const [parameter] = fn.getParameters()
  const name = parameter?.getNameNode()
  if (parameter === undefined || name === undefined) return
  if (is(name, 'ObjectBindingPattern')) {
    const element = name
      .getElements()
      .find((one) => (one.getPropertyNameNode()?.getText() ?? one.getName()) === 'params')
    migration.replace(parameter, element?.getNameNode().getText() ?? '_params')
    return
  }
  if (!is(name, 'Identifier')) return
  migration.replace(parameter, 'params')
  for (const use of usesOf(name, migration.files)) {
    const access = use.getParent()
    if (memberName(access) === 'params' && access !== undefined) migration.replace(access, 'params')
    else if (memberName(access) === 'method' && access !== undefined) migration.replace(access, `'${method}'`)
    else migration.replace(use, `{ method: '${method}', params }`)
  }
}

function takesNothing(handler: Node): boolean {
  const fn = unwrap(handler)
  return isFunction(fn) && fn.getParameters().length === 0
}

/** The members of the options object. Notifications share `onMessage`. */
export function callbackOptions(migration: Migration, callbacks: readonly Callback[]): string[] {
  const parts: string[] = []
  const messages: string[] = []
  for (const { kind, handler } of callbacks) {
    const text = migration.text(handler)
    const isInline = isFunction(unwrap(handler))
    const called = isInline ? `(${text})` : text
    if (kind.startsWith('notifications/'))
      messages.push(`if (message.method === '${kind}') await ${called}(${takesNothing(handler) ? '' : 'message'})`)
    else if (kind === 'onerror')
      parts.push(`onFault: (fault) => ${called}(fault.error instanceof Error ? fault.error : new Error(fault.message))`)
    else if (kind === 'onclose') parts.push(`onConnection: (event) => { if (event.type === 'closed') ${called}() }`)
    else if (isInline) parts.push(`${kind}: ${text}`)
    else parts.push(`${kind}: (params) => ${text}({ params })`)
  }
  if (messages.length > 0) parts.push(`onMessage: async (message) => { ${messages.join('; ')} }`)
  return parts
}
