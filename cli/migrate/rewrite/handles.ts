// What registrations return: `update` has other names for a new function and new arguments.
import type { CallExpression, Node } from 'ts-morph'
import type { Migration } from '../source/migration.ts'
import { declarationsOf } from '../source/names.ts'
import { is, memberName, membersOf, memberValue, unwrap } from '../source/nodes.ts'
import { rewriteSchema } from './schemas.ts'

const REGISTERS = /^(?:register(?:Tool|Prompt|Resource)|tool|prompt|resource)$/
const NAMES: Readonly<Record<string, string>> = {
  paramsSchema: 'input',
  argsSchema: 'input',
  outputSchema: 'output',
  callback: 'run',
  _meta: 'meta',
}

/** Whether this is `update` of something that a server registered. */
export function isHandleUpdate(call: CallExpression): boolean {
  const callee = call.getExpression()
  if (!is(callee, 'PropertyAccessExpression') || callee.getName() !== 'update') return false
  return declarationsOf(unwrap(callee.getExpression())).some((declaration) => {
    const value = is(declaration, 'VariableDeclaration') ? declaration.getInitializer() : undefined
    return is(value, 'CallExpression') && REGISTERS.test(memberName(value.getExpression()) ?? '')
  })
}

export function rewriteHandleUpdate(migration: Migration, call: CallExpression): void {
  const [changes] = call.getArguments()
  const what = 'update'
  migration.site(call, what)
  const object: Node | undefined = changes === undefined ? undefined : unwrap(changes)
  if (!is(object, 'ObjectLiteralExpression')) {
    migration.mark(call, what, 'the names of the changes are input, output and run here.')
    return
  }
  for (const [name, property] of membersOf(object)) {
    const renamed = NAMES[name]
    const value = memberValue(property)
    if (name === 'name' || name === 'enabled' || name === 'uri' || name === 'metadata' || name === 'template') {
      migration.mark(
        call,
        what,
        `update cannot change ${name}. Use enable() and disable(), or remove() and register anew.`,
      )
    }
    if (renamed === undefined) continue
    if (is(property, 'ShorthandPropertyAssignment')) migration.insertBefore(property, `${renamed}: `)
    else if (is(property, 'PropertyAssignment')) migration.replace(property.getNameNode(), renamed)
    if (value !== undefined && /Schema$/.test(name)) rewriteSchema(migration, value, what)
  }
}
