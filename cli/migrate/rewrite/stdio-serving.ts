// `server.connect(new StdioServerTransport())` is `server.run()`, which lasts as long as the client stays.
import type { CallExpression, Node } from 'ts-morph'
import { lineIndent, type Migration } from '../source/migration.ts'
import { creationOf, declarationsOf, usesOf } from '../source/names.ts'
import { is, memberName, statementOf, unwrap } from '../source/nodes.ts'

export function rewriteStdioServing(migration: Migration, connect: CallExpression, isHigh: boolean): void {
  const callee = connect.getExpression()
  const [transport] = connect.getArguments()
  if (!is(callee, 'PropertyAccessExpression') || transport === undefined) return
  const file = connect.getSourceFile()
  const server = callee.getExpression()
  migration.site(connect, 'server.connect')
  const creation = creationOf(transport, migration.files)
  const [input, output] = creation?.getArguments() ?? []
  if (creation !== undefined) migration.site(creation, 'new StdioServerTransport')
  const hasStreams = input !== undefined
  if (!isHigh || hasStreams) migration.use(file, 'serveStdio', 'mcpwire/node')
  const streams = () =>
    hasStreams
      ? `, { input: ${migration.text(input)}${output === undefined ? '' : `, output: ${migration.text(output)}`} }`
      : ''
  const run = () =>
    isHigh && !hasStreams ? `${migration.text(server)}.run()` : `serveStdio(${migration.text(server)}${streams()})`
  removeDeclaration(migration, transport)
  const statement = statementOf(connect)
  const siblings = is(statement, 'ExpressionStatement') ? followers(statement) : []
  const isAwaited =
    connect.getParent()?.getKindName() === 'AwaitExpression' && connect.getParent()?.getParent() === statement
  const then = connect.getParent()
  if (memberName(then) === 'then') {
    migration.mark(
      connect,
      'server.connect',
      'run() resolves when the client has disconnected. What then() does belongs before it.',
    )
  }
  const last = siblings.at(-1)
  if (!isAwaited || last === undefined || is(last, 'ReturnStatement')) {
    migration.replace(connect, run)
    return
  }
  // What follows is to happen while the server runs.
  const indent = lineIndent(statement)
  const end = statement.getText().endsWith(';') ? ';' : ''
  migration.removeStatement(statement)
  migration.editsOf(file).insert(last.getEnd(), () => `\n${indent}await ${run()}${end}`)
}

/** The statements after this one in its block. */
function followers(statement: Node): Node[] {
  const found: Node[] = []
  for (let next = statement.getNextSibling(); next !== undefined; next = next.getNextSibling()) {
    if (/Statement$|Declaration$/.test(next.getKindName())) found.push(next)
  }
  return found
}

/** Removes the constant that holds a transport, if nothing else uses it. */
export function removeDeclaration(migration: Migration, name: Node): void {
  for (const declaration of declarationsOf(unwrap(name))) {
    if (!is(declaration, 'VariableDeclaration')) continue
    const own = declaration.getNameNode()
    if (!is(own, 'Identifier')) continue
    const others = usesOf(own, migration.files).filter((use) => use !== unwrap(name) && !migration.isGone(use))
    const statement = statementOf(declaration)
    if (others.length === 0 && is(statement, 'VariableStatement') && statement.getDeclarations().length === 1) {
      migration.removeStatement(statement)
    } else if (others.length > 0) {
      migration.mark(
        declaration,
        'transport',
        'there are no transport objects on the server here. Remove what uses it.',
      )
    }
  }
}
