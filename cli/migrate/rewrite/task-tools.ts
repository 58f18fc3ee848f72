// `registerToolTask` of v1: a task is an ordinary handler here, which no codemod can put together from the three of the SDK.
import type { CallExpression } from 'ts-morph'
import type { Migration } from '../source/migration.ts'
import { resolveObject } from '../source/names.ts'
import { is, literalText, membersOf, memberValue } from '../source/nodes.ts'
import type { Registrations } from './registrations.ts'

const TODO =
  'write the work of this task as one handler (args, ctx) that returns the result; ctx.reportProgress and ctx.elicit work in it. The old handlers are in the comment below.'

export function rewriteToolTask(migration: Migration, registrations: Registrations, call: CallExpression): void {
  const callee = call.getExpression()
  const [name, config, handlers] = call.getArguments()
  const object = config === undefined ? undefined : resolveObject(config)
  if (!is(callee, 'PropertyAccessExpression') || name === undefined || handlers === undefined || object === undefined) {
    migration.mark(call, 'registerToolTask', TODO)
    return
  }
  // server.experimental.tasks.registerToolTask
  const server = callee.getExpression()
  const root =
    is(server, 'PropertyAccessExpression') && is(server.getExpression(), 'PropertyAccessExpression')
      ? server.getExpression()
      : server
  const owner = is(root, 'PropertyAccessExpression') ? root.getExpression() : root
  const execution = membersOf(object).get('execution')
  const support = execution === undefined ? undefined : memberValue(execution)
  const mode = is(support, 'ObjectLiteralExpression')
    ? literalText(memberValue(membersOf(support).get('taskSupport')))
    : undefined
  registrations.rewriteConfig(object, call, 'tool')
  if (execution !== undefined) migration.replace(execution, `task: ${mode === 'required' ? "'required'" : 'true'}`)
  migration.mark(call, 'registerToolTask', TODO)
  migration.editsOf(call.getSourceFile()).replace(owner.getEnd(), callee.getEnd(), '.tool')
  const old = handlers.getText().replaceAll('*/', '* /')
  migration.replace(
    handlers,
    `() => {\n    throw new Error('This task was not migrated.');\n    /*\n    ${old}\n    */\n}`,
  )
}
