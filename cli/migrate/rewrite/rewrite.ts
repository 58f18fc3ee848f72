// One run over all files: finds the uses of the SDK, and hands each to the file that knows how it is written here.
import type { BinaryExpression, CallExpression, NewExpression, Node, SourceFile } from 'ts-morph'
import { Handlers } from '../source/handlers.ts'
import { Kinds } from '../source/kinds.ts'
import { Migration } from '../source/migration.ts'
import { creationOf, declarationsOf, usesOf } from '../source/names.ts'
import { descendants, is, memberName, statementOf, unwrap } from '../source/nodes.ts'
import type { SdkVersion } from '../source/sdk-names.ts'
import { CLIENT_CALLS, rewriteClientCall } from './client-calls.ts'
import { rewriteClient, rewriteTransport } from './clients.ts'
import { rewriteContexts } from './contexts.ts'
import { isHandleUpdate, rewriteHandleUpdate } from './handles.ts'
import { rewriteHttpServing } from './http-serving.ts'
import { rewriteImports } from './imports.ts'
import { FACTORY_CALLS, rewriteFactoryCall } from './modern-serving.ts'
import { Registrations } from './registrations.ts'
import { rewriteHandlerCall, rewriteInitialized } from './requests.ts'
import { rewriteResource } from './resources.ts'
import { rewriteServerCall, rewriteTransportAccess, SERVER_CALLS } from './server-calls.ts'
import { rewriteServer } from './servers.ts'
import { rewriteStdioServing } from './stdio-serving.ts'
import { rewriteToolTask } from './task-tools.ts'

export interface Rewritten {
  readonly migration: Migration
  /** Files that still import from the SDK. */
  readonly stillUseSdk: readonly SourceFile[]
}

export function rewriteFiles(files: readonly SourceFile[], from?: SdkVersion): Rewritten {
  const migration = new Migration(files, from)
  if (!migration.usesSdk) return { migration, stillUseSdk: [] }
  new Run(migration).rewrite()
  return { migration, stillUseSdk: files.filter((file) => rewriteImports(migration, file)) }
}

class Run {
  readonly #migration: Migration
  readonly #kinds: Kinds
  readonly #handlers: Handlers
  readonly #registrations: Registrations
  /** What was assigned to a server and is an option of its constructor here. */
  readonly #moved = new Map<NewExpression, (() => string)[]>()
  /** Looked at when all handlers are known. */
  readonly #later: (() => void)[] = []

  constructor(migration: Migration) {
    this.#migration = migration
    this.#kinds = new Kinds(migration)
    this.#handlers = new Handlers(migration, this.#kinds)
    this.#registrations = new Registrations(migration, this.#handlers)
  }

