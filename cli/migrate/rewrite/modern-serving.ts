// How v2 of the SDK serves: functions that get a factory. Here they get the server.
import type { CallExpression, Node } from 'ts-morph'
import type { Kinds } from '../source/kinds.ts'
import type { Migration } from '../source/migration.ts'
import { resolveFunction } from '../source/names.ts'
import { is, isFunction, statementOf, unwrap } from '../source/nodes.ts'
import { checkSharedState } from './shared-state.ts'

export const FACTORY_CALLS: ReadonlySet<string> = new Set(['serveStdio', 'createMcpHandler'])

export function rewriteFactoryCall(migration: Migration, kinds: Kinds, call: CallExpression, name: string): void {
  const [factory, options] = call.getArguments()
  const file = call.getSourceFile()
  migration.site(call, name)
  if (factory === undefined) return
  const isHandler = name === 'createMcpHandler'
  const server = serverOf(migration, factory)
  migration.use(file, isHandler ? 'createHandler' : 'serveStdio', 'mcpwire/node')
  const text = () => `${isHandler ? 'createHandler' : 'serveStdio'}(${server()})`
  if (options !== undefined)
    migration.note(
      `${file.getBaseName()}: the options of ${name} were removed. createHandler() and serveStdio() serve both eras.`,
    )
  // A program that serves over stdio has one user.
  if (isHandler) checkSharedState(migration, kinds, factory, call)
  if ((resolveFunction(factory)?.getParameters().length ?? 0) > 0) {
    migration.mark(
      factory,
      `${name} factory`,
      'the function that makes the server is called once, without arguments. Handlers find the caller in ctx.auth and ctx.http.',
    )
  }
  const statement = statementOf(call)
  const isStatement = is(statement, 'ExpressionStatement') && statement.getExpression() === call
  migration.replace(call, () => (isStatement && !isHandler ? `await ${text()}` : text()))
  if (!isHandler && !isStatement) {
    migration.mark(
      call,
      name,
      'serveStdio(server) is a promise that resolves when the client has disconnected. To end it, call server.close().',
    )
  }
}

/** What the factory makes, once. */
function serverOf(migration: Migration, factory: Node): () => string {
  const fn = unwrap(factory)
  if (is(fn, 'ArrowFunction') && !is(fn.getBody(), 'Block') && fn.getParameters().length === 0) {
    const body = fn.getBody()
    return () => migration.text(body)
  }
  if (isFunction(fn)) return () => `(${migration.text(fn)})()`
  return () => `${migration.text(fn)}()`
}
