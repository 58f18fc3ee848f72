// Imports: new names come in, old ones go. What could not be replaced keeps its import from the SDK.
import type { Identifier, Node, SourceFile } from 'ts-morph'
import { type Migration, requiresOf, type SdkImport } from '../source/migration.ts'
import { descendants, is, isTypeScript } from '../source/nodes.ts'
import { RENAMED, SAME_TYPES, sdkVersionOf } from '../source/sdk-names.ts'

/** Returns whether the file still needs the SDK. */
export function rewriteImports(migration: Migration, file: SourceFile): boolean {
  const imports = migration.importsOf(file)
  const kept: SdkImport[] = []
  const references = referencesBy(file, migration)
  for (const [local, own] of imports) {
    const left = (references.get(local) ?? []).filter((node) => !migration.isGone(node))
    if (left.length === 0) continue
    if (!replaceName(migration, file, own, left)) kept.push(own)
  }
  const old = [
    ...file.getImportDeclarations().filter((one) => sdkVersionOf(one.getModuleSpecifierValue()) !== undefined),
    ...requiresOf(file)
      .filter(({ module }) => sdkVersionOf(module) !== undefined)
      .map(({ statement }) => statement),
  ]
  writeImports(migration, file, old, kept)
  removeUnused(migration, file)
  return kept.length > 0
}

function referencesBy(file: SourceFile, migration: Migration): Map<string, Identifier[]> {
  const references = new Map<string, Identifier[]>()
  for (const node of descendants(file, 'Identifier')) {
    const kind = node.getParent()?.getKindName() ?? ''
    if (/^Import|^BindingElement$/.test(kind) || migration.sdkName(node) === undefined) continue
    references.set(node.getText(), [...(references.get(node.getText()) ?? []), node])
  }
  return references
}

/** Imports of other packages that only the removed code used. New code may use them too. */
function removeUnused(migration: Migration, file: SourceFile): void {
  const declarations = file.getImportDeclarations()
  const written = migration.editsOf(file).render(declarations.at(-1)?.getEnd())
  for (const declaration of declarations) {
    if (sdkVersionOf(declaration.getModuleSpecifierValue()) !== undefined) continue
    const named = declaration.getNamedImports()
    const isUnused = (local: string) => {
      const uses = usesInFile(file, local)
      return uses.length > 0 && uses.every((use) => migration.isGone(use)) && !hasName(written, local)
    }
    const unused = named.filter((one) => isUnused((one.getAliasNode() ?? one.getNameNode()).getText()))
    if (unused.length === 0) continue
    const main = declaration.getDefaultImport()
    const [first, last] = [named[0], named.at(-1)]
    if (first === undefined || last === undefined) continue
    if (unused.length < named.length) {
      const left = named.filter((one) => !unused.includes(one)).map((one) => one.getText())
      migration.editsOf(file).replace(first.getStart(), last.getEnd(), left.join(', '))
    } else if (main === undefined || isUnused(main.getText())) migration.removeStatement(declaration)
    else migration.editsOf(file).remove(main.getEnd(), declaration.getImportClauseOrThrow().getEnd())
  }
}

/** Whether a text has a name that is no member of something. */
function hasName(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])(?<!(?<!\\.\\.)\\.)${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text)
}

function usesInFile(file: SourceFile, text: string): Identifier[] {
  return descendants(file, 'Identifier').filter((node) => {
    const parent = node.getParent()
    const isName =
      /^Import/.test(parent?.getKindName() ?? '') ||
      (is(parent, 'PropertyAccessExpression') && parent.getNameNode() === node)
    return node.getText() === text && !isName
  })
}