  rewrite(): void {
    const files = [...this.#migration.files]
    const creations = files.flatMap((file) => descendants(file, 'NewExpression'))
    for (const call of this.#kinds.calls) this.#call(call)
    for (const assignment of files.flatMap((file) => descendants(file, 'BinaryExpression')))
      this.#assignment(assignment)
    for (const access of files.flatMap((file) => descendants(file, 'PropertyAccessExpression'))) {
      if (access.getName() === 'transport' && this.#kinds.of(access.getExpression()) === 'low-server') {
        this.#later.push(() => rewriteTransportAccess(this.#migration, this.#handlers, access))
      }
    }
    const ofKind = (...kinds: string[]) =>
      creations.filter((creation) => kinds.includes(this.#kinds.of(creation) ?? ''))
    rewriteHttpServing(this.#migration, this.#kinds, ofKind('http-server-transport', 'sse-server-transport'))
    for (const creation of ofKind('client')) rewriteClient(this.#migration, this.#kinds, creation)
    // Also where a function makes them, far from the client.
    for (const creation of ofKind('stdio-client-transport', 'http-client-transport', 'sse-client-transport')) {
      rewriteTransport(this.#migration, this.#kinds, creation)
    }
    for (const creation of ofKind('mcp-server'))
      rewriteServer(this.#migration, creation, true, this.#moved.get(creation) ?? [])
    for (const creation of ofKind('low-server'))
      rewriteServer(this.#migration, creation, false, this.#moved.get(creation) ?? [])
    for (const creation of ofKind('task-store')) this.#taskStore(creation)
    for (const run of this.#later) run()
    rewriteContexts(this.#migration, this.#kinds, this.#handlers)
    this.#handlers.finish()
  }

  #call(call: CallExpression): void {
    const callee = call.getExpression()
    const sdkName = this.#migration.sdkName(callee)
    if (sdkName !== undefined && FACTORY_CALLS.has(sdkName))
      rewriteFactoryCall(this.#migration, this.#kinds, call, sdkName)
    else if (sdkName === 'toNodeHandler') this.#toNodeHandler(call)
    if (!is(callee, 'PropertyAccessExpression')) return
    const name = callee.getName()
    const kind = this.#kinds.of(callee.getExpression())
    if (isHandleUpdate(call)) rewriteHandleUpdate(this.#migration, call)
    else if (name === 'registerToolTask') rewriteToolTask(this.#migration, this.#registrations, call)
    else if (kind === 'mcp-server') this.#onMcpServer(call, name)
    else if (kind === 'low-server') this.#onLowServer(call, name, callee.getExpression())
    else if (kind === 'client' && CLIENT_CALLS.has(name)) rewriteClientCall(this.#migration, call, this.#isV1(call))
  }

  #toNodeHandler(call: CallExpression): void {
    this.#migration.site(call, 'toNodeHandler')
    this.#migration.use(call.getSourceFile(), 'toNodeHandler', 'mcpwire/node')
    this.#migration.replace(call.getExpression(), 'toNodeHandler')
  }

  #onMcpServer(call: CallExpression, name: string): void {
    if (name === 'tool' || name === 'prompt' || name === 'registerTool' || name === 'registerPrompt') {
      this.#registrations.rewrite(call, name)
    } else if (name === 'resource' || name === 'registerResource') {
      rewriteResource(this.#migration, this.#kinds, this.#handlers, call)
    } else if (name === 'connect') this.#connect(call, true)
    else if (name === 'close') this.#migration.site(call, 'server.close')
    else if (SERVER_CALLS.has(name)) {
      this.#later.push(() => rewriteServerCall(this.#migration, this.#handlers, call, true))
    }
  }

  #onLowServer(call: CallExpression, member: string, receiver: Node): void {
    if (member === 'setRequestHandler' || member === 'setNotificationHandler') {
      rewriteHandlerCall(this.#migration, this.#handlers, call, this.#isInner(receiver))
    } else if (member === 'connect') this.#connect(call, false)
    else if (member === 'close') this.#migration.site(call, 'server.close')
    else if (SERVER_CALLS.has(member)) {
      this.#later.push(() => rewriteServerCall(this.#migration, this.#handlers, call, false))
    }
  }

  /** Whether it is the `server` inside of an `McpServer`. */
  #isInner(receiver: Node): boolean {
    const inner = unwrap(receiver)
    if (is(inner, 'PropertyAccessExpression')) return this.#kinds.of(inner.getExpression()) === 'mcp-server'
    return declarationsOf(inner).some((declaration) => {
      const value = is(declaration, 'VariableDeclaration') ? declaration.getInitializer() : undefined
      return value !== undefined && is(unwrap(value), 'PropertyAccessExpression') && this.#isInner(value)
    })
  }

  #connect(call: CallExpression, isHigh: boolean): void {
    const [transport] = call.getArguments()
    const kind = transport === undefined ? undefined : this.#kinds.of(transport)
    if (kind === 'stdio-server-transport') rewriteStdioServing(this.#migration, call, isHigh)
    else if (kind === undefined) this.#migration.site(call, 'server.connect')
  }

  #assignment(assignment: BinaryExpression): void {
    const target = assignment.getLeft()
    if (assignment.getOperatorToken().getText() !== '=' || !is(target, 'PropertyAccessExpression')) return
    const kind = this.#kinds.of(target.getExpression())
    if (kind !== 'mcp-server' && kind !== 'low-server') return
    const member = target.getName()
    if (member === 'oninitialized') rewriteInitialized(this.#migration, this.#handlers, target, assignment.getRight())
    else if (member === 'onerror') this.#onError(assignment, target.getExpression())
    else if (member === 'onclose' || member.startsWith('fallback')) {
      this.#later.push(() => {
        if (this.#migration.isGone(assignment)) this.#migration.site(assignment, `server.${member}`)
        else
          this.#migration.mark(
            assignment,
            `server.${member}`,
            'one server serves all clients here. In a handler, ctx.connection.defer(fn) runs fn when its client goes.',
          )
      })
    }
  }

  #onError(assignment: BinaryExpression, server: Node): void {
    this.#migration.site(assignment, 'server.onerror')
    const inner = unwrap(server)
    const owner =
      is(inner, 'PropertyAccessExpression') &&
      memberName(inner) === 'server' &&
      this.#kinds.of(inner.getExpression()) === 'mcp-server'
        ? inner.getExpression()
        : inner
    const creation = creationOf(owner, this.#migration.files)
    const statement = statementOf(assignment)
    if (creation === undefined || !is(statement, 'ExpressionStatement')) {
      this.#migration.mark(assignment, 'server.onerror', 'faults go to the option onFault of the server.')
      return
    }
    const value = assignment.getRight()
    this.#moved.set(creation, [...(this.#moved.get(creation) ?? []), () => `onFault: ${this.#migration.text(value)}`])
    this.#migration.removeStatement(statement)
  }

  /** The extension `tasks()` has its own store. */
  #taskStore(creation: NewExpression): void {
    this.#migration.site(creation, `new ${creation.getExpression().getText()}`)
    const declaration = creation.getParent()
    const name = is(declaration, 'VariableDeclaration') ? declaration.getNameNode() : undefined
    if (!is(name, 'Identifier')) return
    const left = usesOf(name, this.#migration.files).filter((use) => !this.#migration.isGone(use))
    for (const use of left) {
      const statement = statementOf(use)
      const isCleanup = memberName(use.getParent()) === 'cleanup' && is(statement, 'ExpressionStatement')
      if (isCleanup) this.#migration.removeStatement(statement)
      else
        this.#migration.mark(
          use,
          'task store',
          'tasks() keeps tasks itself, in memory or in the backend of the server.',
        )
    }
    if (left.every((use) => this.#migration.isGone(use))) this.#migration.removeStatement(statementOf(name))
  }

  #isV1(node: Node): boolean {
    const versions = [...this.#migration.importsOf(node.getSourceFile()).values()].map(({ version }) => version)
    return !versions.includes('v2')
  }
}
