// Calls of a client: the SDK takes one object of params, here the parts are arguments.
import type { CallExpression, Node } from 'ts-morph'
import { argumentList, readMessage, requestOptions } from '../source/messages.ts'
import type { Migration } from '../source/migration.ts'
import { hasSpread, is, membersOf, memberValue, unwrap } from '../source/nodes.ts'

const PROPERTIES: Readonly<Record<string, string>> = {
  getServerCapabilities: 'serverCapabilities',
  getServerVersion: 'serverInfo',
  getInstructions: 'instructions',
  getNegotiatedProtocolVersion: 'protocolVersion',
}

const LISTS = new Set(['listTools', 'listResources', 'listResourceTemplates', 'listPrompts'])
/** The members of params that are arguments here, in their order. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  callTool: ['name', 'arguments'],
  getPrompt: ['name', 'arguments'],
  readResource: ['uri'],
  subscribeResource: ['uri'],
  unsubscribeResource: ['uri'],
  complete: ['ref', 'argument', 'context'],
}

export const CLIENT_CALLS: ReadonlySet<string> = new Set([
  ...Object.keys(PROPERTIES),
  ...LISTS,
  ...Object.keys(ARGUMENTS),
  'ping',
  'request',
  'notification',
  'setLoggingLevel',
  'sendRootsListChanged',
  'close',
  'registerCapabilities',
])

type Part = (() => string) | undefined

export function rewriteClientCall(migration: Migration, call: CallExpression, isV1: boolean): void {
  const callee = call.getExpression()
  if (!is(callee, 'PropertyAccessExpression')) return
  const method = callee.getName()
  migration.site(call, `client.${method}`)
  const client = () => migration.text(callee.getExpression())
  const property = PROPERTIES[method]
  if (property !== undefined) migration.replace(call, () => `${client()}.${property}`)
  else if (method === 'ping') migration.replace(call, () => `${client()}.sendPing()`)
  else if (method === 'request' || method === 'notification') rewriteMessage(migration, call, client, method, isV1)
  else if (method === 'registerCapabilities') {
    const todo = 'capabilities of a client follow from its callbacks. Remove this call.'
    migration.mark(call, 'client.registerCapabilities', todo)
  } else if (LISTS.has(method)) rewriteList(migration, call, client, method)
  else rewriteVerb(migration, call, client, method, isV1)
}

function rewriteVerb(
  migration: Migration,
  call: CallExpression,
  client: () => string,
  method: string,
  isV1: boolean,
): void {
  const args = call.getArguments()
  const names = ARGUMENTS[method]
  const [params] = args
  if (names === undefined || params === undefined) return
  // v1 has a schema of the result between params and options of a tool call.
  const options = method === 'callTool' && isV1 ? args[2] : args[1]
  const { parts, meta } = takeApart(migration, params, names)
  const own = requestOptions(migration, options, meta === undefined ? [] : [() => `meta: ${meta()}`])
  const list = own === undefined ? parts : [...pad(parts, names.length), own]
  migration.replace(call, () => `${client()}.${method}(${argumentList(list)})`)
}

function pad(parts: readonly Part[], length: number): Part[] {
  return [...parts, ...Array.from({ length: Math.max(0, length - parts.length) }, () => undefined)]
}

function takeApart(
  migration: Migration,
  params: Node,
  names: readonly string[],
): { parts: Part[]; meta: (() => string) | undefined } {
  const object = unwrap(params)
  if (!is(object, 'ObjectLiteralExpression') || hasSpread(object)) {
    const base = () => (is(object, 'Identifier') ? object.getText() : `(${migration.text(object)})`)
    return {
      parts: names.map((name) => () => `${base()}.${name}${name === 'context' ? '?.arguments' : ''}`),
      meta: undefined,
    }
  }
  const members = membersOf(object)
  const parts = names.map((name): Part => {
    const value = memberValue(members.get(name))
    if (value === undefined) return undefined
    const inner = unwrap(value)
    const context =
      name === 'context' && is(inner, 'ObjectLiteralExpression')
        ? memberValue(membersOf(inner).get('arguments'))
        : undefined
    if (name === 'context')
      return () => (context === undefined ? `${migration.text(value)}?.arguments` : migration.text(context))
    return () => migration.text(value)
  })
  const meta = memberValue(members.get('_meta'))
  return { parts, meta: meta === undefined ? undefined : () => migration.text(meta) }
}

/** `listTools({ cursor }, options)` is `listTools({ cursor, …options })`. */
function rewriteList(migration: Migration, call: CallExpression, client: () => string, method: string): void {
  const [params, options] = call.getArguments()
  if (options === undefined) return
  const object = params === undefined || params.getText() === 'undefined' ? undefined : unwrap(params)
  const more = is(object, 'ObjectLiteralExpression')
    ? object.getProperties().map((property) => () => migration.text(property))
    : object === undefined
      ? []
      : [() => `...${migration.text(object)}`]
  const own = requestOptions(migration, options, more)
  migration.replace(call, () => `${client()}.${method}(${own?.() ?? ''})`)
}

function rewriteMessage(
  migration: Migration,
  call: CallExpression,
  client: () => string,
  method: string,
  isV1: boolean,
): void {
  const args = call.getArguments()
  const message = args[0] === undefined ? undefined : readMessage(migration, args[0])
  if (message === undefined) {
    migration.mark(
      call,
      `client.${method}`,
      'use client.session.sendRequest(method, params) or sendNotification(method, params).',
    )
    return
  }
  const isRequest = method === 'request'
  const options = isRequest ? requestOptions(migration, isV1 ? args[2] : args[1]) : undefined
  const verb = isRequest ? 'sendRequest' : 'sendNotification'
  migration.replace(
    call,
    () => `${client()}.session.${verb}(${argumentList([message.methodText, message.paramsText, options])})`,
  )
}
