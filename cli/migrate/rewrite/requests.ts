// Handlers by method: `setRequestHandler` and `setNotificationHandler` of servers.
import type { CallExpression, Node } from 'ts-morph'
import type { Handler, Handlers } from '../source/handlers.ts'
import { lineEnd, lineIndent, type Migration } from '../source/migration.ts'
import { nameOfFunction, resolveFunction, usesOf } from '../source/names.ts'
import {
  descendants,
  type FunctionNode,
  is,
  isFunction,
  isTypeScript,
  literalText,
  memberName,
  statementOf,
} from '../source/nodes.ts'
import { METHOD_OF_SCHEMA } from '../source/sdk-names.ts'

/** Methods that an `MCPServer` answers by itself. A handler of the author's watches them. */
const WATCHED: Readonly<Record<string, string>> = {
  'resources/subscribe': '{ uri: string }',
  'resources/unsubscribe': '{ uri: string }',
  'logging/setLevel': '{ level: string }',
}

/** The method that the first argument stands for: a schema of v1, the method itself in v2. */
export function methodOf(migration: Migration, argument: Node | undefined): string | undefined {
  return literalText(argument) ?? METHOD_OF_SCHEMA.get(migration.sdkName(argument) ?? '')
}

export function rewriteHandlerCall(
  migration: Migration,
  handlers: Handlers,
  call: CallExpression,
  isOfMcpServer: boolean,
): void {
  const [schema, run] = call.getArguments()
  const what = memberName(call.getExpression()) ?? 'setRequestHandler'
  migration.site(call, what)
  const method = methodOf(migration, schema)
  if (schema === undefined || run === undefined || method === undefined) {
    migration.mark(call, what, 'the first argument is the method as text, and the handler gets (ctx, params).')
    return
  }
  const fn = resolveFunction(run)
  if (isOfMcpServer && WATCHED[method] !== undefined && fn !== undefined && fn === run && is(fn.getBody(), 'Block')) {
    watchMethod(migration, handlers, call, fn, method)
    return
  }
  migration.replace(schema, `'${method}'`)
  if (fn === undefined) {
    migration.mark(call, what, 'the handler gets (ctx, params), not (request, extra).')
    return
  }
  // A function without parameters that is called elsewhere too stays as it is.
  if (fn.getParameters().length === 0 && isCalledElsewhere(migration, fn)) return
  const isNotification = what === 'setNotificationHandler'
  const handler = handlers.add(fn, 'low', isNotification ? ['request'] : ['request', 'ctx'], ['ctx', 'params'])
  rewriteRequestUses(migration, handler, method)
}

function isCalledElsewhere(migration: Migration, fn: FunctionNode): boolean {
  const name = nameOfFunction(fn)
  return name !== undefined && usesOf(name, migration.files).length > 1
}

/** `request.params` is `params`, `request.method` is known. */
function rewriteRequestUses(migration: Migration, handler: Handler, method: string): void {
  const parameter = handler.fn.getParameters()[0]
  const name = parameter?.getNameNode()
  if (is(name, 'ObjectBindingPattern')) {
    const names = name.getElements().map((element) => element.getPropertyNameNode()?.getText() ?? element.getName())
    if (names.includes('params')) handler.needed.add('params')
    for (const element of name.getElements()) {
      const local = element.getNameNode()
      if (element.getName() !== 'method' || !is(local, 'Identifier')) continue
      for (const use of usesOf(local, migration.files)) migration.replace(use, `'${method}'`)
    }
    return
  }
  if (!is(name, 'Identifier')) return
  for (const use of usesOf(name, migration.files)) {
    const access = use.getParent()
    if (memberName(access) === 'method' && access !== undefined) {
      migration.replace(access, `'${method}'`)
      continue
    }
    handler.needed.add('params')
    if (memberName(access) === 'params' && access !== undefined) replaceParams(migration, access, handler.paramsName)
    else migration.replace(use, `{ method: '${method}', params: ${handler.paramsName} }`)
  }
}

