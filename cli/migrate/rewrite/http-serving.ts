// Streamable HTTP and HTTP+SSE under Express: the routes with their map of sessions become one handler, which keeps the sessions.
import type { CallExpression, Identifier, NewExpression, Node } from 'ts-morph'
import type { Kinds } from '../source/kinds.ts'
import type { Migration } from '../source/migration.ts'
import { declarationsOf, nameOfFunction, resolveFunction, usesOf } from '../source/names.ts'
import {
  descendants,
  type FunctionNode,
  is,
  isFunction,
  literalText,
  memberName,
  membersOf,
  memberValue,
  statementOf,
  unwrap,
} from '../source/nodes.ts'
import { checkSharedState, ownPlace } from './shared-state.ts'
import { removeDeclaration } from './stdio-serving.ts'

interface Route {
  readonly call: CallExpression
  readonly app: Node
  readonly path: string
  readonly between: readonly Node[]
  readonly fn: FunctionNode
}

const VERBS = new Set(['get', 'post', 'delete', 'all', 'use'])
const HANDLES = new Set(['handleRequest', 'handlePostMessage'])

export function rewriteHttpServing(migration: Migration, kinds: Kinds, creations: readonly NewExpression[]): void {
  const done = new Set<CallExpression>()
  for (const creation of creations) {
    const file = creation.getSourceFile()
    const routes = findRoutes(kinds, file).filter(({ call }) => !done.has(call))
    if (routes.length > 0) {
      for (const { call } of routes) done.add(call)
      replaceRoutes(migration, kinds, routes, creation)
    }
    if (!migration.isGone(creation)) {
      migration.mark(
        creation,
        `new ${creation.getExpression().getText()}`,
        `serve with toNodeHandler(createHandler(server)) from mcpwire/node. It keeps the sessions itself, and one server serves all users. ${ownPlace()}`,
      )
    } else migration.site(creation, `new ${creation.getExpression().getText()}`)
  }
}

/** Routes whose handler passes requests to a transport of the SDK. */
function findRoutes(kinds: Kinds, file: Node): Route[] {
  const routes: Route[] = []
  for (const call of descendants(file, 'CallExpression')) {
    const callee = call.getExpression()
    const args = call.getArguments()
    const path = literalText(args[0])
    const last = args.at(-1)
    if (
      !is(callee, 'PropertyAccessExpression') ||
      !VERBS.has(callee.getName()) ||
      path === undefined ||
      last === undefined
    )
      continue
    const fn = resolveFunction(last)
    if (fn === undefined || !passesOn(fn, kinds)) continue
    routes.push({ call, app: callee.getExpression(), path, between: args.slice(1, -1), fn })
  }
  return routes
}

function passesOn(fn: FunctionNode, kinds: Kinds): boolean {
  if (descendants(fn, 'CallExpression').some((call) => HANDLES.has(memberName(call.getExpression()) ?? ''))) return true
  return descendants(fn, 'NewExpression').some((creation) => kinds.of(creation)?.endsWith('server-transport') === true)
}