function replaceName(migration: Migration, file: SourceFile, own: SdkImport, left: readonly Identifier[]): boolean {
  const { name } = own
  const local = own.local.getText()
  const renamed = RENAMED.get(name)
  if (renamed !== undefined) {
    const isAlias = local !== name
    migration.use(
      file,
      isAlias ? `${renamed.name} as ${local}` : renamed.name,
      renamed.from,
      renamed.isType || own.isTypeOnly,
    )
    for (const node of left) replaceReference(migration, node, isAlias ? local : renamed.name, renamed.isType)
    return true
  }
  // The class of the same name was replaced before; this is the type of the protocol.
  if (SAME_TYPES.has(name) || (name === 'ResourceTemplate' && own.module.endsWith('types.js'))) {
    migration.use(file, local === name ? name : `${name} as ${local}`, 'mcpwire/types', true)
    return true
  }
  if (/ClientTransport$/.test(name) && left.every((node) => is(node.getParent(), 'TypeReference'))) {
    migration.use(file, 'Transport', 'mcpwire/dispatcher', true)
    for (const node of left) migration.replace(node, 'Transport')
    return true
  }
  for (const node of left) migration.mark(node, name, adviceFor(name))
  return false
}

function replaceReference(migration: Migration, node: Identifier, text: string, isType: boolean): void {
  const parent = node.getParent()
  const whole: Node = isType && is(parent, 'TypeReference') ? parent : node
  if (whole.getText() !== text) migration.replace(whole, text)
}

function adviceFor(name: string): string {
  const guard = /^(.*(?:Result|Content|Tool|Resource|Prompt|Root|Task))Schema$/.exec(name)
  if (guard !== null) return `mcpwire has no zod schemas of messages. Use is${guard[1]}(value) of mcpwire/types.`
  if (name.endsWith('Schema'))
    return 'mcpwire has no zod schemas of messages. Use the types and guards of mcpwire/types.'
  if (/[Aa]uth/.test(name))
    return `${name} has no counterpart of this form. See mcpwire/auth: requireBearer for servers, oauth for clients.`
  if (name.endsWith('HTTPServerTransport'))
    return 'mcpwire keeps the sessions itself: toNodeHandler(createHandler(server)) of mcpwire/node. Remove this.'
  return `${name} has no counterpart of this form. See docs/migrate.md.`
}

function writeImports(migration: Migration, file: SourceFile, old: readonly Node[], kept: readonly SdkImport[]): void {
  const sample = old[0]?.getText() ?? file.getImportDeclarations()[0]?.getText() ?? "import a from 'a'"
  const quote = sample.includes('"') ? '"' : "'"
  const end = sample.trimEnd().endsWith(';') ? ';' : ''
  const isRequire = old[0] !== undefined && !is(old[0], 'ImportDeclaration')
  const lines: string[] = []
  const write = (names: readonly string[], from: string, isType: boolean) => {
    const list = [...names].sort().join(', ')
    if (isRequire) lines.push(`const { ${list.replaceAll(' as ', ': ')} } = require(${quote}${from}${quote})${end}`)
    else lines.push(`import ${isType ? 'type ' : ''}{ ${list} } from ${quote}${from}${quote}${end}`)
  }
  for (const [from, names] of [...migration.addedTo(file)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const values = [...names].filter(([, isType]) => !isType).map(([name]) => name)
    const types = [...names].filter(([, isType]) => isType).map(([name]) => name)
    if (values.length > 0 && types.length > 0) write([...values, ...types.map((name) => `type ${name}`)], from, false)
    else if (values.length > 0) write(values, from, false)
    else if (isTypeScript(file)) write(types, from, true)
  }
  for (const module of new Set(kept.map((own) => own.module))) {
    const names = kept.filter((own) => own.module === module)
    write(
      names.map(({ name, local }) => (local.getText() === name ? name : `${name} as ${local.getText()}`)),
      module,
      false,
    )
  }
  placeImports(migration, file, old, lines)
}

function placeImports(migration: Migration, file: SourceFile, old: readonly Node[], lines: readonly string[]): void {
  const [first, ...others] = old
  for (const declaration of others) migration.removeStatement(declaration)
  if (first !== undefined) {
    if (lines.length === 0) migration.removeStatement(first)
    else migration.replace(first, lines.join('\n'))
    return
  }
  if (lines.length === 0) return
  const last = file.getImportDeclarations().at(-1)
  if (last !== undefined) migration.insertAfter(last, `\n${lines.join('\n')}`)
  else {
    const shebang = /^#!.*\n/.exec(file.getFullText())?.[0].length ?? 0
    migration.editsOf(file).insert(shebang, `${lines.join('\n')}\n`)
  }
}
