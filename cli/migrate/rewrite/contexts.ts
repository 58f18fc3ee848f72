// The second argument of handlers: `extra` in v1 and `ctx` in v2 of the SDK, the context here.
import type { CallExpression, Identifier, Node, ParameterDeclaration } from 'ts-morph'
import type { Handlers, Level } from '../source/handlers.ts'
import type { Kinds } from '../source/kinds.ts'
import { argumentList, type MessageParts, readMessage, requestOptions } from '../source/messages.ts'
import type { Migration } from '../source/migration.ts'
import { usesOf } from '../source/names.ts'
import { is, literalText, memberName, membersOf, memberValue } from '../source/nodes.ts'
import { ownPlace } from './shared-state.ts'

/** Members of `ctx.mcpReq` and `ctx.http` in v2, by their name in v1. */
const OF_V2: Readonly<Record<string, string>> = {
  'mcpReq.id': 'requestId',
  'mcpReq.signal': 'signal',
  'mcpReq._meta': '_meta',
  'mcpReq.notify': 'sendNotification',
  'mcpReq.send': 'sendRequest',
  'mcpReq.log': 'log',
  'mcpReq.elicitInput': 'elicitInput',
  'mcpReq.requestSampling': 'requestSampling',
  'mcpReq.inputResponses': 'inputResponses',
  'mcpReq.method': 'method',
  'http.authInfo': 'authInfo',
  'http.closeSSE': 'closeSSEStream',
}

export function rewriteContexts(migration: Migration, kinds: Kinds, handlers: Handlers): void {
  kinds.infer()
  const ofHandlers = new Map<ParameterDeclaration, { level: Level; name: string }>()
  for (const { fn, from, level, contextName } of handlers.all) {
    const parameter = fn.getParameters()[from.indexOf('ctx')]
    if (from.includes('ctx') && parameter !== undefined) ofHandlers.set(parameter, { level, name: contextName })
  }
  for (const parameter of kinds.parametersOf('extra', 'low-extra')) {
    const own = ofHandlers.get(parameter)
    const level: Level = own?.level ?? (kinds.of(parameter.getNameNode()) === 'low-extra' ? 'low' : 'high')
    rewriteParameter(migration, parameter, level, own?.name ?? parameter.getName())
  }
}

function rewriteParameter(migration: Migration, parameter: ParameterDeclaration, level: Level, base: string): void {
  const name = parameter.getNameNode()
  if (is(name, 'Identifier')) {
    for (const use of usesOf(name, migration.files)) rewriteUse(migration, use, level)
    return
  }
  if (!is(name, 'ObjectBindingPattern')) return
  for (const element of name.getElements()) {
    const member = element.getPropertyNameNode()?.getText() ?? element.getName()
    const local = element.getNameNode()
    if (!is(local, 'Identifier')) {
      migration.mark(
        element,
        `extra.${member}`,
        `read ${member} from ${base} in the body: its members have other names here.`,
      )
      continue
    }
    for (const use of usesOf(local, migration.files)) {
      const place = member === 'mcpReq' || member === 'http' ? use.getParent() : use
      const inner = place === use ? member : OF_V2[`${member}.${memberName(place) ?? ''}`]
      if (place !== undefined) rewriteMember(migration, place, inner ?? member, base, level)
    }
  }
}

function rewriteUse(migration: Migration, use: Identifier, level: Level): void {
  const access = use.getParent()
  if (!is(access, 'PropertyAccessExpression') || access.getExpression() !== use) return
  const base = use.getText() + (access.hasQuestionDotToken() ? '?' : '')
  const member = access.getName()
  const outer = access.getParent()
  if ((member === 'mcpReq' || member === 'http') && is(outer, 'PropertyAccessExpression')) {
    const renamed = OF_V2[`${member}.${outer.getName()}`]
    rewriteMember(migration, outer, renamed ?? `${member}.${outer.getName()}`, base, level)
    return
  }
  rewriteMember(migration, access, member, base, level)
}

/** `node` is `extra.signal`, or `signal` where the parameter was taken apart. */
function rewriteMember(migration: Migration, node: Node, name: string, base: string, level: Level): void {
  const what = `extra.${name}`
  const text = plainMember(name, base, level)
  const outer = node.getParent()
  const hasToken = name === 'authInfo' && memberName(outer) === 'token'
  if (text !== undefined && !hasToken) {
    migration.site(node, what)
    if (name === 'sessionId') checkSessionId(migration, node, base)
    if (migration.text(node) !== text) migration.replace(node, text)
    const isExtra = name === 'authInfo' && memberName(outer) === 'extra'
    if (isExtra && is(outer, 'PropertyAccessExpression')) migration.replace(outer.getNameNode(), 'claims')
    return
  }
  const isCalled = is(outer, 'CallExpression') && outer.getExpression() === node
  if (isCalled && rewriteSending(migration, outer, name, base, level)) return
  migration.mark(node, what, `${what} has no counterpart in the context. See docs/migrate.md.`)
}