/** `request.params?.cursor`: params are always there for a handler. */
function replaceParams(migration: Migration, access: Node, name: string): void {
  migration.replace(access, name)
}

/** Subscriptions and log levels work by themselves here; what the author did besides goes into a middleware. */
function watchMethod(
  migration: Migration,
  handlers: Handlers,
  call: CallExpression,
  fn: FunctionNode,
  method: string,
): void {
  const callee = call.getExpression()
  const body = fn.getBody()
  if (!is(callee, 'PropertyAccessExpression') || !is(body, 'Block')) return
  const file = call.getSourceFile()
  const handler = handlers.add(fn, 'low', ['request', 'ctx'], ['request', 'ctx'])
  const [request, context] = fn.getParameters()
  const contextName = is(context?.getNameNode(), 'Identifier') ? (context?.getName() ?? 'ctx') : handler.contextName
  const end = lineEnd(file)
  for (const node of returnsIn(fn)) migration.replace(node, `return next()${end}`)
  const statements = body.getStatements()
  const [first] = statements
  const indent = first === undefined ? '  ' : lineIndent(first)
  const outer = lineIndent(statementOf(call))
  const cast = isTypeScript(file) ? ` as unknown as ${WATCHED[method]}` : ''
  const pattern = request === undefined ? undefined : request.getNameNode().getText()
  const last = statements.at(-1)
  migration.editsOf(file).replace(callee.getNameNode().getStart(), call.getEnd(), () => {
    const lines = [`if (${contextName}.method !== '${method}') return next()${end}`]
    if (pattern !== undefined)
      lines.push(`const ${pattern} = { method: ${contextName}.method, params: ${contextName}.params${cast} }${end}`)
    if (first !== undefined && last !== undefined)
      lines.push(migration.editsOf(file).render(first.getStart(true), last.getEnd()))
    if (!is(last, 'ReturnStatement')) lines.push(`return next()${end}`)
    return `use(async (${contextName}, next) => {\n${lines.map((line) => indent + line).join('\n')}\n${outer}})`
  })
  migration.note(
    `A handler of ${method} watches the method now: mcpwire answers it. Clients of 2026-07-28 subscribe by subscriptions/listen instead, which it does not see.`,
  )
}

function returnsIn(fn: FunctionNode): Node[] {
  return descendants(fn, 'ReturnStatement').filter((node) => node.getAncestors().find(isFunction) === fn)
}

/** `server.oninitialized = …` is the handler of a notification. */
export function rewriteInitialized(migration: Migration, handlers: Handlers, target: Node, value: Node): void {
  const assignment = target.getParentOrThrow()
  migration.site(assignment, 'oninitialized')
  if (!is(target, 'PropertyAccessExpression')) return
  const fn = resolveFunction(value)
  if (fn !== undefined) handlers.add(fn, 'low', [], ['ctx'])
  if (fn !== undefined && registers(fn)) {
    migration.mark(
      assignment,
      'oninitialized',
      'this registers again for every client, and one server serves all of them. Register once, with visible: (ctx) => … on what some clients do not get.',
    )
  }
  migration
    .editsOf(target.getSourceFile())
    .replace(target.getNameNode().getStart(), value.getStart(), "setNotificationHandler('notifications/initialized', ")
  migration.insertAfter(value, ')')
  migration.note('notifications/initialized exists on legacy connections only: clients of 2026-07-28 do not send it.')
}

/** Whether a function registers tools, prompts or resources, itself or through functions that it calls. */
function registers(fn: FunctionNode, depth = 0): boolean {
  return descendants(fn, 'CallExpression').some((call) => {
    if (/^register(?:Tool|Prompt|Resource|ToolTask)$/.test(memberName(call.getExpression()) ?? '')) return true
    const called = depth < 4 ? resolveFunction(call.getExpression()) : undefined
    return called !== undefined && called !== fn && registers(called, depth + 1)
  })
}
