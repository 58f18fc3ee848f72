// Schemas of arguments and results. The SDK takes the members of a `z.object`; here it is the object itself.
import type { Node, SourceFile } from 'ts-morph'
import type { Migration } from '../source/migration.ts'
import { declarationsOf } from '../source/names.ts'
import { is, unwrap } from '../source/nodes.ts'

export type SchemaForm = 'shape' | 'empty' | 'schema' | 'unknown'

export function formOfSchema(node: Node, depth = 0): SchemaForm {
  const inner = unwrap(node)
  if (is(inner, 'ObjectLiteralExpression')) return inner.getProperties().length === 0 ? 'empty' : 'shape'
  if (is(inner, 'PropertyAccessExpression') && inner.getName() === 'shape') return 'shape'
  if (is(inner, 'CallExpression') && startsWithZod(inner)) return 'schema'
  if (is(inner, 'Identifier') && depth < 8) {
    for (const declaration of declarationsOf(inner)) {
      const value = is(declaration, 'VariableDeclaration') ? declaration.getInitializer() : undefined
      const form = value === undefined ? 'unknown' : formOfSchema(value, depth + 1)
      if (form !== 'unknown') return form
    }
  }
  return formOfType(inner)
}

/** `z.object({ … }).strict()`: a chain of calls that begins with a name imported from zod. */
function startsWithZod(node: Node): boolean {
  let at: Node = node
  for (;;) {
    if (is(at, 'CallExpression') || is(at, 'PropertyAccessExpression')) at = at.getExpression()
    else break
  }
  return is(at, 'Identifier') && at.getText() === zodNameIn(at.getSourceFile())
}

/** With the declarations of zod at hand, the compiler knows. */
function formOfType(node: Node): SchemaForm {
  const type = node.getType()
  if (type.isAny() || type.isUnknown()) return 'unknown'
  if (['~standard', 'safeParse', '_zod'].some((name) => type.getProperty(name) !== undefined)) return 'schema'
  const properties = type.getProperties()
  if (!type.isObject() || properties.length === 0) return 'unknown'
  const isShape = properties.every((property) => {
    const member = property.getTypeAtLocation(node)
    return ['~standard', 'safeParse', '_zod'].some((name) => member.getProperty(name) !== undefined)
  })
  return isShape ? 'shape' : 'unknown'
}

/** The name that a file has imported zod under. */
export function zodNameIn(file: SourceFile): string | undefined {
  for (const declaration of file.getImportDeclarations()) {
    if (!/^zod(?:\/|$)/.test(declaration.getModuleSpecifierValue())) continue
    const namespace = declaration.getNamespaceImport() ?? declaration.getDefaultImport()
    const named = declaration.getNamedImports().find((one) => one.getName() === 'z')
    const found = namespace?.getText() ?? named?.getAliasNode()?.getText() ?? named?.getName()
    if (found !== undefined) return found
  }
  return /\b(?:const|let|var)\s*\{\s*z\s*\}\s*=\s*require\(['"]zod/.test(file.getFullText()) ? 'z' : undefined
}

/** Makes an object schema of a raw shape. Returns whether there is a schema at all. */
export function rewriteSchema(migration: Migration, node: Node, what: string): void {
  const form = formOfSchema(node)
  const file = node.getSourceFile()
  if (form === 'unknown') {
    migration.mark(
      node,
      what,
      'this must be a whole schema. If it holds the members of one, write z.object(…) around it.',
    )
    return
  }
  if (form === 'schema') return
  const inner = unwrap(node)
  // Without arguments no library is needed.
  const zod = zodNameIn(file)
  if (form === 'empty' && zod === undefined && is(inner, 'ObjectLiteralExpression')) {
    migration.replace(inner, "{ type: 'object', properties: {} }")
    return
  }
  migration.insertBefore(node, `${zod ?? migration.use(file, 'z', 'zod')}.object(`)
  migration.insertAfter(node, ')')
}
