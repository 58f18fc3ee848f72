// Where a name leads: declarations, functions, object literals and references, across the files of the project.
import type { Identifier, NewExpression, Node, ObjectLiteralExpression, SourceFile, Symbol as TsSymbol } from 'ts-morph'
import { descendants, type FunctionNode, is, isFunction, unwrap } from './nodes.ts'

/** What a name stands for, behind imports. */
function symbolOf(name: Node): TsSymbol | undefined {
  const parent = name.getParent()
  // The shorthand `{ server }` is a member and a use of the variable.
  const symbol = is(parent, 'ShorthandPropertyAssignment')
    ? (parent.getValueSymbol() ?? name.getSymbol())
    : name.getSymbol()
  return symbol?.getAliasedSymbol() ?? symbol
}

/** The declarations of a name, behind imports. */
export function declarationsOf(name: Node): Node[] {
  return symbolOf(name)?.getDeclarations() ?? []
}

/** The expression that a constant name stands for; the node itself otherwise. */
export function resolveValue(node: Node, depth = 0): Node {
  const inner = unwrap(node)
  if (depth > 8 || !is(inner, 'Identifier')) return inner
  for (const declaration of declarationsOf(inner)) {
    if (isFunction(declaration)) return declaration
    if (is(declaration, 'VariableDeclaration')) {
      const value = declaration.getInitializer()
      if (value !== undefined) return resolveValue(value, depth + 1)
    }
  }
  return inner
}

export function resolveObject(node: Node): ObjectLiteralExpression | undefined {
  const value = resolveValue(node)
  return is(value, 'ObjectLiteralExpression') ? value : undefined
}

export function resolveFunction(node: Node): FunctionNode | undefined {
  const value = resolveValue(node)
  if (isFunction(value)) return value
  // `handlers.add`, a method or a member of an object literal.
  if (is(value, 'PropertyAccessExpression')) {
    for (const declaration of declarationsOf(value.getNameNode())) {
      if (isFunction(declaration)) return declaration
      if (is(declaration, 'PropertyAssignment')) {
        const member = declaration.getInitializer()
        if (member !== undefined && isFunction(member)) return member
      }
    }
  }
  return undefined
}

/** The name that a function is called by: of its declaration, or of the constant that holds it. */
export function nameOfFunction(fn: FunctionNode): Identifier | undefined {
  if (is(fn, 'FunctionDeclaration')) return fn.getNameNode()
  const parent = fn.getParent()
  if (is(parent, 'VariableDeclaration') && is(parent.getNameNode(), 'Identifier')) {
    return parent.getNameNode() as Identifier
  }
  return undefined
}

/** All identifiers of some files by their text: looking at one name in all files costs as much as looking at all names. */
const indexes = new WeakMap<ReadonlySet<SourceFile>, Map<string, Identifier[]>>()

function identifiersIn(files: ReadonlySet<SourceFile>): Map<string, Identifier[]> {
  const known = indexes.get(files)
  if (known !== undefined) return known
  const index = new Map<string, Identifier[]>()
  const add = (text: string, node: Identifier) => index.set(text, [...(index.get(text) ?? []), node])
  for (const file of files) for (const node of descendants(file, 'Identifier')) add(node.getText(), node)
  indexes.set(files, index)
  return index
}

/** The names that imports give to an exported name. */
function aliasesOf(text: string, files: ReadonlySet<SourceFile>): string[] {
  const found = new Set([text])
  for (const file of files) {
    for (const declaration of file.getImportDeclarations()) {
      for (const named of declaration.getNamedImports()) {
        const alias = named.getAliasNode()?.getText()
        if (named.getName() === text && alias !== undefined) found.add(alias)
      }
    }
  }
  return [...found]
}

/** All uses of a name in the given files, without its declaration, imports and exports. */
export function usesOf(name: Identifier, files: ReadonlySet<SourceFile>): Identifier[] {
  const symbol = symbolOf(name)?.compilerSymbol
  if (symbol === undefined) return []
  const index = identifiersIn(files)
  const candidates = aliasesOf(name.getText(), files).flatMap((text) => index.get(text) ?? [])
  return candidates.filter((node) => {
    if (node === name || symbolOf(node)?.compilerSymbol !== symbol) return false
    const parent = node.getParent()
    const kind = parent?.getKindName() ?? ''
    if (/^(?:ImportSpecifier|ExportSpecifier|ImportClause|NamespaceImport)$/.test(kind)) return false
    const isDeclared =
      /^(?:VariableDeclaration|Parameter|FunctionDeclaration|BindingElement|PropertyDeclaration)$/.test(kind)
    return !(isDeclared && isNameOf(parent, node))
  })
}

function isNameOf(parent: Node | undefined, node: Node): boolean {
  return (parent as unknown as { getNameNode?(): Node | undefined }).getNameNode?.() === node
}

/** The expressions that a function returns. */
export function returnsOf(fn: FunctionNode): Node[] {
  const body = fn.getBody()
  if (body === undefined) return []
  if (!is(body, 'Block')) return [body]
  const found: Node[] = []
  body.forEachDescendant((node, traversal) => {
    if (isFunction(node)) traversal.skip()
    else if (is(node, 'ReturnStatement')) {
      const value = node.getExpression()
      if (value !== undefined) found.push(value)
    }
  })
  return found
}

/** `this.client` of `this.client.connect()`, else the name itself. */
export function receiverOf(use: Node): Node {
  const parent = use.getParent()
  return is(parent, 'PropertyAccessExpression') && parent.getNameNode() === use ? parent : use
}

/** The `new X()` that a name holds: from its declaration, or assigned later. */
export function creationOf(node: Node, files: ReadonlySet<SourceFile>): NewExpression | undefined {
  const inner = unwrap(node)
  if (is(inner, 'NewExpression')) return inner
  const name = is(inner, 'PropertyAccessExpression') ? inner.getNameNode() : inner
  for (const declaration of declarationsOf(name)) {
    const value =
      is(declaration, 'VariableDeclaration') || is(declaration, 'PropertyDeclaration')
        ? declaration.getInitializer()
        : undefined
    if (is(value, 'NewExpression')) return value
    const own = (declaration as unknown as { getNameNode?(): Node }).getNameNode?.()
    if (!is(own, 'Identifier')) continue
    for (const use of usesOf(own, files)) {
      const target = receiverOf(use)
      const assignment = target.getParent()
      if (!is(assignment, 'BinaryExpression') || assignment.getLeft() !== target) continue
      const assigned = unwrap(assignment.getRight())
      if (is(assigned, 'NewExpression')) return assigned
    }
  }
  return undefined
}