function replaceRoutes(migration: Migration, kinds: Kinds, routes: readonly Route[], creation: NewExpression): void {
  const [first] = routes
  if (first === undefined) return
  const connects = routes.flatMap(({ fn }) => connectsIn(kinds, fn))
  const outside = descendants(creation.getSourceFile(), 'CallExpression').filter(
    (call) => isConnect(kinds, call) && !connects.includes(call),
  )
  const connect = connects[0] ?? outside[0]
  const around = new Set(first.call.getAncestors())
  const server = connect === undefined ? undefined : findServer(kinds, connect, around)
  if (server === undefined) {
    migration.mark(
      creation,
      `new ${creation.getExpression().getText()}`,
      `create one server for all users outside of the route, and serve it with toNodeHandler(createHandler(server)). ${ownPlace()}`,
    )
    return
  }
  const file = creation.getSourceFile()
  const options = handlerOptions(migration, kinds, routes, creation)
  const paths = [...new Set(routes.map(({ path }) => path))]
  const shownPath = paths.length === 1 ? `'${paths[0]}'` : `[${paths.map((path) => `'${path}'`).join(', ')}]`
  const between = first.between.map((node) => `${node.getText()}, `).join('')
  migration.use(file, 'createHandler', 'mcpwire/node')
  migration.use(file, 'toNodeHandler', 'mcpwire/node')
  for (const call of [...connects, ...outside]) migration.site(call, 'server.connect')
  for (const { fn } of routes) {
    for (const call of descendants(fn, 'CallExpression')) {
      if (HANDLES.has(memberName(call.getExpression()) ?? '')) migration.site(call, 'transport.handleRequest')
    }
  }
  const lost = routes.flatMap(({ fn }) => ownCalls(migration, fn, connect as CallExpression))
  const statement = statementOf(first.call)
  const end = statement.getText().endsWith(';') ? ';' : ''
  const text = `${first.app.getText()}.all(${shownPath}, ${between}toNodeHandler(createHandler(${server.text}${options})))${end}`
  migration.replace(statement, text)
  for (const { call } of routes.slice(1)) if (!migration.isGone(call)) migration.removeStatement(statementOf(call))
  for (const { fn } of routes) removeFunction(migration, fn)
  for (const call of outside) removeOutsideConnect(migration, call)
  removeSessions(migration, routes)
  if (server.maker !== undefined) checkSharedState(migration, kinds, server.maker, first.call)
  if (server.isMember === true) {
    migration.note('Clean up at the end of a session with ctx.connection.defer().')
  }
  if (lost.length > 0) {
    migration.mark(
      first.call,
      'Express route',
      `the old routes also called ${[...new Set(lost)].join(', ')}. Check whether that is still needed.`,
    )
  }
}

function isConnect(kinds: Kinds, call: CallExpression): boolean {
  const callee = call.getExpression()
  if (!is(callee, 'PropertyAccessExpression') || callee.getName() !== 'connect') return false
  const [transport] = call.getArguments()
  const kind = transport === undefined ? undefined : kinds.of(transport)
  return kind === 'http-server-transport' || kind === 'sse-server-transport'
}

function connectsIn(kinds: Kinds, fn: Node): CallExpression[] {
  return descendants(fn, 'CallExpression').filter((call) => isConnect(kinds, call))
}

interface FoundServer {
  /** How it is named outside of the routes. */
  readonly text: string
  /** What made one for each session. */
  readonly maker?: Node
  /** Whether the maker returns it together with other things. */
  readonly isMember?: boolean
}

/** One server for all sessions: what made one for each session is called once. `around` is what the routes are in themselves. */
function findServer(kinds: Kinds, connect: CallExpression, around: ReadonlySet<Node>): FoundServer | undefined {
  const callee = connect.getExpression()
  if (!is(callee, 'PropertyAccessExpression')) return undefined
  const server = unwrap(callee.getExpression())
  const isLocal = (node: Node) => node.getAncestors().some((one) => isFunction(one) && !around.has(one))
  /** Whether it means the same outside of the route. */
  const isFree = (node: Node) =>
    !/\bthis\b/.test(node.getText()) &&
    [node, ...descendants(node, 'Identifier')].every((name) => !declarationsOf(name).some(isLocal))
  if (is(server, 'CallExpression')) {
    if (!isFree(server)) return undefined
    return { text: server.getText(), ...(isLocal(connect) && { maker: server }) }
  }
  const [declaration] = declarationsOf(server)
  if (isFree(server))
    return declaration === undefined && kinds.of(server) === undefined ? undefined : { text: server.getText() }
  const holder = is(declaration, 'BindingElement') ? declaration.getParent().getParent() : declaration
  const made = is(holder, 'VariableDeclaration') ? holder.getInitializer() : undefined
  const value = made === undefined ? undefined : unwrap(made)
  if (made === undefined || !is(value, 'CallExpression') || !isFree(value)) return undefined
  if (!is(declaration, 'BindingElement')) return { text: made.getText(), maker: value }
  const name = declaration.getPropertyNameNode()?.getText() ?? declaration.getName()
  const text = value === made ? made.getText() : `(${made.getText()})`
  return { text: `${text}.${name}`, maker: value, isMember: true }
}

