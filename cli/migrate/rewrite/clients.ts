// Clients: the target and the callbacks are given when a client is created, so that its construction meets its connection.
import type { CallExpression, Identifier, NewExpression, Node, SourceFile } from 'ts-morph'
import type { Kinds } from '../source/kinds.ts'
import { lineIndent, type Migration, objectText, typed } from '../source/migration.ts'
import { creationOf, declarationsOf, receiverOf, usesOf } from '../source/names.ts'
import {
  is,
  isTypeScript,
  literalText,
  memberName,
  membersOf,
  memberValue,
  statementOf,
  unwrap,
} from '../source/nodes.ts'
import { type Callback, callbackOptions, rewriteCallback } from './client-callbacks.ts'

const REQUEST_HANDLERS = new Set(['setRequestHandler', 'setNotificationHandler'])

/** Rewrites one `new Client(…)` with everything that sets it up. */
export function rewriteClient(migration: Migration, kinds: Kinds, creation: NewExpression): void {
  migration.site(creation, 'new Client')
  const holder = holderOf(creation)
  if (holder === undefined) {
    migration.mark(creation, 'new Client', 'new Client(target, options) takes what connect() took; then call open().')
    return
  }
  const uses = usesOf(holder.name, migration.files)
  const connects: CallExpression[] = []
  const callbacks: Callback[] = []
  for (const use of uses) {
    const access = receiverOf(use).getParent()
    const call = access?.getParent()
    const member = memberName(access)
    if (member === 'connect' && is(call, 'CallExpression')) connects.push(call)
    else if (member !== undefined && REQUEST_HANDLERS.has(member) && is(call, 'CallExpression')) {
      const callback = rewriteCallback(migration, call, member)
      if (callback !== undefined) callbacks.push(callback)
    } else if (
      (member === 'onerror' || member === 'onclose') &&
      is(call, 'BinaryExpression') &&
      call.getLeft() === access
    ) {
      migration.site(call, `client.${member}`)
      callbacks.push({ kind: member, handler: call.getRight(), statement: statementOf(call) })
    }
  }
  const [connect, second] = connects
  if (connect === undefined) {
    migration.mark(creation, 'new Client', 'new Client(target, options) takes what connect() took; then call open().')
    return
  }
  if (second !== undefined) {
    migration.mark(
      second,
      'client.connect',
      'a client connects once. Client.connect(url) tries Streamable HTTP and then HTTP+SSE by itself.',
    )
  }
  for (const callback of callbacks) migration.removeStatement(callback.statement)
  joinCreation(migration, kinds, creation, holder, connect, () => optionsText(migration, creation, callbacks))
}

interface Holder {
  readonly name: Identifier
  /** `const client = new Client()`, or `this.client = new Client()`. */
  readonly isMember: boolean
  readonly statement: Node
}

function holderOf(creation: NewExpression): Holder | undefined {
  const parent = creation.getParent()
  if (is(parent, 'VariableDeclaration') && is(parent.getNameNode(), 'Identifier')) {
    return { name: parent.getNameNode() as Identifier, isMember: false, statement: statementOf(parent) }
  }
  if (is(parent, 'PropertyDeclaration') && is(parent.getNameNode(), 'Identifier')) {
    return { name: parent.getNameNode() as Identifier, isMember: true, statement: parent }
  }
  if (!is(parent, 'BinaryExpression')) return undefined
  const target = parent.getLeft()
  const name = is(target, 'PropertyAccessExpression') ? target.getNameNode() : target
  for (const declaration of declarationsOf(name)) {
    const own = (declaration as unknown as { getNameNode?(): Node }).getNameNode?.()
    if (is(own, 'Identifier'))
      return { name: own, isMember: is(target, 'PropertyAccessExpression'), statement: statementOf(parent) }
  }
  return undefined
}

