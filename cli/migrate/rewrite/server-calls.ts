// Calls on a server that concern its client. Here one server serves all clients, so that these need the context of a handler.
import type { CallExpression, Node } from 'ts-morph'
import type { FoundContext, Handlers, Level } from '../source/handlers.ts'
import { argumentList, readMessage, requestOptions } from '../source/messages.ts'
import { type Migration, member } from '../source/migration.ts'
import { is, literalText, memberName, membersOf, memberValue, statementOf, unwrap } from '../source/nodes.ts'
import { checkSessionId, rewriteQuestion, sessionIdText } from './contexts.ts'

const LIST_CHANGES: Readonly<Record<string, string>> = {
  sendToolListChanged: 'toolsListChanged',
  sendPromptListChanged: 'promptsListChanged',
  sendResourceListChanged: 'resourcesListChanged',
}

const NEEDS_CLIENT = new Set([
  'getClientCapabilities',
  'getClientVersion',
  'listRoots',
  'createMessage',
  'elicitInput',
  'sendLoggingMessage',
  'notification',
  'request',
  'ping',
])

export const SERVER_CALLS: ReadonlySet<string> = new Set([
  ...NEEDS_CLIENT,
  ...Object.keys(LIST_CHANGES),
  'sendResourceUpdated',
  'registerCapabilities',
  'isConnected',
])

export function rewriteServerCall(
  migration: Migration,
  handlers: Handlers,
  call: CallExpression,
  isHigh: boolean,
): void {
  const callee = call.getExpression()
  if (!is(callee, 'PropertyAccessExpression')) return
  const method = callee.getName()
  const [first] = call.getArguments()
  const receiver = callee.getExpression()
  const what = `server.${method}`
  migration.site(call, what)
  // `server.server` of an MCPServer stays the low-level server; the MCPServer has it as `server`.
  const low = () => (isHigh ? `${migration.text(receiver)}.server` : migration.text(receiver))
  const change = LIST_CHANGES[method]
  if (change !== undefined) {
    migration.replace(call, () => `${low()}.announce({ type: '${change}' })`)
    return
  }
  const updated = method === 'sendResourceUpdated' ? first : updatedResource(migration, method, first)
  if (updated !== undefined) {
    const uri = uriText(migration, updated)
    migration.replace(call, () => `${low()}.announce({ type: 'resourceUpdated', ${member('uri', uri())} })`)
    return
  }
  if (method === 'registerCapabilities') {
    // Capabilities follow from what is registered.
    const statement = statementOf(call)
    if (is(statement, 'ExpressionStatement')) migration.removeStatement(statement)
    return
  }
  if (NEEDS_CLIENT.has(method)) rewriteClientCall(migration, handlers, call, method)
  else migration.mark(call, what, `${method} has no counterpart: one server serves all clients here.`)
}

/** `notification({ method: 'notifications/resources/updated', params })`. */
function updatedResource(migration: Migration, method: string, message: Node | undefined): Node | undefined {
  if (method !== 'notification' || message === undefined) return undefined
  const parts = readMessage(migration, message)
  return parts?.method === 'notifications/resources/updated' ? parts.params : undefined
}

function uriText(migration: Migration, params: Node): () => string {
  const object = unwrap(params)
  const uri = is(object, 'ObjectLiteralExpression') ? memberValue(membersOf(object).get('uri')) : undefined
  return () => (uri === undefined ? `${migration.text(params)}.uri` : migration.text(uri))
}

function rewriteClientCall(migration: Migration, handlers: Handlers, call: CallExpression, method: string): void {
  const what = `server.${method}`
  const context = handlers.contextAt(call)
  if (context === undefined) {
    migration.mark(
      call,
      what,
      `${method} needs the client: call it in a handler, on its ctx. One server serves all clients here.`,
    )
    return
  }
  const { name, level } = context
  const [first, second] = call.getArguments()
  const plain = plainCall(method, name, level)
  if (plain !== undefined) {
    migration.replace(call, plain)
    return
  }
  if (method === 'createMessage' || method === 'elicitInput') {
    const question = method === 'createMessage' ? 'sampling/createMessage' : 'elicitation/create'
    rewriteQuestion(migration, call, question, name, level)
    return
  }
  if (method === 'sendLoggingMessage') {
    rewriteLog(migration, call, context, first)
    return
  }
  const message = first === undefined ? undefined : readMessage(migration, first)
  if (message === undefined) {
    migration.mark(call, what, `use ${name}.session.sendNotification(method, params) or sendRequest(method, params).`)
    return
  }
  const isRequest = method === 'request'
  const options = isRequest
    ? requestOptions(migration, call.getArguments()[2] ?? (literalText(second) === undefined ? undefined : second))
    : undefined
  const verb = isRequest ? 'sendRequest' : 'sendNotification'
  // `{ relatedRequestId: extra.requestId }` is the rule here.
  const isApart = second === undefined && message.method !== 'notifications/message'
  const unrelated = isRequest ? options : isApart ? () => '{ related: false }' : undefined
  migration.replace(
    call,
    () =>
      `${name}.session.${verb}(${argumentList([message.methodText, message.paramsText ?? (() => 'undefined'), unrelated])})`,
  )
}

function plainCall(method: string, name: string, level: Level): string | undefined {
  if (method === 'getClientCapabilities') return `${name}.clientCapabilities`
  if (method === 'getClientVersion') return `${name}.clientInfo`
  if (method === 'ping') return `${name}.session.sendPing()`
  if (method === 'listRoots') return level === 'high' ? `${name}.listRoots()` : `${name}.session.listRoots()`
  return undefined
}

/** Sent with the request, where the SDK sends it apart: modern clients get no messages but those of their requests. */
function rewriteLog(
  migration: Migration,
  call: CallExpression,
  { name, level }: FoundContext,
  params: Node | undefined,
): void {
  if (params === undefined) return
  const object = unwrap(params)
  if (!is(object, 'ObjectLiteralExpression')) {
    migration.replace(
      call,
      () => `${name}.session.sendNotification('notifications/message', ${migration.text(params)})`,
    )
    return
  }
  const members = membersOf(object)
  const part = (member: string) => {
    const value = memberValue(members.get(member))
    return value === undefined ? 'undefined' : migration.text(value)
  }
  const log = level === 'high' ? `${name}.log` : `${name}.session.sendLogMessage`
  const values = [() => part('level'), () => part('data'), members.has('logger') ? () => part('logger') : undefined]
  migration.replace(call, () => `${log}(${argumentList(values)})`)
}

/** `server.server.transport?.sessionId`. */
export function rewriteTransportAccess(migration: Migration, handlers: Handlers, access: Node): void {
  const outer = access.getParent()
  if (memberName(outer) !== 'sessionId' || outer === undefined) {
    migration.mark(
      access,
      'server.transport',
      'a server has no transport of its own here. In a handler, ctx.http has the headers of the request.',
    )
    return
  }
  const context = handlers.contextAt(access)
  if (context === undefined) {
    migration.mark(access, 'server.transport', 'read the session id in a handler: ctx.http?.headers["mcp-session-id"].')
    return
  }
  const { name, level } = context
  migration.site(access, 'server.transport')
  checkSessionId(migration, access, name)
  migration.replace(outer, sessionIdText(name, level))
}