/** Members that are read. */
function plainMember(name: string, base: string, level: Level): string | undefined {
  const isHigh = level === 'high'
  switch (name) {
    case 'signal':
    case 'requestId':
    case 'inputResponses':
      return `${base}.${name}`
    case '_meta':
      return `${base}.meta`
    case 'authInfo':
      return `${base}.auth`
    case 'sessionId':
      return sessionIdText(base, level)
    case 'requestInfo':
      return isHigh ? `${base}.http` : `${base}.dispatch.transport`
    case 'closeSSEStream':
      return `${base}.http?.closeStream`
    case 'method':
      return isHigh ? `${base}.request.method` : `${base}.method`
    case 'log':
      return isHigh ? `${base}.log` : undefined
    default:
      return undefined
  }
}

export function sessionIdText(base: string, level: Level): string {
  return level === 'high'
    ? `${base}.http?.headers['mcp-session-id']`
    : `${base}.dispatch.transport.headers?.['mcp-session-id']`
}

/** Clients of 2026-07-28 have none: a map by session id has one entry for all of their users. */
export function checkSessionId(migration: Migration, node: Node, base: string): void {
  // As the session of a log message it has no use here.
  if (migration.isGone(node)) return
  migration.check(
    node,
    `modern clients have no session id, so that they all look alike. ${ownPlace(base.replace('?', ''))}`,
  )
}

/** Members that send something. */
function rewriteSending(migration: Migration, call: CallExpression, name: string, base: string, level: Level): boolean {
  if (name === 'sendNotification') return rewriteNotification(migration, call, base)
  if (name === 'sendRequest') return rewriteRequest(migration, call, base, level)
  if (name !== 'elicitInput' && name !== 'requestSampling') return false
  const method = name === 'elicitInput' ? 'elicitation/create' : 'sampling/createMessage'
  rewriteQuestion(migration, call, method, base, level)
  return true
}

function rewriteNotification(migration: Migration, call: CallExpression, base: string): boolean {
  const [given] = call.getArguments()
  const message = given === undefined ? undefined : readMessage(migration, given)
  if (message === undefined) return false
  migration.site(call, 'extra.sendNotification')
  migration.replace(
    call,
    () => `${base}.session.sendNotification(${argumentList([message.methodText, message.paramsText])})`,
  )
  return true
}

function rewriteRequest(migration: Migration, call: CallExpression, base: string, level: Level): boolean {
  const [given, second, third] = call.getArguments()
  const message = given === undefined ? undefined : readMessage(migration, given)
  if (message === undefined) return false
  // v2 has no schema between the request and its options where the method is one of the specification.
  const options = third ?? (is(second, 'ObjectLiteralExpression') ? second : undefined)
  migration.site(call, 'extra.sendRequest')
  // Time for the user does not count here, so that a time limit is not needed.
  const isPlain = options === undefined || onlyTimes(options)
  const direct = isPlain ? questionText(migration, message, base, level) : undefined
  const own = direct === undefined ? requestOptions(migration, options) : undefined
  migration.replace(
    call,
    direct ?? (() => `${base}.session.sendRequest(${argumentList([message.methodText, message.paramsText, own])})`),
  )
  return true
}

function onlyTimes(options: Node): boolean {
  const names = is(options, 'ObjectLiteralExpression') ? [...membersOf(options).keys()] : ['unknown']
  return names.every((name) => /timeout/i.test(name))
}

/** `elicitInput(params)` and `requestSampling(params)` of v2, `server.elicitInput(params)` and `createMessage(params)` of v1. */
export function rewriteQuestion(
  migration: Migration,
  call: CallExpression,
  method: string,
  base: string,
  level: Level,
): void {
  const [given, options] = call.getArguments()
  const resolved = given === undefined || !is(given, 'ObjectLiteralExpression') ? undefined : given
  migration.site(call, method)
  const message: MessageParts = {
    method,
    methodText: () => `'${method}'`,
    paramsText: given === undefined ? undefined : () => migration.text(given),
    params: resolved,
  }
  const direct = questionText(migration, message, base, level)
  if (direct !== undefined) {
    // Time for the user does not count here.
    migration.replace(call, direct)
    return
  }
  const own = requestOptions(migration, options)
  migration.replace(
    call,
    () => `${base}.session.sendRequest(${argumentList([message.methodText, message.paramsText, own])})`,
  )
}

/** A question that works in both eras, where the context can ask it. */
function questionText(
  migration: Migration,
  { method, params, paramsText }: MessageParts,
  base: string,
  level: Level,
): (() => string) | undefined {
  if (method === 'roots/list') return () => (level === 'high' ? `${base}.listRoots()` : `${base}.session.listRoots()`)
  if (level === 'low') return undefined
  const members = params === undefined ? undefined : membersOf(params)
  if (members?.has('task') === true) return undefined
  if (method === 'sampling/createMessage' && paramsText !== undefined) return () => `${base}.sample(${paramsText()})`
  if (method !== 'elicitation/create' || members === undefined) return undefined
  const [message, schema, url] = ['message', 'requestedSchema', 'url'].map((name) => memberValue(members.get(name)))
  if (message === undefined) return undefined
  if (schema !== undefined) return () => `${base}.elicit(${migration.text(message)}, ${migration.text(schema)})`
  const isUrl = literalText(memberValue(members.get('mode'))) === 'url'
  if (!isUrl || url === undefined || members.has('elicitationId')) return undefined
  return () => `${base}.elicitUrl(${migration.text(message)}, ${migration.text(url)})`
}