function joinCreation(
  migration: Migration,
  kinds: Kinds,
  creation: NewExpression,
  holder: Holder,
  connect: CallExpression,
  options: () => string,
): void {
  const [transport] = connect.getArguments()
  migration.site(connect, 'client.connect')
  if (transport === undefined) return
  rewriteTransport(migration, kinds, transport)
  const connectStatement = statementOf(connect)
  const transportStatement = declarationStatement(transport)
  const block = holder.statement.getParent()
  const target = () => migration.text(transport)
  const create = () => `new Client(${target()}${options()})`
  const isBefore =
    transportStatement !== undefined &&
    transportStatement.getParent() === block &&
    transportStatement.getEnd() < holder.statement.getStart()
  const isInline = transportStatement === undefined && is(unwrap(transport), 'NewExpression')
  const callee = connect.getExpression() as unknown as { getNameNode(): Node; getExpression(): Node }
  const openText = () => `${migration.text(callee.getExpression())}.open()`
  migration.use(creation.getSourceFile(), 'Client', 'mcpwire')
  if (!holder.isMember && (isBefore || (isInline && connectStatement.getParent() === block))) {
    migration.replace(creation, create)
    migration.replace(connect, openText)
    return
  }
  const isAwaited = connect.getParent()?.getKindName() === 'AwaitExpression'
  const isLater = transportStatement !== undefined && transportStatement.getParent() === block
  if (
    !holder.isMember &&
    isLater &&
    is(holder.statement, 'VariableStatement') &&
    holder.statement.getDeclarations().length === 1
  ) {
    // The client moves below its transport.
    const file = creation.getSourceFile()
    const indent = lineIndent(holder.statement)
    const [start, end] = [holder.statement.getStart(), holder.statement.getEnd()]
    migration.replace(creation, create)
    migration.removeStatement(holder.statement)
    migration
      .editsOf(file)
      .insert(transportStatement.getEnd(), () => `\n${indent}${migration.editsOf(file).render(start, end)}`)
    migration.replace(connect, openText)
    return
  }
  if (!isAwaited) {
    migration.mark(
      connect,
      'client.connect',
      'create the client where its transport is known: client = await Client.connect(target, options).',
    )
    return
  }
  const connected = () => `Client.connect(${target()}${options()})`
  if (canDeclareAt(migration, holder, connectStatement, connect)) {
    const end = connectStatement.getText().endsWith(';') ? ';' : ''
    migration.removeStatement(holder.statement)
    migration.replace(connectStatement, () => `const ${holder.name.getText()} = await ${connected()}${end}`)
    return
  }
  assignLater(migration, creation, holder, connect, connected)
}

/** Whether the statement that connects can declare the client: in the same block, before all other uses. */
function canDeclareAt(migration: Migration, holder: Holder, statement: Node, connect: CallExpression): boolean {
  const isWhole = is(statement, 'ExpressionStatement') && statement.getExpression() === connect.getParent()
  if (holder.isMember || !isWhole || statement.getParent() !== holder.statement.getParent()) return false
  if (!is(holder.statement, 'VariableStatement') || holder.statement.getDeclarations().length !== 1) return false
  return usesOf(holder.name, migration.files).every(
    (use) => use.getStart() >= statement.getStart() || migration.isGone(use),
  )
}

/** The client gets its value where it connects. */
function assignLater(
  migration: Migration,
  creation: NewExpression,
  holder: Holder,
  connect: CallExpression,
  text: () => string,
): void {
  const file = creation.getSourceFile()
  const awaiting = connect.getParentOrThrow()
  const callee = connect.getExpression() as unknown as { getExpression(): Node }
  migration.replace(awaiting, () => `${migration.text(callee.getExpression())} = await ${text()}`)
  migration.use(connect.getSourceFile(), 'Client', 'mcpwire')
  if (is(holder.statement, 'PropertyDeclaration')) {
    const from = (holder.statement.getTypeNode() ?? holder.name).getEnd()
    const type = holder.statement.getTypeNode() === undefined ? typed(file, 'Client') : ''
    migration.editsOf(file).replace(from, creation.getEnd(), type)
    assertLater(migration, file, holder)
    return
  }
  if (is(holder.statement, 'VariableStatement')) {
    migration.replace(
      holder.statement,
      () =>
        `let ${holder.name.getText()}${typed(file, 'Client')}${holder.statement.getText().endsWith(';') ? ';' : ''}`,
    )
    return
  }
  migration.removeStatement(holder.statement)
  assertLater(migration, file, holder)
}

/** `private client!: Client`: it is set before it is used. */
function assertLater(migration: Migration, file: SourceFile, { name }: Holder): void {
  const declaration = name.getParent()
  if (
    isTypeScript(file) &&
    is(declaration, 'PropertyDeclaration') &&
    !declaration.hasExclamationToken() &&
    !declaration.hasQuestionToken()
  ) {
    migration.insertAfter(name, '!')
  }
}

function declarationStatement(transport: Node): Node | undefined {
  for (const declaration of declarationsOf(unwrap(transport))) {
    if (is(declaration, 'VariableDeclaration') || is(declaration, 'BindingElement')) return statementOf(declaration)
  }
  return undefined
}

function optionsText(migration: Migration, creation: NewExpression, callbacks: readonly Callback[]): string {
  const [info, options] = creation.getArguments()
  const parts: string[] = []
  if (info !== undefined) parts.push(`clientInfo: ${migration.text(info)}`)
  const object = options === undefined ? undefined : unwrap(options)
  if (is(object, 'ObjectLiteralExpression')) parts.push(...clientOptions(migration, creation, object.getProperties()))
  parts.push(...callbackOptions(migration, callbacks))
  return parts.length === 0 ? '' : `, ${objectText(parts, info ?? creation, creation)}`
}