/** Hosts and origins stay; the paths of HTTP+SSE are an option. */
function handlerOptions(migration: Migration, kinds: Kinds, routes: readonly Route[], creation: NewExpression): string {
  const parts: string[] = []
  if (kinds.of(creation) === 'sse-server-transport') {
    const messages = literalText(creation.getArguments()[0]) ?? '/messages'
    const stream = routes.find(({ call }) => memberName(call.getExpression()) === 'get')?.path ?? '/sse'
    return `, { legacySse: { path: '${stream}', messagesPath: '${messages}' } }`
  }
  const [path] = routes.map((route) => route.path)
  if (path !== '/mcp') parts.push(`path: '${path}'`)
  const [given] = creation.getArguments()
  const object = given === undefined ? undefined : unwrap(given)
  if (is(object, 'ObjectLiteralExpression')) {
    for (const name of ['allowedHosts', 'allowedOrigins']) {
      const value = memberValue(membersOf(object).get(name))
      if (value !== undefined) parts.push(`${name}: ${value.getText()}`)
    }
    if (membersOf(object).has('eventStore')) {
      migration.note(
        'Streams are resumable without an event store of your own. To keep events elsewhere, set eventStore or a backend in createHandler().',
      )
    }
  }
  return parts.length === 0 ? '' : `, { ${parts.join(', ')} }`
}

const EXPECTED =
  /^(?:console|res|response|transports?|req|request|randomUUID|crypto|process|server|sessions|isInitializeRequest|JSON|String|Error)\b/

/** Calls of the author's own functions in the old routes. */
function ownCalls(migration: Migration, fn: FunctionNode, connect: CallExpression): string[] {
  const callee = connect.getExpression()
  const server = is(callee, 'PropertyAccessExpression') ? unwrap(callee.getExpression()) : undefined
  const creates = (server === undefined ? [] : declarationsOf(server)).flatMap((declaration) => {
    const holder = is(declaration, 'BindingElement') ? declaration.getParent().getParent() : declaration
    return is(holder, 'VariableDeclaration') ? [holder.getInitializer()] : []
  })
  // As in `createServer().connect(transport)`.
  if (is(server, 'CallExpression')) creates.push(server)
  return descendants(fn, 'CallExpression')
    .filter((call) => !creates.includes(call) && !EXPECTED.test(call.getExpression().getText()))
    .filter(
      (call) => is(unwrap(call.getExpression()), 'Identifier') && migration.sdkName(call.getExpression()) === undefined,
    )
    .map((call) => `${call.getExpression().getText()}()`)
}

function removeFunction(migration: Migration, fn: FunctionNode): void {
  const name = nameOfFunction(fn)
  if (name === undefined || migration.isGone(fn)) return
  if (usesOf(name, migration.files).every((use) => migration.isGone(use))) migration.removeStatement(statementOf(fn))
}

function removeOutsideConnect(migration: Migration, call: CallExpression): void {
  const [transport] = call.getArguments()
  const statement = statementOf(call)
  if (is(statement, 'ExpressionStatement')) migration.removeStatement(statement)
  if (transport !== undefined) removeDeclaration(migration, transport)
}

/** The map of sessions, and loops over it that close them. */
function removeSessions(migration: Migration, routes: readonly Route[]): void {
  const names = new Set<Identifier>()
  for (const { fn } of routes) {
    for (const identifier of descendants(fn, 'Identifier')) {
      for (const declaration of declarationsOf(identifier)) {
        if (!is(declaration, 'VariableDeclaration') || declaration.getAncestors().some(isFunction)) continue
        const name = declaration.getNameNode()
        if (is(name, 'Identifier') && /transport|session/i.test(name.getText())) names.add(name)
      }
    }
  }
  for (const name of names) {
    for (const use of usesOf(name, migration.files)) {
      const loop = use.getAncestors().find((node) => /^For(?:In|Of)Statement$/.test(node.getKindName()))
      if (loop !== undefined && !migration.isGone(loop) && loop.getText().includes('close'))
        migration.removeStatement(loop)
    }
    const left = usesOf(name, migration.files).filter((use) => !migration.isGone(use))
    if (left.length === 0) migration.removeStatement(statementOf(name))
    else
      for (const use of left)
        migration.mark(use, 'sessions', 'mcpwire keeps the sessions itself. Remove this, or call server.close().')
  }
}