const NOT_NEEDED = new Set([
  'enforceStrictCapabilities',
  'jsonSchemaValidator',
  'debouncedNotificationMethods',
  'taskStore',
  'taskMessageQueue',
])

function clientOptions(migration: Migration, creation: NewExpression, properties: readonly Node[]): string[] {
  const parts: string[] = []
  for (const property of properties) {
    const name = (property as unknown as { getName?(): string }).getName?.() ?? ''
    // Capabilities follow from the callbacks.
    if (name === 'capabilities' || NOT_NEEDED.has(name)) continue
    const mode = name === 'versionNegotiation' ? modeOf(memberValue(property)) : undefined
    if (mode !== undefined) parts.push(`mode: '${mode}'`)
    else
      migration.note(
        `The option ${name} of a client in ${creation.getSourceFile().getBaseName()} has no counterpart here and was removed.`,
      )
  }
  return parts
}

/** `versionNegotiation: { mode }` of v2. */
function modeOf(value: Node | undefined): string | undefined {
  const object = value === undefined ? undefined : unwrap(value)
  const mode = is(object, 'ObjectLiteralExpression') ? memberValue(membersOf(object).get('mode')) : undefined
  if (is(mode, 'ObjectLiteralExpression')) return literalText(memberValue(membersOf(mode).get('pin')))
  return literalText(mode)
}

/** `new StdioClientTransport(x)` is `stdio(x)`, and so on. */
export function rewriteTransport(migration: Migration, kinds: Kinds, transport: Node): void {
  const inner = unwrap(transport)
  const creation = creationOf(inner, migration.files)
  if (creation === undefined || migration.isGone(creation)) return
  const kind = kinds.of(creation)
  const file = creation.getSourceFile()
  const name =
    kind === 'stdio-client-transport'
      ? 'stdio'
      : kind === 'http-client-transport'
        ? 'streamableHttp'
        : kind === 'sse-client-transport'
          ? 'sse'
          : undefined
  if (name === undefined) return
  migration.site(creation, `new ${creation.getExpression().getText()}`)
  migration.use(file, name, name === 'stdio' ? 'mcpwire/node' : 'mcpwire/client')
  migration.editsOf(file).replace(creation.getStart(), creation.getExpression().getEnd(), name)
  const [first, options] = creation.getArguments()
  if (name === 'stdio') checkStdioOptions(migration, creation, first)
  else if (options !== undefined) rewriteHttpOptions(migration, creation, options)
}

function checkStdioOptions(migration: Migration, creation: NewExpression, options: Node | undefined): void {
  const object = options === undefined ? undefined : unwrap(options)
  const stderr = is(object, 'ObjectLiteralExpression') ? memberValue(membersOf(object).get('stderr')) : undefined
  if (stderr !== undefined && literalText(stderr) === 'pipe') {
    migration.mark(
      creation,
      'new StdioClientTransport',
      "stderr is 'inherit', 'ignore' or a function that gets each line here.",
    )
  }
}

function rewriteHttpOptions(migration: Migration, creation: NewExpression, options: Node): void {
  const object = unwrap(options)
  const what = `new ${creation.getExpression().getText()}`
  if (!is(object, 'ObjectLiteralExpression')) {
    migration.mark(creation, what, 'requestInit.headers is headers, authProvider is auth: oauth(…) from mcpwire/auth.')
    return
  }
  const parts: (() => string)[] = []
  for (const [name, property] of membersOf(object)) {
    const value = memberValue(property)
    const init = name === 'requestInit' && value !== undefined ? unwrap(value) : undefined
    const headers = is(init, 'ObjectLiteralExpression') ? memberValue(membersOf(init).get('headers')) : undefined
    if (headers !== undefined) parts.push(() => `headers: ${migration.text(headers)}`)
    else if (name === 'fetch') parts.push(() => migration.text(property))
    else if (name === 'authProvider') {
      migration.mark(creation, what, 'log in with auth: oauth(…) from mcpwire/auth. It needs no provider object.')
    } else migration.mark(creation, what, `the option ${name} has no counterpart here.`)
  }
  const [url] = creation.getArguments()
  if (parts.length === 0 && url !== undefined)
    migration.editsOf(creation.getSourceFile()).remove(url.getEnd(), options.getEnd())
  else migration.replace(options, () => `{ ${parts.map((part) => part()).join(', ')} }`)
}
